"""A whole scan as its caller sees it: portions are measured, merged in their order, and stored one by one."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from explorer.errors import NoSentences, NothingMeasured, UnfinishedScan
from explorer.files import cannot_write
from explorer.scanning.likeness import Likeness
from explorer.scanning.plan import ScanPlan
from explorer.scanning.progress_file import progress_path, read_progress, write_progress
from explorer.scanning.rows import SentenceRows, Start
from explorer.scanning.table_file import check_suffix, write_table
from explorer.scanning.workers import Measure, here
from explorer.trace.measures.scan_sums import ScanPart
from explorer.trace.measures.scan_table import ScanTable

Told = Callable[[float, int], None]
"""Called after each portion with the share of all sentences that have been read, and the number of rows."""


def silent(_share: float, _n_rows: int) -> None:
    """Report nothing."""


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
