"""A command that belongs to a program: it stops when that program closes its standard input, and ends in order otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from explorer.cli.stopping import stopping
from explorer.resources import own_command, own_environment
from explorer.runs.log import read_log
from tests.waiting import until

PATIENCE_MS = 90_000  # It gives way to whatever else this machine does.
SMALL = ["--task", "copy", "--examples", "200", "--d-model", "16", "--n-layers", "1", "--n-heads", "2"]


def started(out: Path, *more: str) -> "subprocess.Popen[bytes]":
    command = [*own_command(), "train", "--attached", "--out", str(out), *SMALL, *more]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=own_environment())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows gives way by how the process was started")
def test_it_gives_way_and_notices_that_its_input_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any signal; a command of its own asks for neither."""
    gave_way: list[int] = []
    monkeypatch.setattr(os, "nice", gave_way.append)
    reading, writing = os.pipe()
    with os.fdopen(reading) as given, stopping(attached=False) as own:
        monkeypatch.setattr(sys, "stdin", given)
        with stopping(attached=True) as stopped:
            os.write(writing, b"x")
            assert not stopped.is_set() and gave_way and gave_way[0] > 0
            os.close(writing)
            assert stopped.wait(20)
        assert not own.is_set() and len(gave_way) == 1


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
