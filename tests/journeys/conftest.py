"""A journey runs the real command line with the real window; in place of waiting for the user, a script is the user."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.cli.main import main
from tests.waiting import PATIENCE_MS, until

Script = Callable[[Window], None]
QUICK = ("test_first_screen.py", "test_knobs_and_undo.py")
"""The journeys that are made before a commit; the others are slow."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the others: before anybody chooses by marks."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in QUICK:
            item.add_marker(pytest.mark.slow)


class Journey:
    """`run(script, *arguments)` starts the program, hands its window to the script, and ends it."""

    def __init__(self, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
        self._qtbot = qtbot
        self._monkeypatch = monkeypatch
        self._state = state

    def run(self, script: Script, *arguments: str) -> None:
        """In Chinese and with the small preset, unless told otherwise. Exceptions that reached the program's faults fail
        the journey."""
        self._monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
        self.run_as_left(script, *arguments, *(() if "--preset" in arguments else ("--preset", "tiny")))

    def run_as_left(self, script: Script, *arguments: str) -> None:
        """With the preferences that an earlier run left."""
        ran = []

        def act() -> int:
            (window,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, Window) and w.isVisible()]
            ran.append(True)
            for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
                if QGuiApplication.mouseButtons() & button:  # A double click of another test leaves its button pressed.
                    QTest.mouseRelease(window, button)
            try:
                script(window)
            finally:
                window.close()
                window.deleteLater()
            return 0

        self._monkeypatch.setattr(QApplication, "exec", staticmethod(act))
        status = main(list(arguments))
        assert ran, "the window did not open"
        assert self.bug_reports() == ""
        assert status == 0

    def bug_reports(self) -> str:
        """What the program wrote about its own bugs."""
        path = self._state / "transformer-explorer" / "log" / "faults.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def wait(self, condition: Callable[[], bool], timeout_ms: int = PATIENCE_MS) -> None:
        """Until it holds."""
        until(self._qtbot, condition, timeout_ms)

    def settle(self, window: Window, patience_ms: int = PATIENCE_MS) -> None:
        """Wait until the newest wish is answered and painted."""
        session = window.session
        until(
            self._qtbot,
            lambda: (
                not session.waiting
                and session.frame is not None
                and session.frame.serial == session.serial
                and not window.lessons.reckoner.busy
                and not window.page_stack.page.awaits
            ),
            patience_ms,
        )
        QApplication.processEvents()


@pytest.fixture
def journey(qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Journey:
    monkeypatch.setattr("explorer.app.session.answers.PAUSE_MS", 0)  # Every script waits for the whole answer.
    return Journey(qtbot, monkeypatch, tmp_path / "state")
