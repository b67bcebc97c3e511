"""What stays in memory, in a fresh process: with the first picture, and behind a thousand edits."""

import json
import subprocess
import sys
from collections.abc import Iterator

from tests.bench.bench import Bench, Task
from tests.bench.row import Row
from tests.bench.start_rows import opening_ms

_ROWS = {
    "first": ("resident memory with the first picture", "nothing", "plain", 420.0),
    "edited": ("resident memory behind 1,000 edits", "that with the first hundred", "more", 20.0),
}


def tasks() -> list[Task]:
    """Both are read off the same process."""
    return [Task(tuple(f"{what} / {beside}" for what, beside, *_ in _ROWS.values()), _memory)]


def _memory(_bench: Bench) -> Iterator[Row]:
    opening_ms()  # The first start of all writes the file of jieba's words, for which it has half a million in memory.
    out = subprocess.run([sys.executable, "-m", "tests.bench.resident"], stdout=subprocess.PIPE, check=True, timeout=600).stdout
    first_mb, begun_mb, edited_mb = json.loads(out)
    (what, beside, _measured, goal), edited = _ROWS["first"], _ROWS["edited"]
    yield Row(what=what, beside=beside, ours=first_mb, theirs=None, figure=first_mb, goal=goal, measured="plain", unit="MB")
    yield Row(
        what=edited[0],
        beside=edited[1],
        ours=edited_mb,
        theirs=begun_mb,
        figure=edited_mb - begun_mb,
        goal=edited[3],
        measured="more",
        unit="MB",
    )
