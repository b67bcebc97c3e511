"""A scan for the test that kills it: python -m tests.scanning.killed FILE PROCESSES OUT. It goes on where the last one ended.

With 0 processes no model measures, but fake numbers.
"""

import sys
from pathlib import Path

from explorer.engine.request import Request
from explorer.scanning.plan import ScanPlan
from explorer.scanning.rows import rows_of
from explorer.scanning.run import scan_file
from explorer.scanning.workers import in_processes
from explorer.trace.measures.scan_sums import SCAN_MEASURES
from tests.scanning.fakes import fake


def plan_for(processes: int) -> ScanPlan:
    """What is measured."""
    wish = Request.from_preset("translator", "").wish
    return ScanPlan(wish=wish, measures=SCAN_MEASURES, best=3, chunk_rows=8 if processes else 1)


if __name__ == "__main__":
    file, processes, out = sys.argv[1:]
    n = int(processes)
    scan_file(plan_for(n), rows_of(file), Path(out), resume=True, measure=in_processes(n) if n else fake)
