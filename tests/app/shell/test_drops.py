"""What is dropped on the window: a thread looks what it is, and nothing of it is touched by the thread that draws."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell import drops
from explorer.app.shell.drops import Drops, dropped_path, meant
from explorer.errors import CannotRead, ExplorerError, NotAFile
from tests.dragging import drop

ENDINGS = (".explorer.toml", ".explorer", ".lesson.toml", ".toml", ".json", ".parquet", ".npz", ".safetensors", ".gguf", "")
LESSON = 'group = "a"\n[[step]]\n'
SCAN = '{"transformer-explorer-scan": {}'


class Wide(QWidget):
    """A widget that takes drops as the window does, and keeps what was opened and refused."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[tuple[str, str]] = []
        self.refused: list[ExplorerError] = []
        opens = {kind: self._opening(kind) for kind in ("session", "lesson", "scan", "model")}
        self.drops = Drops(opens, self)
        self.drops.refused.connect(self.refused.append)
        self.setAcceptDrops(True)

    def _opening(self, kind: str) -> Callable[[str], None]:
        return lambda path: self.opened.append((kind, path))

    def dragEnterEvent(self, event: object) -> None:
        if dropped_path(event.mimeData()):  # type: ignore[attr-defined]
            event.acceptProposedAction()  # type: ignore[attr-defined]

    def dropEvent(self, event: object) -> None:
        self.drops.take(dropped_path(event.mimeData()))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "content", "kind", "folder"),
    [
        ("a.explorer.toml", "", "session", False),
        ("a.explorer", "", "session", False),
        ("a.lesson.toml", "", "lesson", False),
        ("a.toml", LESSON, "lesson", False),
        ("preset.toml", "[knobs]", "model", True),
        ("a.json", SCAN, "scan", False),
        ("a.parquet", "", "scan", False),
        ("config.json", "{}", "model", True),
        ("model.gguf", "", "model", False),
        ("x.npz", "", "model", False),
        ("x.safetensors", "", "model", False),
    ],
)
def test_each_kind_of_file_is_known(name: str, content: str, kind: str, folder: bool, tmp_path: Path) -> None:
    """A file of a model means its folder; a recorded pass, alone in its folder, itself."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert meant(path) == (kind, str(tmp_path if folder else path))


def test_a_folder_and_the_weights_in_it_mean_the_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").touch()
    (tmp_path / "model.safetensors").touch()
    assert meant(tmp_path) == meant(tmp_path / "model.safetensors") == ("model", str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in its folders")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_pipe_of_any_ending_is_refused_and_never_waited_for(ending: str, tmp_path: Path) -> None:
    """It is called what it is, and not a folder that is no model."""
    path = tmp_path / f"a{ending}"
    os.mkfifo(path)
    with pytest.raises(NotAFile):
        meant(path)
    with pytest.raises(CannotRead):
        meant(tmp_path / f"gone{ending}")


def test_nothing_dropped_is_touched_by_the_thread_that_draws(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when it is dragged over the window, and not when it is let go."""
    path = tmp_path / "a.json"
    path.write_text(SCAN)
    touched: list[str] = []

    def watched(name: str) -> Callable[..., object]:
        own = getattr(os, name)

        def call(place: object, *given: object, **named: object) -> object:
            if str(place) == str(path):
                touched.append(threading.current_thread().name)
            return own(place, *given, **named)

        return call

    wide = Wide()
    qtbot.addWidget(wide)
    for name in ("stat", "open", "lstat", "access"):
        monkeypatch.setattr(os, name, watched(name))
    drop(wide, path)
    qtbot.waitUntil(lambda: wide.opened == [("scan", str(path))])
    assert set(touched) == {drops.THREAD}


def test_what_cannot_be_opened_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    wide = Wide()
    qtbot.addWidget(wide)
    drop(wide, tmp_path / "gone.json")
    qtbot.waitUntil(lambda: bool(wide.refused))
    assert isinstance(wide.refused[0], CannotRead) and not wide.opened


def test_several_an_address_and_a_text_are_no_path() -> None:
    def told(*urls: QUrl) -> str:
        what = QMimeData()
        what.setUrls(urls)
        return dropped_path(what)

    local = QUrl.fromLocalFile
    assert Path(told(local("/m/a"))) == Path("/m/a")
    assert told(local("/m/a"), local("/m/b")) == told(QUrl("https://example.org/m")) == dropped_path(QMimeData()) == ""
