"""`python -m explorer` and the commands `transformer-explorer` and `transformer-explorer-window`."""

import gc
import io
import os
import sys
import threading
from typing import TextIO

from explorer.cli.alert import is_unheard, report, tell

_FRESH_OBJECTS = 20_000
"""The number of new objects that starts the garbage collector. With Python's 700 it takes a tenth of a short command's time."""
_ENGINE = "compute"  # The name that `engine.worker` gives to its threads.


def main(*, windowed: bool = False) -> None:
    """Run the command line and exit with its status. `windowed` is True for the window's own command."""
    gc.set_threshold(_FRESH_OBJECTS)
    for stream in (sys.stdout, sys.stderr):
        _set_up(stream, errors="backslashreplace")  # A console without Chinese shows codes.
    _set_up(sys.stdin, errors="surrogateescape")  # A line that is no text is reported by itself later.
    unheard = is_unheard(windowed=windowed)
    try:
        from explorer.cli.main import main as run

        status = run(tell=tell if unheard else None)
    except Exception as error:
        if not unheard:
            raise
        report(error, sys.argv[1:])
        status = 1
    gc.freeze()  # Ending the process needs no last search through torch's half a million objects, which takes 0.4 s.
    if any(thread.name == _ENGINE for thread in threading.enumerate()):
        _leave(status)
    sys.exit(status)


def _leave(status: int) -> None:
    """End the process although a compute thread hangs: Python's own shutdown would free what that thread still uses."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def main_window() -> None:
    """Run the command `transformer-explorer-window`, for launchers, which shows errors in a box."""
    main(windowed=True)


def _set_up(stream: TextIO | None, errors: str) -> None:
    """Set a stream's encoding: the terminal's own in a terminal, otherwise UTF-8, unless the environment names another.

    A window's process on Windows has no streams, and the stream is None.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty() or "PYTHONIOENCODING" in os.environ:
        stream.reconfigure(errors=errors)
    else:
        stream.reconfigure(encoding="utf-8", errors=errors)


if __name__ == "__main__":
    main()
