"""`python -m explorer` and the command `transformer-explorer`."""

import io
import os
import sys
from typing import TextIO


def main() -> None:
    """Run the command line and leave with its status."""
    from explorer.cli.main import main as run

    for stream in (sys.stdout, sys.stderr):
        _set_up(stream, errors="backslashreplace")  # a console without Chinese shows codes instead of breaking
    _set_up(sys.stdin, errors="surrogateescape")  # a line that is no text gets a sentence of its own
    sys.exit(run())


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
