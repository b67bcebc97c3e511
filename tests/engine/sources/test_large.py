"""A Trace of somebody's model that is larger than the memory: the very one of the whole model, with progress and Stop."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import explorer
from explorer import Change
from explorer.cli import main as cli
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import TooLarge
from explorer.foreign import folder as folder_room
from explorer.foreign import thin
from explorer.foreign.holding import way_to_hold
from explorer.lang import LANGUAGES, Words
from explorer.stops import Superseded
from explorer.trace.arrays import Array
from tests.foreign.models import write_model
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox loves the dogs 我爱"
WAYS = ("bfloat16", "streamed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny model whose tensors count as large."""
    monkeypatch.setattr(thin, "SMALL", 64)
    return write_model(tmp_path / "m", "gpt2")


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have models held in a way of one's choice."""
    return lambda way: monkeypatch.setattr(folder_room, "way_to_hold", lambda *_given: way)


def test_its_trace_is_that_of_the_whole_model(folder: Path, hold: Callable[[str], None]) -> None:
    """Also with a change; the card says how its weights were held, and a file keeps that."""
    change = (Change("decoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0),)
    whole = explorer.explore(TEXT, preset=folder)
    changed = explorer.explore(TEXT, preset=folder, changes=change)
    hold("streamed")
    ours, ours_changed = (
        explorer.explore(TEXT, preset=f"{folder}/"),
        explorer.explore(TEXT, preset=f"{folder}/", changes=change),
    )

    assert (whole.card.held, ours.card.held) == ("float32", "streamed")
    assert all(np.array_equal(ours[tap], whole[tap]) for tap in whole.names())
    assert all(np.array_equal(ours_changed[tap], changed[tap]) for tap in whole.names())
    assert not np.array_equal(changed["generator.logits"], whole["generator.logits"])
    assert (ours.places == whole.places).all()


def test_a_long_text_is_pooled_as_it_is(tmp_path: Path, hold: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its maps come in blocks, and heads that are looked at later are added."""
    monkeypatch.setattr(thin, "SMALL", 64)
    path = write_model(tmp_path / "m", "t5")
    hold("streamed")
    trace = explorer.explore("the fox and the dog " * 120, target="the", preset=path, memory_budget=16)

    assert not trace.whole
    assert trace.map("encoder.layers.0.self_attn.weights").levels is not None


def test_a_pass_tells_how_far_it_is_and_stops(folder: Path, hold: Callable[[str], None]) -> None:
    """Between two layers, as the reading is what takes long; the next pass is whole."""
    hold("streamed")
    told: list[float] = []
    computer, request = Computer(), Request.from_preset(str(folder), TEXT)
    first = computer(request).trace
    computer(request, progress=told.append)
    assert len(told) >= 8
    assert told[-1] == pytest.approx(1.0)

    asked = iter(range(10**6))
    with pytest.raises(Superseded):
        computer(request, stop=lambda: next(asked) > 20)
    assert np.array_equal(computer(request).trace["generator.logits"], first["generator.logits"])


@pytest.mark.parametrize("name", sweep(["gpt2", "llama", "bart"], telling=["llama"]))
def test_experiments_find_what_they_find_in_the_whole_model(
    name: str, tmp_path: Path, hold: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that look at the weights themselves, and those that need gradients."""
    monkeypatch.setattr(thin, "SMALL", 64)
    folder = write_model(tmp_path / "m", name)

    def found(path: str) -> list[Array]:
        lens, why = explorer.lens("the fox", preset=path), explorer.attribute("the fox", 1, preset=path)
        effects, saliency = explorer.ablate("the fox", preset=path), explorer.saliency("the fox", preset=path)
        return [lens.probabilities, why.values, effects.heads, *saliency.gradient.values(), *saliency.integrated.values()]

    whole = found(str(folder))
    hold("streamed")
    ours = found(f"{folder}/")
    assert all(np.allclose(one, other, rtol=1e-4, atol=1e-6) for one, other in zip(ours, whole, strict=True))
    assert all(np.isfinite(each).any() for each in whole)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_show_says_how_its_weights_are_held(
    way: str, language: str, folder: Path, hold: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """At the command line, in both languages; of a model that is held as usual it says nothing."""
    words, path = Words.load(language), str(folder)
    said = [words(f"held.{each}") for each in (*WAYS, "float16")]
    assert cli.main(["show", TEXT, "--preset", path, "--language", language]) == 0
    assert not any(each in capsys.readouterr().out for each in said)
    hold(way)
    assert cli.main(["show", TEXT, "--preset", f"{path}/", "--language", language]) == 0
    assert words(f"held.{way}") in capsys.readouterr().out


def test_a_model_that_cannot_even_be_read_in_parts_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what it needs, and what is free."""
    memory = type("Memory", (), {"available": 2**10})
    monkeypatch.setattr("explorer.foreign.holding.psutil.virtual_memory", lambda: memory)

    with pytest.raises(TooLarge):
        way_to_hold(str(folder), {"w": 2**20})
    with pytest.raises(TooLarge):
        explorer.explore(TEXT, preset=folder)
