"""The entry for library and command line: a scan of a file or of sentences, here, in processes or on a cluster."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from explorer.scanning.flags import WORKERS
from explorer.scanning.plan import ScanPlan
from explorer.scanning.pressed import Check, noted
from explorer.scanning.rows import rows_of
from explorer.scanning.run import Told, scan_file, scan_rows, silent
from explorer.scanning.workers import Measure, here, in_processes
from explorer.state.wish import Wish
from explorer.trace.measures.scan_table import ScanTable


def scanned(
    wish: Wish,
    source: str | Path | Iterable[str],
    measures: Iterable[str],
    out: str | Path | None,
    column: str,
    best: int,
    workers: int,
    ray: str | None,
    resume: bool,
    told: Told = silent,
) -> ScanTable:
    """The table of a scan, as `explorer.scan` has it. Raises ExplorerError."""
    plan = ScanPlan(wish=wish, measures=tuple(measures), best=best)
    rows = rows_of(source if isinstance(source, str | Path) else tuple(source), column)
    with noted() as check:
        measure = _measure(int(WORKERS.check(workers)), ray, check)

        def tell(share: float, n_rows: int) -> None:
            check()
            told(share, n_rows)

        if out is None:
            return scan_rows(plan, rows, measure, tell)
        return scan_file(plan, rows, Path(out), resume=resume, measure=measure, told=tell)


def _measure(workers: int, ray: str | None, check: Check) -> Measure:
    if ray is not None:
        from explorer.scanning.workers import on_cluster

        return on_cluster(ray, workers)
    return partial(here, check=check) if workers == 1 else in_processes(workers)
