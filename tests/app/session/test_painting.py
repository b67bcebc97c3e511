"""What was made in one turn of the event loop is painted in another one, once and completely, in a window of Qt."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.session.session import Session
from explorer.state.state import State
from tests.waiting import until


class _Window(QWidget):
    """Notes what it is told in which order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.session = Session(State.from_preset("tiny"))
        self.session.paints.connect(self._paint)

    def _paint(self) -> None:
        QApplication.sendEvent(self, QEvent(QEvent.Type.UpdateRequest))

    def event(self, event: QEvent) -> bool:
        """As the program's window does it."""
        return (event.type() == QEvent.Type.UpdateRequest and self.session.puts_painting_off()) or super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Note all that is painted."""
        self.seen.append("painted")


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[_Window]:
    """A window that has been painted for the first time."""
    made = _Window()
    qtbot.addWidget(made)
    made.show()
    until(qtbot, lambda: "painted" in made.seen)
    made.seen.clear()
    yield made
    made.session.close()


@pytest.mark.parametrize("own_turn", [False, True])
def test_events_are_looked_for_between_making_and_painting(window: _Window, qtbot: QtBot, own_turn: bool) -> None:
    """Without the turn of its own the picture is painted first."""
    beat = QTimer(window, interval=0, singleShot=True)
    beat.timeout.connect(lambda: window.seen.append("event"))

    def make() -> None:
        if own_turn:
            window.session.pictures_made()
        window.update()
        beat.start()

    QTimer.singleShot(0, window, make)
    until(qtbot, lambda: sorted(window.seen) == ["event", "painted"])
    assert window.seen == (["event", "painted"] if own_turn else ["painted", "event"])


def test_several_pictures_are_painted_once_and_later_ones_too(window: _Window, qtbot: QtBot) -> None:
    """What is made while painting waits is painted with the rest."""
    for _ in range(3):
        window.session.pictures_made()
        window.update()
    until(qtbot, lambda: window.seen == ["painted"] and not window.session.painting_waits)
    window.update()
    until(qtbot, lambda: window.seen == ["painted", "painted"])
