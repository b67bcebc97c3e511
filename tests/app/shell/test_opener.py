"""What is dropped on the window: a thread looks what it is, and nothing of it is touched by the thread that draws."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell import opener
from explorer.app.shell.opener import Opener, dropped_path
from explorer.errors import CannotRead, ExplorerError, NothingThere
from explorer.on_disk.meant import Meant
from tests.dragging import drop

SCAN = '{"transformer-explorer-scan": {}'
KINDS = ("session", "lesson", "scan", "recorded", "model", "adapter", "models")


class Wide(QWidget):
    """A widget that takes drops as the window does, and keeps what was opened and refused."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[tuple[str, str]] = []
        self.refused: list[ExplorerError] = []
        self.opener = Opener(dict.fromkeys(KINDS, self.take), str, self)
        self.opener.refused.connect(self.refused.append)
        self.setAcceptDrops(True)

    def take(self, what: Meant) -> None:
        self.opened.append((what.kind, what.path))

    def dragEnterEvent(self, event: object) -> None:
        if dropped_path(event.mimeData()):  # type: ignore[attr-defined]
            event.acceptProposedAction()  # type: ignore[attr-defined]

    def dropEvent(self, event: object) -> None:
        self.opener.take(dropped_path(event.mimeData()))  # type: ignore[attr-defined]


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
    assert set(touched) == {opener.THREAD}


def test_what_cannot_be_opened_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    wide = Wide()
    qtbot.addWidget(wide)
    drop(wide, tmp_path / "gone.json")
    qtbot.waitUntil(lambda: bool(wide.refused))
    assert isinstance(wide.refused[0], CannotRead) and not wide.opened


def test_a_name_that_means_nothing_is_told(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    wide = Wide()
    qtbot.addWidget(wide)
    wide.opener.take("no-such-model")
    qtbot.waitUntil(lambda: bool(wide.refused))
    assert isinstance(wide.refused[0], NothingThere) and not wide.opened


def test_several_an_address_and_a_text_are_no_path() -> None:
    def told(*urls: QUrl) -> str:
        what = QMimeData()
        what.setUrls(urls)
        return dropped_path(what)

    local = QUrl.fromLocalFile
    assert Path(told(local("/m/a"))) == Path("/m/a")
    assert told(local("/m/a"), local("/m/b")) == told(QUrl("https://example.org/m")) == dropped_path(QMimeData()) == ""
