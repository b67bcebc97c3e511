"""`python -m explorer` and the command `transformer-explorer`."""

import sys


def main() -> None:
    """Run the command line and leave with its status."""
    from explorer.cli import main as run

    sys.exit(run())


if __name__ == "__main__":
    main()
