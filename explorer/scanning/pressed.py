"""Ctrl+C while sentences are measured. It counts once it was pressed, whatever becomes of the exception at that moment.

Python raises KeyboardInterrupt wherever it is. Where that is a call that cannot hand it on (a weak reference's, a finalizer's,
or a library's that goes on after any error), it is written to stderr at most and the scan goes on. So it is noted as well, and
raised again where the work can end.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Check = Callable[[], None]
"""Raises KeyboardInterrupt if Ctrl+C was pressed."""


def unasked() -> None:
    """Nobody has pressed anything."""


@contextmanager
def noted() -> Iterator[Check]:
    """Note Ctrl+C within the block. Where it has a meaning of somebody else's, or none, that stays."""
    own_thread = threading.current_thread() is threading.main_thread()
    if not own_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield unasked
        return
    was_pressed = False

    def press(_number: int, _frame: FrameType | None) -> None:
        nonlocal was_pressed
        was_pressed = True
        raise KeyboardInterrupt

    def check() -> None:
        if was_pressed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, press)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
