"""A whole scan: it measures portions of a file or a list here, in processes or on a cluster, and merges and stores them in
order.
"""

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

from explorer.errors import NoSentences, NothingMeasured, UnfinishedScan
from explorer.files import cannot_write
from explorer.scanning.flags import WORKERS
from explorer.scanning.likeness import Likeness
from explorer.scanning.plan import ScanPlan
from explorer.scanning.pressed import Check, noted
from explorer.scanning.progress_file import progress_path, read_progress, write_progress
from explorer.scanning.rows import SentenceRows, Start, rows_of
from explorer.scanning.table_file import check_suffix, write_table
from explorer.scanning.workers import Measure, here, in_processes, on_cluster
from explorer.state.wish import Wish
from explorer.trace.measures.scan_sums import ScanPart
from explorer.trace.measures.scan_table import ScanTable

Told = Callable[[float, int], None]
"""Called after each portion with the share of all sentences that have been read, and the number of rows."""


def silent(_share: float, _n_rows: int) -> None:
    """Report nothing."""


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
        return on_cluster(ray, workers)
    return partial(here, check=check) if workers == 1 else in_processes(workers)


def scan_rows(plan: ScanPlan, rows: SentenceRows, measure: Measure = here, told: Told = silent) -> ScanTable:
    """The table of sentences in memory. Raises NoSentences, NothingMeasured, and what opening the model raises."""
    return _table(plan, rows, _measured(plan, rows, measure, Start(), ScanPart(), lambda _start, _part: None, told))


def scan_file(
    plan: ScanPlan, rows: SentenceRows, out: Path, *, resume: bool = False, measure: Measure = here, told: Told = silent
) -> ScanTable:
    """Scan, and write the table to `out`; a file beside it holds the progress until the scan is done.

    With `resume` a begun scan continues. Raises UnfinishedScan if one was begun and `resume` is False, OtherScan if it had
    another plan, OtherScanFile, OtherScanWeights if file or weights have changed since, NoSentences, NothingMeasured,
    UnknownFormat, CannotWrite, and whatever opening the model raises.
    """
    check_suffix(out)
    path, about = progress_path(out), {**plan.about(), **rows.about()}
    if path.exists() and not resume:
        raise UnfinishedScan(path=str(path))
    start, part, began = Start(), ScanPart(), None
    if path.exists():
        began, start, part = read_progress(path, about)
    like = Likeness.of(plan.wish, rows.path)
    if began is not None:
        like.check(began, path, rows.path)
    if part.n_rows:
        told(0.0, part.n_rows)

    def keep(start: Start, part: ScanPart) -> None:
        write_progress(path, about, like, start, part)

    table = _table(plan, rows, _measured(plan, rows, measure, start, part, keep, told))
    write_table(out, table)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    return table


def _measured(
    plan: ScanPlan,
    rows: SentenceRows,
    measure: Measure,
    start: Start,
    part: ScanPart,
    keep: Callable[[Start, ScanPart], None],
    told: Told,
) -> ScanPart:
    chunks = rows.chunks(start, plan.chunk_rows)
    with closing(measure(plan, rows, chunks)) as found:
        for chunk, own in found:
            part = part.merged(own)
            keep(Start.after(chunk), part)
            told(rows.share(chunk), part.n_rows)
    return part


def _table(plan: ScanPlan, rows: SentenceRows, part: ScanPart) -> ScanTable:
    about = {**plan.about(), **rows.about()}
    if part.n_rows and part.n_rows == sum(part.left_out.values()):
        raise NothingMeasured(count=part.n_rows, why=max(part.left_out, key=lambda each: part.left_out[each]))
    if not part.n_rows:
        raise NoSentences(path=str(about.get("file", "")))
    return ScanTable(about=about, part=part)
