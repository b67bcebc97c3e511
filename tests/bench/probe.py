"""Measuring from outside: the program is driven by key events and watched by a timer and an event filter."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from explorer.app.display import make_application
from explorer.app.main import Program
from explorer.engine.request import Frame

SIXTEEN = "昨天晚上我和朋友在图书馆里看了一本关于中国历史的书。"
"""A sentence that is 16 tokens of the translator."""

_TICK_MS = 50  # a faster one disturbed the compute thread
_LOOK_S = 0.1  # between two acts of a user
_GB2312_ROWS, _GB2312_COLUMNS = range(0xB0, 0xD7), range(0xA1, 0xFA)  # the common characters, by pronunciation


class PaintWatch(QObject):
    """Counts how often a window was painted. A filter of the whole application would run Python at each of its events."""

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self.count = 0
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt asks; nothing is kept from the window."""
        if event.type() == QEvent.Type.UpdateRequest:
            self.count += 1
        return False

    def end(self) -> None:
        """Watch no longer."""
        self._window.removeEventFilter(self)


class Heart:
    """Beats every millisecond on the GUI thread; a longer pause between two beats is a block of the thread.

    `own_ms` is how long the thread itself worked in each pause: in the rest of it others had the core, or Python's lock.
    """

    def __init__(self) -> None:
        self.pauses_ms: list[float] = []
        self.own_ms: list[float] = []
        self._last_s, self._last_own_s = time.perf_counter(), time.thread_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._beat)

    def _beat(self) -> None:
        now_s, own_s = time.perf_counter(), time.thread_time()
        self.pauses_ms.append((now_s - self._last_s) * 1e3)
        self.own_ms.append((own_s - self._last_own_s) * 1e3)
        self._last_s, self._last_own_s = now_s, own_s

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Watch for as long as the block lasts."""
        self.pauses_ms, self._last_s = [], time.perf_counter()
        self.own_ms, self._last_own_s = [], time.thread_time()
        self._timer.start()
        try:
            yield
        finally:
            self._beat()
            self._timer.stop()


class Driven:
    """The program in its window, for as long as a `with` block lasts."""

    def __init__(self, text: str, preset: str) -> None:
        self.application = make_application()
        self.program = Program(text=text, preset=preset)
        self.watch = PaintWatch(self.program.window)
        self._turn = 0

    def __enter__(self) -> "Driven":
        self.program.open()
        self.wait(self.settled)
        edit = self.program.window.sentences.source_edit
        edit.setFocus()
        edit.end(False)
        edit.cursorBackward(False)  # before the full stop
        return self

    def __exit__(self, *_: object) -> None:
        self.program.window.close()
        self.program.close()
        self.watch.end()
        self.application.processEvents()

    @property
    def frame(self) -> Frame:
        """What is on screen."""
        assert self.program.session.frame is not None  # the `with` block begins when there is one
        return self.program.session.frame

    def wait(self, done: Callable[[], bool], limit_s: float = 60.0) -> None:
        """Run the event loop as the program does, asleep between events, until `done`."""
        wait(self.application, done, limit_s)

    def pause(self, seconds: float = _LOOK_S) -> None:
        """Let a user look at what was painted, before the next act."""
        end_s = time.perf_counter() + seconds
        self.wait(lambda: time.perf_counter() > end_s)

    def settled(self) -> bool:
        """Whether everything wished for is on screen and nothing is computed."""
        return answered(self.program) and not self.program.session.waiting

    def painted_ms(self, act: Callable[[], object]) -> float:
        """From an act of the user to the last widget painted with its first answer; what the painting widgets did is in it.
        Raises RuntimeError where nothing was painted."""
        before, start_s = self.watch.count, time.perf_counter()
        act()
        self.wait(lambda: answered(self.program))
        self.application.processEvents()  # the answer asks to be painted
        self.wait(lambda: not self.program.window.session.painting_waits)  # and is, in a turn of its own
        end_s = time.perf_counter()
        if self.watch.count == before:
            raise RuntimeError("nothing was painted")
        return (end_s - start_s) * 1e3

    def type_next(self) -> None:
        """A key event with a character that was not typed before."""
        row, column = divmod(self._turn * 37 % (len(_GB2312_ROWS) * len(_GB2312_COLUMNS)), len(_GB2312_COLUMNS))
        self._turn += 1
        self.type(bytes((_GB2312_ROWS[row], _GB2312_COLUMNS[column])).decode("gb2312"))

    def type(self, character: str) -> None:
        """A key event with a character."""
        edit = self.program.window.sentences.source_edit
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):  # QTest types Latin-1 only
            self.application.sendEvent(edit, QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, character))

    def take_back(self) -> None:
        """A key event that deletes it."""
        QTest.keyClick(self.program.window.sentences.source_edit, Qt.Key.Key_Backspace)

    def slide(self, knob: str, key: Qt.Key = Qt.Key.Key_Right) -> None:
        """A key event that moves a knob's slider by one step."""
        slider = self.program.window.knobs.rows[knob].slider
        assert slider is not None  # only asked of knobs that have one
        slider.setFocus()
        QTest.keyClick(slider, key)


def wait(application: QApplication, done: Callable[[], bool], limit_s: float = 60.0) -> None:
    """Run the event loop as the program does, asleep between events, until `done`. Raises TimeoutError."""
    end_s = time.perf_counter() + limit_s
    tick = QTimer()
    tick.setInterval(_TICK_MS)
    tick.start()
    while not done():
        if time.perf_counter() > end_s:
            raise TimeoutError
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    tick.stop()


def answered(program: Program) -> bool:
    """Whether the frame on screen is an answer to the newest wish; a wider search of the same may still be running."""
    frame: Frame | None = program.session.frame
    wish = program.session.state.wish
    return frame is not None and attrs.evolve(frame.wish, beam=wish.beam) == wish
