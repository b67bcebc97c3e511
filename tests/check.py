"""What runs before a commit, and what CI runs: the same steps, in one place.

    python -m tests.check                     style, types, import contracts, and the tests that are not slow
    python -m tests.check --all               the tests of every room, page and journey: what `python -m pytest` runs
    python -m tests.check --all --coverage    these with coverage and its limits, and then the exhaustive ones

It stops at the first step that fails, and its status is that step's.

Decision: CI measures coverage and sweeps over all sizes, languages, models and families, and the line of the README does not:
to count every line and branch takes two thirds as long again as the tests themselves, and the sweeps as long as all else.
Rejected: to measure the quick tests alone; training, the command line and the models of others are run by slow ones. To
count in the sweeps too: they go through the same lines in other cases, and every room meets its limit without them.
"""

import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
Command = tuple[str, ...]
Run = Callable[[Command], int]

STYLE: tuple[Command, ...] = (("ruff", "format", "--check", "-q"), ("ruff", "check", "-q"), ("mypy",), ("lint-imports",))
# As many processes as cores; beyond four the memory of so many torches costs more than it brings.
PYTEST: Command = ("python", "-m", "pytest", "-q", "-n", "logical", "--maxprocesses", "4")
FAST: tuple[Command, ...] = (*STYLE, (*PYTEST, "-m", "not slow and not exhaustive"))
ALL: tuple[Command, ...] = (*STYLE, PYTEST)
COUNTED: Command = ("--cov", "--cov-report=")
EXHAUSTIVE: Command = (*PYTEST, "-m", "exhaustive")
COVERAGE: tuple[Command, ...] = (*STYLE, (*PYTEST, *COUNTED), ("python", "-m", "tests.coverage_limits"), EXHAUSTIVE)
WAYS = {(): FAST, ("--all",): ALL, ("--all", "--coverage"): COVERAGE}
"""The steps by the arguments that ask for them."""


def run(command: Command) -> int:
    """Run one step with this Python's own programs, and give its status."""
    name, *rest = command
    suffix = ".exe" if sys.platform == "win32" else ""
    program = sys.executable if name == "python" else str(Path(sysconfig.get_path("scripts")) / f"{name}{suffix}")
    return subprocess.run([program, *rest], cwd=ROOT, check=False).returncode


def check(steps: Sequence[Command], run: Run = run) -> int:
    """Take the steps until one fails. Says what each was, how long it took, and how it ended."""
    for step in steps:
        begin_s = time.monotonic()
        status = run(step)
        print(f"{'ok' if status == 0 else 'FAILED'}  {' '.join(step)}  {time.monotonic() - begin_s:.0f} s", flush=True)
        if status:
            return status
    return 0


def main(arguments: Sequence[str]) -> int:
    """Status 2 for arguments that nobody knows."""
    steps = WAYS.get(tuple(arguments))
    if steps is None:
        print(__doc__, file=sys.stderr)
        return 2
    return check(steps)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
