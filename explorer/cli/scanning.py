"""The command scan: metrics of every head over many sentences, as a table for other programs and the window."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from explorer.cli.completing import measures_completed, presets_completed
from explorer.cli.flags import checked_flag, knob_flags
from explorer.cli.passes import turned_knobs
from explorer.cli.spoken import SpokenCommand
from explorer.config import KNOBS
from explorer.lang import Words
from explorer.presets import DEFAULT
from explorer.progress_line import ProgressLine
from explorer.scanning.flags import BEST, WORKERS

if TYPE_CHECKING:
    from explorer.trace.measures.scan_table import ScanTable


@click.command(cls=SpokenCommand)
@click.argument("file")
@click.option("--measure", "measures", multiple=True, required=True, metavar="NAMES", shell_complete=measures_completed)
@click.option("--out", required=True, metavar="PATH")
@click.option("--column", default="", metavar="NAME")
@checked_flag(BEST, "best", BEST.default, metavar="NUMBER")
@checked_flag(WORKERS, "workers", WORKERS.default, metavar="NUMBER")
@click.option("--resume", is_flag=True)
@click.option("--ray", metavar="ADDRESS")
@click.option("--preset", default=DEFAULT, show_default=True, metavar="NAME", shell_complete=presets_completed)
@click.option("--adapter", default="", metavar="FOLDER")
@knob_flags(KNOBS)
@click.pass_obj
def scan(words: Words, /, file: str, measures: tuple[str, ...], out: str, column: str, **given: Any) -> int:
    """Measure every head on each sentence of FILE, and write sums, histograms and the best sentences to a table."""
    from explorer.engine.request import Request
    from explorer.scanning.progress_file import progress_path
    from explorer.scanning.run import scanned

    wish = Request.from_preset(given["preset"], "", **turned_knobs(given)).wishing(adapter=given["adapter"]).wish
    names = [name.strip() for each in measures for name in each.split(",")]
    line, progress = ProgressLine(), _Progress(words)
    try:
        table = scanned(
            wish,
            file,
            names,
            out,
            column,
            given["best"],
            given["workers"],
            given["ray"],
            given["resume"],
            lambda share, n: line.show(progress(share, n)),
        )
    except KeyboardInterrupt:
        line.end()
        if progress_path(Path(out)).exists():
            click.echo(words("scan.stopped", path=progress_path(Path(out))), err=True)
        return 130
    line.end()
    for told in _lines(table, out, words):
        click.echo(told)
    return 0


@attrs.define
class _Progress:
    """The progress of a scan in words: share, sentences, sentences a second."""

    words: Words
    _begun: tuple[float, int] | None = None  # when the first portion was done, and how many sentences there were by then

    def __call__(self, share: float, n_rows: int) -> str:
        """The present line of progress."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = now, n_rows
        seconds, own = now - self._begun[0], n_rows - self._begun[1]
        return self.words("scan.progress", share=f"{share:.1%}", count=f"{n_rows:,}", speed=f"{own / max(seconds, 1e-3):.0f}")


def _lines(table: "ScanTable", out: str, words: Words) -> list[str]:
    """The number of measured sentences, and the highest head of each metric."""
    found = [words("scan.done", count=f"{table.n_measured:,}", path=out)]
    for key, count in table.left_out.items():
        found.append(words("scan.left_out", count=f"{count:,}", reason=words.kind_of_error(key)))
    for measure in table.measures:
        top = table.rows(measure)[0]
        if top.count:
            place = "" if measure == "probability" else f"{top.attention} L{top.layer} H{top.head}"
            found.append(f"{words(f'heads.measure.{measure}'):24} {top.mean:8.3f} ± {top.deviation:.3f}  {place}".rstrip())
    return found
