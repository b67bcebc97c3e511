"""The command diff and `explorer.diff` of two LoRA adapters of one base, and of an adapter beside a recorded pass."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import explorer
from explorer.cli.main import main
from explorer.errors import (
    AdapterAsPreset,
    AdapterDoesNotFit,
    AdapterNeedsModel,
    AdaptersOfOthers,
    BaseNotThere,
    BaseWithoutAdapter,
)
from explorer.lang import LANGUAGES, Words
from tests.foreign.models import write_model
from tests.foreign.test_adapter import ALPHA, GPT2, LLAMA, RANK, matrices, write_adapter

pytestmark = pytest.mark.slow  # commands that load torch and transformers

TEXT = "the fox loves the dogs"
NAMED = "acme/llama"
OTHER = {"model.layers.0.self_attn.q_proj": (32, 32), "model.layers.1.mlp.up_proj": (32, 48)}
Matrices = dict[str, NDArray[np.float32]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base beside a cache that has it under its name; two adapters of it, and one of another base."""
    made = tmp_path_factory.mktemp("two")
    write_model(made / "llama", "llama")
    cached = made / "hub" / "models--acme--llama" / "snapshots" / ("0" * 40)
    cached.parent.mkdir(parents=True)
    cached.symlink_to(made / "llama")
    write_adapter(made / "one", matrices(LLAMA), base_model_name_or_path=NAMED)
    write_adapter(made / "two", second(), base_model_name_or_path=NAMED, use_rslora=True)
    write_adapter(made / "of gpt2", matrices(GPT2), fan_in_fan_out=True, base_model_name_or_path="acme/gpt2")
    return made


@pytest.fixture(autouse=True)
def cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(folder / "hub"))


def second() -> Matrices:
    """Another adapter, which adds nothing to one of its layers."""
    made = matrices(OTHER | {"model.layers.0.mlp.up_proj": (32, 48)})
    made = {name: array * np.float32(1.5) for name, array in made.items()}
    made["base_model.model.model.layers.0.mlp.up_proj.lora_B.weight"][:] = 0
    return made


def products(adapter: Matrices, scale: float) -> dict[str, torch.Tensor]:
    """By weight s·B·A in float64, from the arrays of the file."""
    paths = [name.removesuffix("lora_A.weight") for name in adapter if name.endswith("lora_A.weight")]
    halves = {path: [torch.from_numpy(adapter[f"{path}lora_{which}.weight"]).double() for which in "AB"] for path in paths}
    return {f"{path.removeprefix('base_model.model.')}weight": scale * (b @ a) for path, (a, b) in halves.items()}


def expected() -> dict[str, tuple[float, float, float]]:
    """By weight ‖ΔW_A‖, ‖ΔW_B‖ and ‖ΔW_B − ΔW_A‖."""
    both = products(matrices(LLAMA), ALPHA / RANK), products(second(), ALPHA / RANK**0.5)
    zero = torch.zeros(1, dtype=torch.float64)
    pairs = {name: [each.get(name, zero) for each in both] for name in {**both[0], **both[1]}}
    return {name: (float(a.norm()), float(b.norm()), float((b - a).norm())) for name, (a, b) in pairs.items()}


def test_two_adapters_of_one_base_are_measured_in_float64(folder: Path) -> None:
    """The three norms of each weight from the files alone; the passes are those of `explore` with each of the two."""
    found = explorer.diff(folder / "one", folder / "two", TEXT)
    told = {each.name: each for each in found.weights or ()}

    assert told.keys() == expected().keys() and len(told) == 4
    for name, norms in expected().items():
        each = told[name]
        assert each.added is not None and each.apart is not None
        assert (*each.added, each.apart.norm) == pytest.approx(norms, rel=1e-9, abs=1e-12)
        assert each.differs == (norms[2] > 0)
    one, two = (explorer.explore(TEXT, preset=folder / "llama", adapter=folder / name) for name in ("one", "two"))
    passes = explorer.diff(one, two)
    assert found.words is not None and passes.words is not None
    np.testing.assert_array_equal(found.words.differences, passes.words.differences)
    np.testing.assert_array_equal(found.heads["decoder.self_attn"].distance, passes.heads["decoder.self_attn"].distance)
    assert np.abs(found.words.differences).max() > 1e-3
    assert Path(found.base).samefile(folder / "llama")
    given = explorer.diff(folder / "one", folder / "two", base=folder / "llama")
    assert given.taps == () and given.columns("weights")["added_b"] == [each.added_b for each in told.values()]
    assert explorer.diff(folder / "one", folder / "one").agree


def test_the_command_lists_what_either_adapter_adds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The three norms of each weight that is not zero, those furthest apart first; exit status 1."""
    arguments = ["diff", str(folder / "one"), str(folder / "two"), TEXT]
    assert main([*arguments, "--base", str(folder / "llama"), "--language", "en"]) == 1
    told = capsys.readouterr().out
    rows = [line.split() for line in told.partition("‖ΔW_B − ΔW_A‖")[2].splitlines()[1:]]
    away = sorted((row for row in expected().items() if any(row[1])), key=lambda row: -row[1][2])
    assert [(row[3], *map(float, row[:3])) for row in rows] == [
        (name, *(float(f"{n:.4g}") for n in norms)) for name, norms in away
    ]
    assert len(rows) == 3 and "3 of 3 tensors" in told and f"Base model: {folder / 'llama'}" in told
    assert "Tokens: log p in A" in told and "Heads that changed most" in told
    assert main([*arguments, "--json"]) == 1
    written = {each["name"]: each for each in json.loads(capsys.readouterr().out)["weights"]}
    name = "model.layers.0.self_attn.q_proj.weight"
    assert [written[name][key] for key in ("added_a", "added_b", "norm")] == pytest.approx(expected()[name], rel=1e-9)
    assert main(["diff", str(folder / "one"), str(folder / "one"), TEXT]) == 0


def test_what_does_not_fit_on_a_screen_is_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two adapters, and of one beside its base."""
    monkeypatch.setattr("explorer.cli.comparing._MOST_ADDED", 1)
    for other, count in (("two", 2), ("llama", 1)):
        assert main(["diff", str(folder / "one"), str(folder / other), "--language", "en"]) == 1
        told = capsys.readouterr().out
        assert told.count(".weight") == 1 and f"… and {count} more (--json)" in told
    assert main(["diff", str(folder / "one"), str(folder / "two"), "--tolerance", "1000", "--language", "en"]) == 0


def test_an_adapter_is_compared_with_a_recorded_pass(folder: Path) -> None:
    """It was once left out, so that the recording was compared with itself."""
    plain, adapted = (explorer.explore(TEXT, preset=folder / "llama", adapter=each) for each in (None, folder / "one"))
    plain.save(folder / "plain.npz")
    adapted.save(folder / "adapted.npz")
    assert not explorer.diff(folder / "plain.npz", folder / "one").agree
    assert explorer.diff(folder / "adapted.npz", folder / "one").agree
    assert explorer.diff(adapted, folder / "one", base=folder / "llama").agree and explorer.diff(adapted, folder / "one").agree


def test_without_one_base_it_is_one_sentence(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other bases, a base that is nowhere, one that is none or that nobody needs, an adapter that does not fit."""
    one, two, other, base = (str(folder / name) for name in ("one", "two", "of gpt2", "llama"))
    cases = [
        ([one, other], AdaptersOfOthers, ("acme/llama", "acme/gpt2", "--base")),
        ([other, other], BaseNotThere, ("acme/gpt2", "--base")),
        ([one, two, "--base", "tiny"], AdapterNeedsModel, (one,)),
        ([one, two, "--base", one], AdapterAsPreset, (one,)),
        ([base, base, "--base", base], BaseWithoutAdapter, (base,)),
        ([one, other, "--base", base], AdapterDoesNotFit, ("of gpt2",)),
    ]
    for arguments, kind, told in cases:
        with pytest.raises(kind) as caught:
            explorer.diff(*arguments[:2], base=arguments[3] if len(arguments) > 2 else None)
        for language in LANGUAGES:
            assert all(each in Words.load(language).error(caught.value) for each in told)
        assert main(["diff", *arguments, "--language", "en"]) == 2
        err = capsys.readouterr().err
        assert err.strip().count("\n") == 0 and all(each in err for each in told)
    trace = explorer.explore(TEXT, preset=base)
    with pytest.raises(BaseWithoutAdapter):
        explorer.diff(trace, trace, base=base)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(BaseNotThere, match="acme/llama"):
        explorer.diff(one, two)
