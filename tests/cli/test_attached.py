"""A command that belongs to a program: it stops when that program closes its standard input, and ends in order otherwise."""

import subprocess
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from explorer.resources import own_command, own_environment
from explorer.runs.log import read_log
from tests.waiting import until

PATIENCE_MS = 90_000  # It gives way to whatever else this machine does.
SMALL = ["--task", "copy", "--examples", "200", "--d-model", "16", "--n-layers", "1", "--n-heads", "2"]


def started(out: Path, *more: str) -> "subprocess.Popen[bytes]":
    command = [*own_command(), "train", "--attached", "--out", str(out), *SMALL, *more]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=own_environment())


@pytest.mark.slow
def test_an_attached_training_ends_in_order_while_its_input_is_open(tmp_path: Path) -> None:
    """The thread that waits for the input holds nothing that the interpreter needs."""
    with started(tmp_path, "--epochs", "2") as process:
        assert process.wait(120) == 0
        assert (tmp_path / "weights.safetensors").exists()


@pytest.mark.slow
def test_an_attached_training_stops_with_a_checkpoint_when_its_input_closes(tmp_path: Path, qtbot: QtBot) -> None:
    """And goes on from there."""
    with started(tmp_path, "--epochs", "1000") as process:
        until(qtbot, lambda: (tmp_path / "log.jsonl").exists() and read_log(tmp_path).last_step > 5, PATIENCE_MS)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(120) == 130
        done = read_log(tmp_path).last_step
        assert (tmp_path / "checkpoint.safetensors").exists() and done > 5
    with started(tmp_path, "--epochs", "1000") as process:
        until(qtbot, lambda: read_log(tmp_path).last_step > done, PATIENCE_MS)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(120) == 130
