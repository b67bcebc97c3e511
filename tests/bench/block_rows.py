"""How long the GUI thread is ever deaf, in fresh processes: while the program is used, and while torch is imported."""

import json
import subprocess
import sys
import time

import numpy as np

from tests.bench.bench import Bench, Task
from tests.bench.floor import longest_pause_ms
from tests.bench.row import Row, measured
from tests.bench.start_rows import openings

_USE = "longest block of the GUI thread: keys, sliders, a model built, files written"
_MOST = "blocks of the GUI thread: 99.9 % of all beats, in the same run"
_READ = (
    "longest of each in ms (99.9 %; the thread's own work at most: for the rest of a block others had the core, or the lock)"
)
_FLOOR = (
    "the floor is the longest pause in as many seconds of processes that do nothing but look at the clock, one on each core: a "
    "turn that meets such a pause lasts that much longer than its own work"
)
_IMPORT = "longest block of the GUI thread while torch is imported"


def tasks() -> list[Task]:
    """The second is read off the starts."""
    return [Task("blocks", (_USE, _MOST), _use), Task("blocks", (_IMPORT,), _import)]


def _use(bench: Bench) -> list[Row]:
    """A process in which nobody else has imported what the first export needs."""
    command = [sys.executable, "-m", "tests.bench.using", str(bench.folder / "heads")]
    began_s = time.perf_counter()
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=300).stdout
    pause_ms = longest_pause_ms(time.perf_counter() - began_s)
    found: dict[str, dict[str, list[float]]] = json.loads(out)
    every, own = (np.concatenate([each[which] for each in found.values()]) for which in ("pauses", "own"))
    each = ", ".join(
        f"{name} {max(of['pauses']):.3g} ({np.quantile(of['pauses'], 0.999):.3g}; {max(of['own']):.3g})"
        for name, of in found.items()
    )
    return [
        measured(
            _USE,
            float(every.max()),
            16.0,
            floor=pause_ms,
            spread=f"own work {own.max():.3g}",
            note=f"{_READ}: {each}; {_FLOOR}",
        ),
        measured(_MOST, float(np.quantile(every, 0.999)), 10.0, spread=f"of {len(every)} beats", note="of the same run"),
    ]


def _import(bench: Bench) -> list[Row]:
    blocks = [opening.block_ms for opening in openings(bench)]
    return [
        measured(
            _IMPORT,
            max(blocks),
            200.0,
            spread=f"{min(blocks):.3g} … {max(blocks):.3g} of {len(blocks)} starts",
            note="from the first painted window until torch, jieba and the engine are loaded",
        )
    ]
