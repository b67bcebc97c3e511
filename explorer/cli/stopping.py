"""Stopping a long command between two steps, so that it leaves everything in order."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event
from types import FrameType

from explorer.stops import ending_signals

_NICE = 10  # gives way to what a person does, and still goes on beside other work


@contextmanager
def stopping(*, attached: bool = False) -> Iterator[Event]:
    """An Event that is set when somebody presses Ctrl+C or the system ends the program. A second time it ends at once.

    An `attached` command belongs to a program that started it: it gives way to all others, and the Event is also set when its
    standard input closes, as it does when that program wants it or is gone.
    """
    stopped = Event()

    def stop(number: int, _frame: FrameType | None) -> None:
        if stopped.is_set():
            signal.signal(number, before[number])
            signal.raise_signal(number)
        stopped.set()

    before = {number: signal.signal(number, stop) for number in map(int, ending_signals())}
    if attached:
        _give_way()
        threading.Thread(target=_await_end, args=(stopped,), name="standard input", daemon=True).start()
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _give_way() -> None:
    """Let other programs come first. On Windows whoever starts this process has said so."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(_NICE)


def _await_end(stopped: Event) -> None:
    """Wait until the standard input closes. Python's own reader would hold a lock that the interpreter needs at its end."""
    with suppress(OSError, ValueError):
        while os.read(sys.stdin.fileno(), 1):
            pass
    stopped.set()
