"""The window of a notebook, in a process of its own."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
from pytestqt.qtbot import QtBot

import explorer
from explorer.errors import CannotWrite, SameAnswers
from explorer.export import showing
from explorer.trace.found.over_prompts import OverPrompts
from tests.picture.examples import example
from tests.waiting import until


def test_the_window_is_given_the_trace_in_a_file(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    """The command is that of the program; the file holds the very Trace, and is gone when the window is closed."""
    asked: list[list[str]] = []
    popen = showing.subprocess.Popen

    def started(command: list[str], env: dict[str, str]) -> object:
        assert "PYTHONPATH" in env  # The package is found wherever it lies.
        asked.append(command)
        return popen([sys.executable, "-c", "import time; time.sleep(600)"])

    monkeypatch.setattr(showing.subprocess, "Popen", started)
    window = explorer.show(example())
    (command,) = asked
    file = Path(command[-1])

    assert command[:-1] == [sys.executable, "-P", "-m", "explorer", "gui", "--trace"]
    assert explorer.Trace.load(file) == example()
    assert window.is_open and repr(window) == "<OpenWindow open>"
    window.close()
    assert not window.is_open and repr(window) == "<OpenWindow closed>" and window.wait() != 0
    until(qtbot, lambda: not file.parent.exists())


def test_results_over_prompts_and_patching_are_shown_as_well(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    """All of them as one kind of file, and drawn in a notebook; two texts with the same answers have nothing to show."""
    asked: list[list[str]] = []

    def started(command: list[str], env: dict[str, str]) -> object:
        asked.append(command)
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

    monkeypatch.setattr(showing, "subprocess", SimpleNamespace(Popen=started))
    pair = ("他在图书馆看书。", "她在图书馆看书。")
    one, many = explorer.patching(*pair), explorer.many(pair, "tiny")
    effects = explorer.ablate(pair, preset="tiny", metric="next")
    paths = explorer.patching([pair], preset="language-model", metric="next", receiver="logits")
    windows = [explorer.show(found) for found in (one, many, effects, paths)]
    loaded = [OverPrompts.load(command[-1]) for command in asked]
    assert {command[-2] for command in asked} == {"--open"}
    assert [len(found.prompts) for found in loaded] == [1, 2, 2, 1]
    n = one.first_step()
    for side in ("encoder", "decoder"):
        stream = one.map(side, "stream")
        assert stream is not None
        np.testing.assert_array_equal(loaded[0][f"{side} stream"][0], stream.recovered[..., n])
    assert loaded[0].tokens["encoder"][0] == tuple(token.text for token in one.tokens["encoder"])
    np.testing.assert_array_equal(loaded[2]["heads"], effects["heads"])
    for found in (one, effects, paths):
        assert "<svg" in (found._repr_html_() or "")
    same = explorer.patching(pair[0], pair[0])
    assert same._repr_html_() is None
    with pytest.raises(SameAnswers):
        explorer.show(same)
    folders = [Path(command[-1]).parent for command in asked]
    for window in windows:
        window.close()
    until(qtbot, lambda: not any(folder.exists() for folder in folders))


def test_a_disk_without_room_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither a window nor a folder."""

    def refuse(_trace: object, path: Path) -> None:
        raise CannotWrite(path=str(path), reason="full")

    monkeypatch.setattr(showing.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("explorer.trace.trace.write_trace", refuse)
    with pytest.raises(CannotWrite):
        explorer.show(example())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow  # the whole program starts
def test_a_window_opens_and_closes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qtbot: QtBot) -> None:
    """The real one: Qt is loaded in its process, and it ends when it is told to."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    window = explorer.show(example())
    process = psutil.Process(window.process.pid)
    until(qtbot, lambda: any("Qt6Widgets" in each.path for each in process.memory_maps()))

    assert window.is_open
    window.close()
    assert not window.is_open
