"""What stays in memory after hours of use: many edits and many new models, against after the first hundred of each."""

import gc
import sys

import psutil

from tests.bench.bench import Bench, Task
from tests.bench.probe import SIXTEEN, Driven, answered
from tests.bench.row import Row, measured

_NAME = "resident memory after all edits and rebuilds, beyond that after the first"
_FIRST = 100
_TOLD = 1000  # every how many edits the progress is told


def tasks() -> list[Task]:
    """Takes minutes, so it has to be asked for."""
    return [Task("memory", (_NAME,), _memory, asked=True)]


def _memory(bench: Bench) -> list[Row]:
    first_edits, first_rebuilds = min(_FIRST, bench.edits // 10), min(_FIRST, bench.rebuilds // 10)
    with Driven(SIXTEEN, "tiny") as driven:
        _edit(driven, first_edits)
        _rebuild(driven, first_rebuilds)
        before_mb = _resident_mb()
        _edit(driven, bench.edits - first_edits)
        edited_mb = _resident_mb()
        _rebuild(driven, bench.rebuilds - first_rebuilds)
        after_mb = _resident_mb()
    note = (
        f"preset tiny, {before_mb:.0f} MB after {first_edits} key events and {first_rebuilds} steps of the seed's slider, "
        f"{edited_mb:.0f} MB after {bench.edits} key events, {after_mb:.0f} MB after {bench.rebuilds} steps"
    )
    return [measured(_NAME, after_mb - before_mb, 20.0, unit="MB", note=note)]


def _edit(driven: Driven, n: int) -> None:
    """Characters that were not typed before, each taken back again; every answer is painted."""
    for turn in range(n):
        driven.painted_ms(driven.take_back if turn % 2 else driven.type_next)
        if turn % _TOLD == _TOLD - 1:
            print(f"memory: {turn + 1} edits, {_resident_mb():.0f} MB", file=sys.stderr)


def _rebuild(driven: Driven, n: int) -> None:
    for _ in range(n):
        driven.slide("seed")
        driven.wait(lambda: answered(driven.program))
    driven.wait(driven.settled)


def _resident_mb() -> float:
    gc.collect()
    return float(psutil.Process().memory_info().rss / 2**20)
