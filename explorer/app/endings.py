"""Ctrl+C in a terminal and the system's wish to end: as if the user had closed the window, and with the status that says so.

Qt's loop runs no Python until something happens, so Python would notice a signal only with the next movement of the mouse.
It writes each signal's number to a socket at once, and Qt tells of that.
"""

import contextlib
import signal
import socket
import threading
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Endings(QObject):
    """came(number): on the GUI thread, for a signal that asks to end. `status` is what the process then ends with."""

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
        """Only the main thread may; another one leaves signals as they are."""
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.signal(each, _noted) for each in _SIGNALS}
            self._woken_before = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)

    def remove(self) -> None:
        """Everything as it was."""
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
            if number in _SIGNALS:
                self.status = 128 + number
                self.came.emit(number)


def _noted(_number: int, _frame: FrameType | None) -> None:
    """Python has written it to the socket already."""
