"""The program in use, in a fresh process.

It prints its resident memory (MB) with the first picture, after a hundred edits, and after a thousand more.

    python -m tests.bench.resident
"""

import gc
import json

import psutil

from tests.bench.probe import SIXTEEN, Driven
from tests.bench.without import leave_out

_FIRST, _EDITS = 100, 1000


def main() -> None:
    """Characters that were not typed before, each taken back again; every answer is painted."""
    leave_out()
    with Driven(SIXTEEN, "translator") as driven:
        found = [_resident_mb()]
        for n in (_FIRST, _EDITS):
            for turn in range(n):
                driven.painted_ms(driven.take_back if turn % 2 else driven.type_next)
            found.append(_resident_mb())
    print(json.dumps(found))


def _resident_mb() -> float:
    gc.collect()
    return float(psutil.Process().memory_info().rss / 2**20)


main()
