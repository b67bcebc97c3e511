"""Start, in fresh processes: the empty window, the recorded pass and the first answer, beside the import of torch."""

import os
import subprocess
import sys
import time

import attrs

from tests.bench.bench import Bench, Task
from tests.bench.row import Row, compared, measured
from tests.bench.timing import Pair, Sample

_EMPTY = 'start: empty window / python -c "import torch"'
_RECORDED = 'start: first full picture, recorded / python -c "import torch"'
_FULL = "start: first full picture, beyond the import of torch and jieba"
_ROUNDS = 6  # the first is not counted: it fills the caches of files


@attrs.frozen
class Opening:
    """One start, and what Python needs for the imports alone, in ms from when the process was asked for."""

    empty_ms: float
    recorded_ms: float
    full_ms: float
    block_ms: float
    torch_ms: float
    imports_ms: float


def tasks() -> list[Task]:
    """All are read off the same starts."""
    return [Task("start", (_EMPTY, _RECORDED, _FULL), _starts)]


def openings(bench: Bench) -> list[Opening]:
    """Starts of the program, each beside the imports alone; measured once for all rows."""
    if not bench.openings:
        bench.openings.extend([_opening() for _ in range(_ROUNDS)][1:])
    return bench.openings


def _opening() -> Opening:
    torch_ms = _run_ms("import torch")
    began_s = time.time()
    out = subprocess.run(
        [sys.executable, "-m", "tests.bench.opening", repr(began_s)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
        env=dict(os.environ),
    ).stdout
    empty_ms, recorded_ms, full_ms, block_ms = (float(value) for value in out.split())
    return Opening(empty_ms, recorded_ms, full_ms, block_ms, torch_ms, _run_ms("import torch, jieba"))


def _run_ms(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)
    return (time.perf_counter() - start) * 1e3


def _starts(bench: Bench) -> list[Row]:
    found = openings(bench)
    empty = Pair(Sample(tuple(each.empty_ms for each in found)), Sample(tuple(each.torch_ms for each in found)))
    recorded = Pair(Sample(tuple(each.recorded_ms for each in found)), Sample(tuple(each.torch_ms for each in found)))
    beyond = Sample(tuple(each.full_ms - each.imports_ms for each in found))
    full = Sample(tuple(each.full_ms for each in found)).median
    return [
        compared(_EMPTY, empty, 0.4, note="from when the process was asked for"),
        compared(_RECORDED, recorded, 0.6, note="the bundled pass, or the last one"),
        measured(
            _FULL,
            beyond.median,
            700.0,
            spread=f"{beyond.spread} of {len(found)} starts",
            note=f"the picture is there after {full:.0f} ms, the translator's; the imports alone take "
            f"{full - beyond.median:.0f} ms",
        ),
    ]
