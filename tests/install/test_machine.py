"""What is said of the machine, held against what the system says, and what is said where something is wrong."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from explorer.install import machine
from explorer.version import __version__


def test_the_program_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version and Python; a bundle says that it is one."""
    found = machine.program()
    assert found.values["version"] == __version__
    assert found.values["python"] == ".".join(map(str, sys.version_info[:3]))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert machine.program().text == "program.bundle"


def test_little_memory_is_worth_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a gigabyte; here there is more."""
    assert abs(float(str(machine.memory().values["all"])) - psutil.virtual_memory().total / 2**30) < 0.1
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=5e8, total=8e9))
    found = machine.memory()
    assert (found.standing, found.values["free"]) == ("note", "0.5")


def test_fewer_processors_than_there_are_is_worth_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    found = machine.processors()
    assert (found.standing, found.values["there"], found.values["allowed"]) == ("note", 4, 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert machine.processors().standing == "well"


def test_a_card_that_torch_cannot_use_is_worth_a_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The driver is there, and torch names the processor alone."""
    monkeypatch.setattr("explorer.engine.devices.devices", lambda: ("cpu",))
    monkeypatch.setattr(machine, "_NVIDIA", tmp_path / "none")
    assert machine.graphics().text == "graphics.none"
    monkeypatch.setattr(machine, "_NVIDIA", tmp_path)
    assert machine.graphics().standing == "note"
    monkeypatch.setattr("explorer.engine.devices.devices", lambda: ("cpu", "mps"))
    assert machine.graphics().values["names"] == "CPU, MPS"


def test_folders_are_written_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder that is not there, or is a file, is a fault; nothing stays where it can be written."""
    for name in ("config_folder", "cache_folder", "log_folder"):
        monkeypatch.setattr(machine.resources, name, lambda: tmp_path)
    assert machine.folders().standing == "well" and list(tmp_path.iterdir()) == []
    monkeypatch.setattr(machine.resources, "log_folder", lambda: tmp_path / "gone")
    found = machine.folders()
    assert (found.standing, found.values["names"]) == ("fault", str(tmp_path / "gone"))
