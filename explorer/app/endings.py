"""Ctrl+C in a terminal, a terminal that is closed, and the system's request to end close the window properly, with a signal's
exit status.

Qt's event loop runs no Python until an event comes, so Python would notice a signal only when the mouse moves next.
Therefore Python writes each signal's number to a socket at once, and Qt watches that socket.
"""

import contextlib
import signal
import socket
import threading
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from explorer.stops import ending_signals

WRITING_THREAD = "export"
"""The name of the thread that writes files, for which a program that ends waits."""


class Endings(QObject):
    """Signals: came(number), on the GUI thread, when the process is asked to end. `status` is its exit status then."""

    came = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.status = 0
        self._before: dict[signal.Signals, Any] = {}
        self._reading, self._writing = socket.socketpair()
        for end in (self._reading, self._writing):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._woken_before = -1

    def install(self) -> None:
        """Take over the signals. Only the main thread can; on another thread this does nothing."""
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.signal(each, _noted) for each in ending_signals()}
            self._woken_before = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)

    def remove(self) -> None:
        """Give the signals back and close the sockets."""
        if self._before:
            signal.set_wakeup_fd(self._woken_before)
            for each, handler in self._before.items():
                signal.signal(each, handler)
            self._before = {}
        self._notifier.setEnabled(False)
        self._reading.close()
        self._writing.close()

    def _woken(self) -> None:
        numbers = b""
        with contextlib.suppress(OSError):
            numbers = self._reading.recv(64)
        for number in numbers:
            if number in self._before:
                self.status = 128 + number
                self.came.emit(number)


def _noted(_number: int, _frame: FrameType | None) -> None:
    """Handle a signal in Python: nothing is left to do, as its number has been written to the socket."""
