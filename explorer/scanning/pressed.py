"""Ctrl+C while sentences are measured. A press counts even if the exception that it raises is swallowed.

Python raises KeyboardInterrupt in whatever code runs. A weak reference's callback, a finalizer or a library that continues
after any error cannot pass it on, and the scan would continue. So the press is also stored, and raised again where the work can
end.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Check = Callable[[], None]
"""Raises KeyboardInterrupt if Ctrl+C was pressed."""


def unasked() -> None:
    """Do nothing: the default check."""


@contextmanager
def noted() -> Iterator[Check]:
    """Note Ctrl+C within the block. A handler that somebody else has set, or none, stays in place."""
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
