"""The real program in a window without a screen, with a watch over the thread that draws."""

import gc
import sys
import threading
import time
import traceback

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication

from explorer.app.main import Program, make_application
from tests.fuzz.case import Limits
from tests.fuzz.machine import Starved

_BEAT_MS = 10
_LOOK_S = 0.05


class Heart(QObject):
    """Beats on the GUI thread; a thread beside it keeps the stack of each block that is longer than the limit.

    Time for which the machine ran others is no block.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.blocks: list[tuple[float, float, str]] = []  # seconds, those that the thread itself worked, and where it was
        self._limit_s = limits.block_s
        self._gui = threading.get_ident()
        self._last_s, self._worked_s = time.monotonic(), time.thread_time()
        self._starved = Starved()
        self._story = ""
        self._over = threading.Event()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._beat)
        self._timer.start(_BEAT_MS)
        self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        now_s, worked_s = time.monotonic(), time.thread_time()
        blocked_s = now_s - self._last_s
        if blocked_s > self._limit_s and blocked_s - self._starved.seconds() > self._limit_s:
            self.blocks.append((blocked_s, worked_s - self._worked_s, self._story))
        self._story = ""
        self._last_s, self._worked_s = now_s, worked_s
        self._starved = Starved()

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_S):
            if time.monotonic() - self._last_s > self._limit_s / 2 and not self._story:
                self._story = "".join(traceback.format_stack(sys._current_frames().get(self._gui)))

    def stop(self) -> None:
        """Watch no longer."""
        self._beat()
        self._timer.stop()
        self._over.set()
        self._thread.join()


class Driving:
    """The program for as long as a `with` block lasts."""

    def __init__(self, text: str | None, preset: str | None, language: str | None = None) -> None:
        self.application = make_application()
        self.application.setQuitOnLastWindowClosed(False)
        self.program = Program(text, preset, language)
        self.window, self.session = self.program.window, self.program.session

    def __enter__(self) -> "Driving":
        self.program.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.window.hide()
        self.program.close()
        self.window.deleteLater()
        self.program.session.deleteLater()
        self.application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self.application.processEvents()
        del self.program, self.window, self.session
        gc.collect()

    def pause(self, seconds: float) -> None:
        """Let the program go on by itself."""
        end_s = time.monotonic() + seconds
        while True:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, _BEAT_MS)
            if time.monotonic() >= end_s:
                return
            time.sleep(0.002)

    def settle(self, limit_s: float) -> bool:
        """Until everything wished for is answered or refused."""
        end_s = time.monotonic() + limit_s
        while time.monotonic() < end_s:
            self.pause(0.03)
            if self.session.serial > 0 and not self.session.waiting:
                return True
        return False
