"""What was made in one turn of the event loop is painted in another one, once and completely."""

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell.painting_turn import PaintingTurn
from tests.waiting import until


class _Window(QWidget):
    """Notes what it is told in which order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.turn = PaintingTurn(self)

    def event(self, event: QEvent) -> bool:
        """As the program's window does it."""
        return (event.type() == QEvent.Type.UpdateRequest and self.turn.put_off()) or super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Note all that is painted."""
        self.seen.append("painted")


def shown(qtbot: QtBot) -> _Window:
    """A window that has been painted for the first time."""
    window = _Window()
    qtbot.addWidget(window)
    window.show()
    until(qtbot, lambda: "painted" in window.seen)
    window.seen.clear()
    return window


def test_events_are_looked_for_between_making_and_painting(qtbot: QtBot) -> None:
    """Without the turn of its own the picture is painted first."""
    for own_turn in (False, True):
        window = shown(qtbot)
        beat = QTimer(window, interval=0, singleShot=True)
        beat.timeout.connect(lambda seen=window.seen: seen.append("event"))

        def make(window: _Window = window, beat: QTimer = beat, own_turn: bool = own_turn) -> None:
            if own_turn:
                window.turn.begin()
            window.update()
            beat.start()

        QTimer.singleShot(0, window, make)
        until(qtbot, lambda seen=window.seen: sorted(seen) == ["event", "painted"])  # type: ignore[misc]
        assert window.seen == (["event", "painted"] if own_turn else ["painted", "event"])


def test_several_pictures_are_painted_once_and_later_ones_too(qtbot: QtBot) -> None:
    """What is made while painting waits is painted with the rest."""
    window = shown(qtbot)
    for _ in range(3):
        window.turn.begin()
        window.update()
    until(qtbot, lambda: window.seen == ["painted"] and not window.turn.waits)
    window.update()
    until(qtbot, lambda: window.seen == ["painted", "painted"])
