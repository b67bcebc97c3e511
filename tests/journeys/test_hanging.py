"""An engine that breaks or hangs in the real program: it is told, it is restarted, and it never keeps the window open."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from explorer.app.pages.card import Card
from explorer.app.shell.window import Window
from explorer.engine.compute import Computer
from explorer.engine.experiments import effects
from explorer.engine.request import Frame, Request
from explorer.errors import EngineRestarted, WorkFailed
from explorer.state.intents import SetText
from explorer.state.state import State
from tests.journeys.conftest import Journey
from tests.waiting import PATIENCE_MS

HANGS, PANICS = "卡住", "崩溃"
TEXT = "她爱读书"


class PanicException(BaseException):
    """What a library in Rust raises where it did not expect something."""


@pytest.fixture
def let_go(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Two texts of which the computation hangs, until the event is set, and panics."""
    event, whole = threading.Event(), Computer.__call__

    def called(self: Computer, request: Request, *given: Any) -> Frame:
        if request.wish.text == HANGS:
            event.wait(PATIENCE_MS / 1e3)
        if request.wish.text == PANICS:
            raise PanicException("made by the test")
        return whole(self, request, *given)

    monkeypatch.setattr(Computer, "__call__", called)
    monkeypatch.setattr("explorer.app.session.answers.HANGS_S", 0.2)
    monkeypatch.setattr("explorer.app.session.session.LOOK_MS", 20)
    yield event
    event.set()
    for thread in threading.enumerate():
        if thread.name == "compute":
            thread.join()


def test_an_engine_that_hangs_is_restarted_and_lets_the_window_close(
    journey: Journey, let_go: threading.Event, tmp_path: Path
) -> None:
    """The offer comes and goes, a sentence says what was given up, the next text is answered, and what hung is never shown.
    With an engine that hangs the window closes, and all that was set up is saved.
    """

    def script(window: Window) -> None:
        words = window.appearance.words
        journey.settle(window)
        shown = window.session.frame
        window.session.ask(SetText(HANGS))
        journey.wait(window.hanging.isVisible)
        assert window.hanging.restart.text() == words("engine.restart")
        journey.wait(lambda: window.hanging.text.text() == words("engine.hangs", seconds=2))  # They are counted on.
        window.hanging.restart.click()
        journey.wait(lambda: words.error(EngineRestarted()) in window.status.message.text())
        assert not window.hanging.isVisible()
        assert window.session.frame is shown and not window.session.waiting
        window.session.ask(SetText(TEXT))
        journey.settle(window)
        assert window.session.frame is not None and window.session.frame.trace.source == TEXT

        let_go.set()  # The first thread goes on, and finds out that it is not wanted.
        journey.wait(lambda: sum(thread.name == "compute" for thread in threading.enumerate()) == 1)
        assert window.session.frame.trace.source == TEXT
        let_go.clear()
        window.session.ask(SetText(HANGS))
        journey.wait(window.hanging.isVisible)

    journey.run(script)
    assert State.load(tmp_path / "config" / "transformer-explorer" / "last.explorer.toml").wish.text == HANGS


@pytest.mark.parametrize("way", ["escape", "close", "button"])
def test_a_panic_is_told_and_its_box_closes_every_way(journey: Journey, let_go: threading.Event, way: str) -> None:
    """Escape and × close the box as "Continue" does; the status line says what happened, and the next text is answered."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText(PANICS))
        journey.wait(lambda: _box() is not None)
        box = _box()
        assert box is not None and "PanicException" in box.detailedText()
        said = window.appearance.words.error(WorkFailed(kind="PanicException"))
        journey.wait(lambda: said in window.status.message.text())
        if way == "escape":
            QTest.keyClick(box, Qt.Key.Key_Escape)
        elif way == "close":
            QApplication.sendEvent(box, QCloseEvent())
        else:
            (button,) = [each for each in box.buttons() if each.text() == window.appearance.words("faults.close")]
            button.click()
        assert _box() is None
        window.session.ask(SetText(TEXT))
        journey.settle(window)
        assert window.status.message.text() == ""

    with pytest.raises(AssertionError, match="Traceback"):  # The journey has seen the report.
        journey.run(script)


def test_an_experiment_that_breaks_leaves_no_card_waiting(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, let_go: threading.Event
) -> None:
    """The cards that need it say that it failed, also when the page is drawn anew, and show it when it can be had again."""
    whole = effects.MAKE

    def broken(*_given: object) -> None:
        raise PanicException("made by the test")

    def script(window: Window) -> None:
        journey.settle(window)
        words = window.appearance.words
        said = words("card.refused", reason=words.error(WorkFailed(kind="PanicException")))
        monkeypatch.setattr(effects, "MAKE", broken)
        window.go("effects")
        journey.wait(lambda: said in [card.note.text() for card in _visible(window)])
        window.session.ask(SetText(TEXT))
        journey.wait(lambda: window.session.is_answered() and said in [card.note.text() for card in _visible(window)])
        computing = window.appearance.words("status.computing")
        assert not [card.title.text() for card in _visible(window) if card.waiting or card.note.text() == computing]
        monkeypatch.setattr(effects, "MAKE", whole)
        window.session.ask(SetText("我爱书"))
        journey.settle(window)
        assert said not in [card.note.text() for card in _visible(window)]

    with pytest.raises(AssertionError, match="Traceback"):
        journey.run(script)


def _visible(window: Window) -> list[Card]:
    return [card for card in window.page_stack.page.cards if card.isVisible()]


def _box() -> QMessageBox | None:
    return next((each for each in QApplication.topLevelWidgets() if isinstance(each, QMessageBox) and each.isVisible()), None)


PROGRAM = """
import sys, time
from PySide6.QtCore import QTimer
from explorer.app import main
from explorer.app.session import answers, told
from explorer.engine import worker
from explorer.engine.request import Frame

class Hangs(main.Program):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.session.told.connect(self.hear)

    def hear(self, value):
        if isinstance(value, Frame):
            from explorer.engine.compute import Computer
            from explorer.state.intents import SetText
            Computer.__call__ = lambda *_given: time.sleep(3600)
            answers.HANGS_S = 1  # A first pass on a busy machine may be silent for longer.
            self.session.ask(SetText("卡住"))
        if isinstance(value, told.Hangs) and value.seconds:
            print("hangs", flush=True)
            QTimer.singleShot(0, self.window.close)

main.Program = Hangs
from explorer.__main__ import main as run
sys.argv[1:] = ["gui", "--preset", "tiny", "--text", "她爱读书"]
run()
"""


def test_a_process_with_an_engine_that_hangs_ends(tmp_path: Path) -> None:
    """It leaves with a good status while native code would go on for an hour; what was typed is there the next time."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, set(done.stdout.split())) == (0, {"hangs"}), done.stderr  # It is told each second.
    assert "Traceback" not in done.stderr
    assert State.load(tmp_path / "config" / "transformer-explorer" / "last.explorer.toml").wish.text == HANGS
