"""The command diff and `explorer.diff`: recordings, models, adapters and vocabularies."""

import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

import explorer
from explorer.cli.main import main
from explorer.errors import BaseNotThere, NotLoaded, RecordedOnly, UnknownPreset
from tests.foreign.models import write_model, write_safetensors
from tests.foreign.test_adapter import ALPHA, GPT2, LLAMA, RANK, matrices, write_adapter

pytestmark = pytest.mark.slow  # commands that load torch and transformers

TEXT = "the fox loves the dogs"
TINY = {"preset": "tiny", "n_layers": 1}
CHANGED = "decoder.layers.0.cross_attn.weights"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of one family, and an adapter of each base."""
    made = tmp_path_factory.mktemp("compared")
    for name in ("llama", "gpt2"):
        write_model(made / name, name)
    write_adapter(made / "of llama", matrices(LLAMA))
    write_adapter(made / "of gpt2", matrices(GPT2), fan_in_fan_out=True)
    weights = load_file(write_model(made / "other", "llama") / "model.safetensors")
    weights["model.layers.1.mlp.up_proj.weight"][3, 5] += 0.25
    save_file(weights, made / "other" / "model.safetensors", {"format": "pt"})
    return made


def recordings(folder: Path) -> tuple[Path, Path]:
    """A recorded pass, and the same with one number changed."""
    trace = explorer.explore("我爱北京", **TINY)
    trace.save(folder / "one.npz")
    arrays = {name: np.array(trace[name]) for name in trace.names()}
    arrays[CHANGED][1, 0, 2] += 0.01
    attrs.evolve(trace, arrays=arrays).save(folder / "other.npz")
    return folder / "one.npz", folder / "other.npz"


def by_hand(base: Path, adapter: dict[str, NDArray[np.float32]], scale: float) -> dict[str, tuple[float, float]]:
    """By layer ‖s·B·A‖ and ‖W‖ in float64, from the files alone."""
    weights = load_file(base / "model.safetensors")
    found = {}
    for name in (each for each in adapter if each.endswith("lora_A.weight")):
        a, b = (torch.from_numpy(adapter[name.replace("lora_A", which)]).double() for which in ("lora_A", "lora_B"))
        path = name.removeprefix("base_model.model.").removesuffix("lora_A.weight") + "weight"
        weight = next(tensor for key, tensor in weights.items() if path.endswith(key))
        found[path] = float(torch.linalg.matrix_norm(scale * b @ a)), float(torch.linalg.matrix_norm(weight.double()))
    return found


def test_one_changed_number_of_a_recording_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 1, and that tap is named; 0 beside itself, and where the tolerance allows it."""
    one, other = recordings(tmp_path)
    assert main(["diff", str(one), str(one), "--language", "en"]) == 0
    assert "They agree" in capsys.readouterr().out
    assert main(["diff", str(one), str(other), "--language", "en"]) == 1
    told = capsys.readouterr().out
    assert f"First at {CHANGED}" in told and "1 tap differs" in told and told.count("decoder.cross_attn") == 1
    assert main(["diff", str(one), str(other), "--tolerance", "0.02", "--language", "en"]) == 0
    capsys.readouterr()
    assert main(["diff", str(one), str(other), "--json"]) == 1
    told_json = json.loads(capsys.readouterr().out)
    found = explorer.diff(one, other)
    assert told_json == json.loads(json.dumps(found.to_dict()))
    assert (told_json["first"], [each["tap"] for each in told_json["taps"] if each["differs"]]) == (CHANGED, [CHANGED])


def test_a_recording_of_another_program_is_compared_with_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The model reads the text of the recording; taps that were not recorded do not count."""
    trace = explorer.explore("我爱北京", preset="tiny")
    taps = ("encoder.layers.0.self_attn.weights", "encoder.norm")
    card = {
        "source": trace.source,
        "target": trace.target,
        "tokens": {side: [token.text for token in getattr(trace.tokens, side)] for side in ("source", "target")},
    }
    for name, arrays in (("same", 1.0), ("other", 1.5)):
        write_safetensors(tmp_path / f"{name}.safetensors", {tap: np.array(trace[tap]) * np.float32(arrays) for tap in taps})
        (tmp_path / f"{name}.json").write_text(json.dumps(card))
    assert main(["diff", str(tmp_path / "same.safetensors"), "tiny", "--language", "en"]) == 0
    assert main(["diff", "tiny", str(tmp_path / "other.safetensors"), "--language", "en"]) == 1
    assert f"First at {taps[0]}" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "layers"), [("llama", LLAMA), ("gpt2", GPT2)])
def test_what_an_adapter_adds_is_measured_by_hand(name: str, layers: dict[str, Any], folder: Path) -> None:
    """‖ΔW‖ and ‖W‖ of each layer in float64, from the files; the passes are those of `explore` with and without it."""
    base, adapter = folder / name, folder / f"of {name}"
    found = explorer.diff(base, adapter, TEXT)
    expected = by_hand(base, matrices(layers), ALPHA / RANK)

    assert found.weights is not None and len(found.weights) == len(expected) == 2
    for weight in found.weights:
        assert weight.apart is not None
        key = weight.name if weight.name in expected else f"transformer.{weight.name}"
        assert weight.apart.norm == pytest.approx(expected[key][0], rel=1e-6)
        assert weight.apart.of == pytest.approx(expected[key][1], rel=1e-6)
        assert weight.apart.relative == pytest.approx(expected[key][0] / expected[key][1], rel=1e-6)
    assert {weight.layer for weight in found.weights} == {0, 1}
    plain, adapted = explorer.explore(TEXT, preset=base), explorer.explore(TEXT, preset=base, adapter=adapter)
    passes = explorer.diff(plain, adapted)
    assert found.words is not None and passes.words is not None
    np.testing.assert_array_equal(found.words.differences, passes.words.differences)
    np.testing.assert_array_equal(found.heads["decoder.self_attn"].distance, passes.heads["decoder.self_attn"].distance)
    assert explorer.diff(adapter, base).weights[0].apart.norm == pytest.approx(found.weights[0].apart.norm, rel=1e-9)


def test_two_models_of_one_family_are_compared_tensor_by_tensor(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One number of one matrix differs: that tensor is named, and the tap that it first changes."""
    name = "model.layers.1.mlp.up_proj.weight"
    assert main(["diff", str(folder / "llama"), str(folder / "other"), TEXT, "--language", "en"]) == 1
    told = capsys.readouterr().out
    assert name in told and "1 of 21 tensors differ" in told and "First at decoder.layers.1.feed_forward" in told
    assert main(["diff", str(folder / "llama"), str(folder / "llama"), TEXT]) == 0
    found = explorer.diff(folder / "llama", folder / "other")
    assert found.taps == () and found.weights is not None
    differing = [each for each in found.weights if each.differs]
    assert [(each.name, each.apart.beyond) for each in differing] == [(name, 1)]  # type: ignore[union-attr]
    assert differing[0].apart.norm == pytest.approx(0.25, abs=1e-6)  # type: ignore[union-attr]


def test_a_live_model_whose_weight_was_edited_is_compared(folder: Path) -> None:
    """With its preset, and with a recorded pass, whose text it reads."""
    model = explorer.load_model("tiny")
    assert explorer.diff("tiny", explorer.load_model("tiny"), "我爱北京").weights
    before = explorer.explore("我爱北京", preset="tiny")
    with torch.no_grad():
        model.get_parameter("generator.project.weight")[7, 3] += 1.0
    found = explorer.diff(before, model)
    assert found.first is not None and found.first.tap == "generator.logits"
    beside = explorer.diff(explorer.load_model("tiny"), model, "我爱北京")
    assert [each.name for each in beside.weights or () if each.differs] == ["generator.project.weight"]
    with pytest.raises(NotLoaded):
        explorer.diff("tiny", torch.nn.Linear(2, 2))


def test_other_vocabularies_are_told_with_both_tokenizations(capsys: pytest.CaptureFixture[str]) -> None:
    """How many tokens each has, how many both have, and the text in both."""
    assert main(["diff", "translator", "english-translator", "I 爱 Beijing", "--language", "en"]) == 1
    told = capsys.readouterr().out
    first, second = (explorer.explore("I 爱 Beijing", preset=each) for each in ("translator", "english-translator"))
    shared = len(set(first.symbols) & set(second.symbols))
    assert f"{len(set(first.symbols)):,} tokens in A" in told and f"{shared:,} in both" in told
    for name, trace in (("A", first), ("B", second)):
        assert f"{name} ({len(trace.tokens.source)}): {' / '.join(each.text for each in trace.tokens.source)}" in told


def test_what_cannot_be_compared_is_one_sentence(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2: two adapters of no base that is known, a text beside a recording, no such model, an empty text."""
    one, _other = recordings(tmp_path)
    adapter = str(folder / "of llama")
    wrong = ([adapter, adapter], [str(one), "tiny", "我"], ["tiny", "nothing-like-it"], ["tiny", "tiny", " "])
    for arguments in wrong:
        assert main(["diff", *arguments, "--language", "en"]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    for arguments, kind in zip(wrong, (BaseNotThere, RecordedOnly, UnknownPreset), strict=False):
        with pytest.raises(kind):
            explorer.diff(*arguments)
