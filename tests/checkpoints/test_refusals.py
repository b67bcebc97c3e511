"""What cannot be converted says its true reason in one line, runs nothing and leaves nothing behind."""

import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from explorer import errors
from explorer.cli.main import main
from explorer.lang import LANGUAGES, Words
from tests.checkpoints import gpts, llamas
from tests.checkpoints.translators import TutorialA
from tests.test_errors import example

pytestmark = pytest.mark.slow  # a process that imports torch reads each file

Making = Callable[[Path], object]
NANO, HEADS = gpts.Gpt, ["--n-heads", str(gpts.HEADS)]


class Command:
    """Unpickled, it would write a file."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self._marker}",)


def nano(_folder: Path) -> object:
    return NANO().state_dict()


def with_nan(_folder: Path) -> object:
    state = NANO().state_dict()
    state["transformer.ln_f.weight"][3] = torch.nan
    return state


def other_table(_folder: Path) -> object:
    state = TutorialA().state_dict()
    return state | {"decoder.pe.pe": state["decoder.pe.pe"] + 0.1}


FILES: dict[str, tuple[Making, list[str], type[errors.ExplorerError], str]] = {
    "a command": (lambda folder: {"model": Command(folder / "ran")}, HEADS, errors.CheckpointHoldsCode, "posix.system"),
    "a command beside tensors": (
        lambda folder: {"model": NANO().state_dict(), "config": Command(folder / "ran")},
        HEADS,
        errors.CheckpointHoldsCode,
        "posix.system",
    ),
    "a whole model": (lambda _folder: torch.nn.Linear(2, 2), [], errors.CheckpointHoldsCode, "torch.nn.modules.linear.Linear"),
    "no tensors": (lambda _folder: {"epoch": 3, "best": [1.0]}, [], errors.NoTensorsInside, "state_dict()"),
    "a tensor without a name": (lambda _folder: torch.zeros(3), [], errors.NoTensorsInside, "state_dict()"),
    "a view larger than the file": (
        lambda _folder: {"a": torch.zeros(1).expand(2**40)},
        [],
        errors.CheckpointStopped,
        f"a: {2**42:,} B",
    ),
    "complex numbers": (lambda _folder: {"a": torch.zeros(3, dtype=torch.complex64)}, [], errors.NoFloats, "complex64"),
    "no course": (lambda _folder: torch.nn.Linear(2, 2).state_dict(), [], errors.UnknownLayout, "bias, weight"),
    "no number of heads": (nano, [], errors.NeedsHeads, "--n-heads"),
    "heads that do not divide": (nano, ["--n-heads", "5"], errors.HeadsDoNotDivide, "24"),
    "other heads than the file says": (
        lambda _folder: {"model": NANO().state_dict(), "model_args": {"n_head": 3}},
        ["--n-heads", "4"],
        errors.HeadsAreTold,
        "3",
    ),
    "NaN": (with_nan, HEADS, errors.NotFinite, "transformer.ln_f.weight"),
    "an unknown setting": (nano, [*HEADS, "--setting", "colour=3"], errors.UnknownSetting, "activation_function"),
    "a setting of another kind": (nano, [*HEADS, "--setting", "layer_norm_epsilon=x"], errors.UnknownSetting, "=x"),
    "another table of positions": (other_table, ["--n-heads", "4"], errors.OtherPositions, "decoder.pe.pe"),
    "happy-llm, chapter 2": (
        lambda _folder: dict.fromkeys(
            ("transformer.wpe.pe", "transformer.encoder.layers.0.attention.wq.weight"), torch.zeros(2)
        ),
        [],
        errors.NormedStream,
        "happy-llm",
    ),
    "experts": (
        lambda _folder: llamas.Mind().state_dict() | {"model.layers.0.mlp.experts.0.gate_proj.weight": torch.zeros(2)},
        [],
        errors.MixtureOfExperts,
        "model.layers.0.mlp.experts.0.gate_proj.weight",
    ),
    "tutorial C": (lambda _folder: {"embedding.weight": torch.zeros(4, 10)}, [], errors.EmbeddingAlone, "tutorial-c"),
    "tutorial E": (
        lambda _folder: {"layers.0.self_attention.linearList.0.weight": torch.zeros(2, 2)},
        [],
        errors.StackAlone,
        "tutorial-e",
    ),
}


def refused(arguments: list[str], language: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a command is refused with."""
    assert main(["convert", *arguments, "--language", language]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1
    return told.err.strip()


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_refused_for_its_true_reason(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence with its names and numbers; nothing of it has run, and no folder is there."""
    make, flags, kind, told = FILES[name]
    file = tmp_path / "ckpt.pt"
    torch.save(make(tmp_path), file)
    sentence = refused([str(file), *flags], "en", capsys)

    assert told in sentence
    assert all(piece in sentence for piece in re.split(r"9\d\d", Words.load("en").error(example(kind))))
    assert [each.name for each in tmp_path.iterdir()] == ["ckpt.pt"]


def truncated(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])


def protocol_4(file: Path) -> None:
    file.write_bytes(pickle.dumps({"a": 1}, protocol=4))


SPOILED: dict[str, Callable[[Path], object]] = {
    "cut off": truncated,
    "empty": lambda file: file.write_bytes(b""),
    "a text": lambda file: file.write_text("no weights at all\n" * 99),
    "another pickle": protocol_4,
}


@pytest.mark.parametrize("name", SPOILED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_spoiled_file_is_refused(name: str, language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the sentence that says that torch cannot read it."""
    file = tmp_path / "ckpt.pt"
    torch.save(NANO().state_dict(), file)
    SPOILED[name](file)
    sentence = refused([str(file), *HEADS], language, capsys)
    assert sentence == Words.load(language)("error.not_a_checkpoint", path=file)
    assert [each.name for each in tmp_path.iterdir()] == ["ckpt.pt"]


def test_a_command_would_run_elsewhere(tmp_path: Path) -> None:
    """So that the refusal above means something: Python's own reader runs it."""
    torch.save({"model": Command(tmp_path / "ran")}, tmp_path / "ckpt.pt")
    torch.load(tmp_path / "ckpt.pt", weights_only=False)
    assert (tmp_path / "ran").exists()


def test_what_is_there_already_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the file is read."""
    (tmp_path / "ckpt").mkdir()
    assert "--out" in refused([str(tmp_path / "ckpt.pt")], "en", capsys)
    assert list((tmp_path / "ckpt").iterdir()) == []


def test_a_part_and_a_missing_file_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of two files of a model, and none at all."""
    assert "2" in refused([str(tmp_path / "pytorch_model-00001-of-00002.bin")], "en", capsys)
    assert "ckpt.pt" in refused([str(tmp_path / "ckpt.pt")], "zh", capsys)


def test_another_training_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has another number of characters than the model has tokens."""
    torch.save(NANO().state_dict(), tmp_path / "ckpt.pt")
    (tmp_path / "input.txt").write_text("abc")
    sentence = refused([str(tmp_path / "ckpt.pt"), *HEADS, "--characters", str(tmp_path / "input.txt")], "en", capsys)
    assert "3" in sentence and str(gpts.VOCAB) in sentence
    assert not (tmp_path / "ckpt").exists()
