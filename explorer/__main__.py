"""`python -m explorer` and the commands `transformer-explorer` and `transformer-explorer-window`."""

import io
import os
import sys
from typing import TextIO

from explorer.cli.alert import is_unheard, report, tell


def main(*, windowed: bool = False) -> None:
    """Run the command line and leave with its status. `windowed`: started as the window's own command."""
    for stream in (sys.stdout, sys.stderr):
        _set_up(stream, errors="backslashreplace")  # a console without Chinese shows codes instead of breaking
    _set_up(sys.stdin, errors="surrogateescape")  # a line that is no text gets a sentence of its own
    unheard = is_unheard(windowed=windowed)
    try:
        from explorer.cli.main import main as run

        status = run(tell=tell if unheard else None)
    except Exception as error:
        if not unheard:
            raise
        report(error, sys.argv[1:])
        status = 1
    sys.exit(status)


def main_window() -> None:
    """The command `transformer-explorer-window`, for launchers: what goes wrong is told in a box."""
    main(windowed=True)


def _set_up(stream: TextIO | None, errors: str) -> None:
    """A terminal knows its own encoding; files and pipes hold UTF-8 on every system, Windows' code pages included, unless
    the user's environment names another encoding. Behind a window on Windows there are no streams at all."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty() or "PYTHONIOENCODING" in os.environ:
        stream.reconfigure(errors=errors)
    else:
        stream.reconfigure(encoding="utf-8", errors=errors)


if __name__ == "__main__":
    main()
