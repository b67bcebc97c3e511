"""How long the GUI thread is ever deaf, in a fresh process, beside a process that does nothing but look at the clock."""

import json
import subprocess
import sys
from collections.abc import Iterator

from tests.bench.bench import Bench, Task
from tests.bench.row import Row

_BESIDE = "a process that only looks at the clock"
_GOALS = {"keys": 30.0, "a slider": 30.0, "a dropped file": 30.0, "an export": 30.0, "another theme": 100.0, "F5": 100.0}
_WHAT = "longest block of the GUI thread: {}"


def tasks() -> list[Task]:
    """All are read off one process."""
    return [Task(tuple(f"{_WHAT.format(name)} / {_BESIDE}" for name in _GOALS), _blocks)]


def _blocks(bench: Bench) -> Iterator[Row]:
    """`using` gives the longest block of each activity, and the longest pause of the watching process meanwhile."""
    command = [sys.executable, "-m", "tests.bench.using", str(bench.folder / "heads")]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=300).stdout
    found: dict[str, dict[str, float]] = json.loads(out)
    for name, goal in _GOALS.items():
        ours, theirs, own = (found[name][which] for which in ("block", "pause", "own"))
        yield Row(
            what=_WHAT.format(name),
            beside=_BESIDE,
            ours=ours,
            theirs=theirs,
            figure=ours - theirs,
            goal=goal,
            measured="more",
            spread=f"own work of a turn at most {own:.3g} ms",
        )
