"""Start, in fresh processes by turns with the import of torch: the empty window, the recorded pass and the first answer."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator

from tests.bench.bench import Bench, Task
from tests.bench.row import Row, times
from tests.bench.timing import Pair, Sample

_TORCH = 'python -c "import torch"'
_MOMENTS = {
    "empty": ("start → empty window", 0.4),
    "recorded": ("start → first full picture, a recorded pass", 0.6),
    "live": ("start → live", 1.4),
}
_ROUNDS = 4  # and one that is not counted: it fills the caches of files


def tasks() -> list[Task]:
    """All are read off the same starts."""
    return [Task(tuple(f"{what} / {_TORCH}" for what, _goal in _MOMENTS.values()), _starts)]


def _starts(_bench: Bench) -> Iterator[Row]:
    rounds = [(_torch_ms(), opening_ms()) for _ in range(_ROUNDS + 1)][1:]
    torch = Sample(tuple(torch_ms for torch_ms, _ours in rounds))
    for moment, (what, goal) in _MOMENTS.items():
        yield times(what, _TORCH, Pair(Sample(tuple(ours[moment] for _torch, ours in rounds)), torch), goal)


def opening_ms() -> dict[str, float]:
    """Each moment of one start, in ms from when the process was asked for."""
    command = [sys.executable, "-m", "tests.bench.opening", repr(time.time())]
    found: dict[str, float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120).stdout)
    return found


def _torch_ms() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-W", "ignore", "-c", "import torch"], check=True, timeout=120)
    return (time.perf_counter() - start) * 1e3
