"""`python -m explorer` and the command `transformer-explorer`."""

import io
import sys


def main() -> None:
    """Run the command line and leave with its status."""
    from explorer.cli import main as run

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # there is none behind a window on Windows
            stream.reconfigure(errors="backslashreplace")  # a console without Chinese shows codes instead of breaking
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # a line that is no text gets a sentence of its own
    sys.exit(run())


if __name__ == "__main__":
    main()
