"""A pass that was made a moment ago is shown again as it was recorded, and every other one is made."""

from pathlib import Path

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.recording.recorder import Recording
from explorer.engine.request import Request
from explorer.engine.sources.source import Begun, never
from explorer.engine.sources.translator import Translator
from explorer.engine.speed import kept_passes
from explorer.engine.speed.kept_passes import KeptPasses
from explorer.model.transformer import Transformer
from explorer.trace.arrays import Arrays
from tests.engine.sources.bundles import a_bundle
from tests.engine.speed.test_looked_over import HEAD, answer, assert_same_trace

SENTENCE, OTHER = "我爱北京", "你看书"


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The parts of passes that a model makes."""
    made: list[str] = []
    for name in ("encode", "decode"):
        own = getattr(Transformer, name)

        def counted(model: Transformer, *given: object, own: object = own, name: str = name) -> object:
            made.append(name)
            return own(model, *given)  # type: ignore[operator]

        monkeypatch.setattr(Transformer, name, counted)
    return made


def test_a_step_back_needs_no_pass(tmp_path: Path, passes: list[str]) -> None:
    """The very same numbers, of another answer."""
    name, computer = a_bundle(tmp_path), Computer()
    first = answer(computer, name, SENTENCE)
    answer(computer, name, OTHER)
    passes.clear()
    again = answer(computer, name, SENTENCE)

    assert not passes and again is not first
    assert_same_trace(again, first)


@pytest.mark.parametrize(
    "fields", [{"text": OTHER}, {"prefix": (270,)}, {"beam": 2}], ids=["another sentence", "a forced word", "a beam"]
)
def test_what_is_otherwise_is_made(tmp_path: Path, passes: list[str], fields: dict[str, object]) -> None:
    """Each of these can be another translation."""
    name, computer = a_bundle(tmp_path), Computer()
    answer(computer, name, SENTENCE)
    passes.clear()
    text = str(fields.pop("text", SENTENCE))
    answer(computer, name, text, **fields)

    assert passes


def test_another_knob_and_changes_are_made(tmp_path: Path, passes: list[str]) -> None:
    """With changes each time, because they note what they have reached; without them the plain numbers are back."""
    name, computer = a_bundle(tmp_path), Computer()
    plain = answer(computer, name, SENTENCE)
    for turn in range(2):
        passes.clear()
        changed = answer(computer, name, SENTENCE, HEAD)
        assert "decode" in passes, turn
        assert not np.array_equal(plain[HEAD.tap], changed[HEAD.tap])
    assert_same_trace(answer(computer, name, SENTENCE), plain)

    passes.clear()
    warm = answer(computer, name, SENTENCE, config=plain.config.changed(temperature=0.5))  # type: ignore[union-attr]
    assert passes and not np.array_equal(warm["generator.logits"], plain["generator.logits"])


def test_one_that_was_let_go_is_made_and_kept_again(tmp_path: Path, passes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its translation is still known, so the decoder is run once, over all words."""
    monkeypatch.setattr(kept_passes, "_MOST", 1)
    name, computer = a_bundle(tmp_path), Computer()
    first = answer(computer, name, SENTENCE)
    answer(computer, name, OTHER)
    passes.clear()
    again = answer(computer, name, SENTENCE)
    assert passes == ["encode", "decode"]
    assert_same_trace(again, first)

    passes.clear()
    assert_same_trace(answer(computer, name, SENTENCE), first)
    assert not passes


def test_a_wide_search_has_its_pass_at_once(tmp_path: Path, passes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are those of a pass that is made behind the search."""
    name, computer = a_bundle(tmp_path), Computer()
    with monkeypatch.context() as patched:
        patched.setattr(Translator, "_whole", lambda _self, _source, _config, _target, begun, _stop: begun)
        slow = answer(Computer(), name, SENTENCE, beam=3)
    wide = answer(computer, name, SENTENCE, beam=3)
    assert_same_trace(wide, slow)

    passes.clear()
    assert_same_trace(answer(computer, name, SENTENCE, beam=3), slow)
    assert not passes


def a_pass(n_bytes: int) -> Begun:
    return Begun(None, Recording(Arrays({"a": np.zeros((1, n_bytes // 4), np.float32)})))  # type: ignore[arg-type]


def test_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one used longest ago goes, where there are too many, or too many bytes; a very large one is not kept at all."""
    kept = KeptPasses()
    for number in range(kept_passes._MOST):
        kept.put(number, a_pass(4))
    assert kept.get(0) is not None
    kept.put("more", a_pass(4))
    assert kept.get(0) is not None and kept.get(1) is None

    monkeypatch.setattr(kept_passes, "_MOST_BYTES", 100)
    kept.put("large", a_pass(80))
    assert kept.get("large") is not None and kept.get("more") is not None and kept.get(2) is None
    kept.put("too large", a_pass(104))
    assert kept.get("too large") is None


@pytest.mark.parametrize("preset", ["paper-base", "tiny", "translator", "language-model"])
def test_the_same_request_gives_the_same_bits_after_a_rest(preset: str) -> None:
    """And as a program that has just begun: weights are packed when they are read or never, so products round alike."""
    computer, request = Computer(), Request.from_preset(preset, "我爱北京")
    first = computer(request)
    computer.rest(never)
    computer(Request.from_preset(preset, "你看书"))
    again, fresh = computer(request), Computer()(request)

    for other in (again, fresh):
        if other.n_threads == first.n_threads:  # Beside a busy program there may be fewer; the status line says how many.
            assert other.trace.names() == first.trace.names()
            for tap in first.trace.names():
                assert np.array_equal(other.trace[tap], first.trace[tap], equal_nan=True), tap
