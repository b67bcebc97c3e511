"""Stopping a long command between two steps, so that it leaves everything in order."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from explorer.stops import ending_signals


@contextmanager
def stopping() -> Iterator[Event]:
    """An Event that is set when somebody presses Ctrl+C or the system ends the program. A second time it ends at once."""
    stopped = Event()

    def stop(number: int, _frame: FrameType | None) -> None:
        if stopped.is_set():
            signal.signal(number, before[number])
            signal.raise_signal(number)
        stopped.set()

    before = {number: signal.signal(number, stop) for number in map(int, ending_signals())}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
