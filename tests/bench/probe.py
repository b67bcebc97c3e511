"""Measuring from outside: the program is driven by key events and watched by a timer and an event filter."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from explorer.app.main import Program
from explorer.engine.request import Frame


class PaintWatch(QObject):
    """Remembers when the first and the last widget were painted."""

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        self.first_s = self.painted_s = 0.0
        application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.painted_s = time.perf_counter()
            self.first_s = self.first_s or self.painted_s
        return False


class Heart:
    """Beats every millisecond on the GUI thread; the longest pause between two beats is the longest block."""

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self._last_s = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._beat)

    def _beat(self) -> None:
        now_s = time.perf_counter()
        self.longest_ms = max(self.longest_ms, (now_s - self._last_s) * 1e3)
        self._last_s = now_s

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Watch for as long as the block lasts."""
        self.longest_ms, self._last_s = 0.0, time.perf_counter()
        self._timer.start()
        try:
            yield
        finally:
            self._beat()
            self._timer.stop()


def wait(application: QApplication, done: Callable[[], bool], limit_s: float = 60.0) -> None:
    """Run the event loop as the program does, asleep between events, until `done`."""
    end_s = time.perf_counter() + limit_s
    tick = QTimer()
    tick.setInterval(50)
    tick.start()
    while not done():
        if time.perf_counter() > end_s:
            raise TimeoutError
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    tick.stop()


def answered(program: Program) -> bool:
    """Whether the frame on screen is an answer to the newest wish; a wider search of the same may still be running."""
    frame: Frame | None = program.session.frame
    wish = program.session.request
    if frame is None:
        return False
    shown = attrs.evolve(frame.request, serial=wish.serial, refines=wish.refines, beam=wish.beam)
    return shown == wish
