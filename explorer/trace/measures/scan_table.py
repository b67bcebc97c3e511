"""What a scan found: a row for each head and measure, with its sums over all sentences and its best sentences."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import numpy as np

from explorer.errors import UnknownMeasure
from explorer.trace.measures.scan_sums import Counts, MeasureSums, ScanPart, Values
from explorer.trace.printed import printed
from explorer.trace.tabular import Columns, Tables, Tabular, listed

_OF_HEAD = ("attention", "layer", "head", "measure")
_MOST_LINES = 8  # measures that the short form names


@attrs.frozen
class Found:
    """One of the best sentences of a head: its value, its number in the file from 0, and its text."""

    value: float
    row: int
    text: str


@attrs.frozen(kw_only=True, eq=False)
class HeadRow:
    """One measure of one head over all sentences that count; `mean` and `deviation` are NaN where there are none.

    `histogram` [bin] counts sentences by value, from 0 to `scan_sums.UPPER` or 1.
    """

    attention: str
    layer: int
    head: int
    measure: str
    count: int
    total: float
    squares: float
    mean: float
    deviation: float
    histogram: Counts
    best: tuple[Found, ...]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ScanTable(Tabular):
    """The answer to a scan. `about` has the plan, and what was read; `part` has the sums.

    table.rows("entropy") are HeadRows, the highest mean first; table.mean("decoder.cross_attn", "entropy") is [layer, head].
    """

    about: Mapping[str, Any]
    part: ScanPart

    def tables(self) -> Tables:
        """`heads`: a row for each head and metric; `best`: a row for each of its best sentences."""
        return {"heads": self._heads, "best": self._best}

    def _heads(self) -> Columns:
        return listed(self.rows(), *_OF_HEAD, "count", "mean", "deviation", "total", "squares")

    def _best(self) -> Columns:
        rows = [(row, rank, each) for row in self.rows() for rank, each in enumerate(row.best, 1)]
        of_head = {name: [getattr(row, name) for row, _rank, _each in rows] for name in _OF_HEAD}
        found = listed([each for _row, _rank, each in rows], "value", "row", "text")
        return {**of_head, "rank": [rank for _row, rank, _each in rows], **found}

    @property
    def n_rows(self) -> int:
        """How many sentences were read."""
        return self.part.n_rows

    @property
    def n_measured(self) -> int:
        """How many of them were measured."""
        return self.part.n_rows - sum(self.part.left_out.values())

    @property
    def left_out(self) -> Mapping[str, int]:
        """How many were not, by the key of the error that says why."""
        return self.part.left_out

    @property
    def measures(self) -> tuple[str, ...]:
        """Those that mean something for the model."""
        return tuple(dict.fromkeys(measure for _attention, measure in self.part.sums))

    def __repr__(self) -> str:
        """What was read, and the highest head of each measure, in at most ten lines."""
        begin = f"<ScanTable {self.about.get('preset', '')}: {self.n_measured:,} of {self.n_rows:,} sentences"
        lines = [self._highest(measure) for measure in self.measures]
        more = [f"  … {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
        return printed("\n".join([begin, *lines[:_MOST_LINES], *more]) + ">")

    def _highest(self, measure: str) -> str:
        top = self.rows(measure)[0]
        return (
            f"  {measure:12} highest: {top.attention} layer {top.layer} head {top.head}, {top.mean:.3f} ± {top.deviation:.3f}"
        )

    def sums(self, attention: str, measure: str) -> MeasureSums:
        """The sums of all heads of an attention. Raises UnknownMeasure for one that was not scanned."""
        found = self.part.sums.get((attention, measure))
        if found is None:
            known = ", ".join(" ".join(key) for key in self.part.sums)
            raise UnknownMeasure(name=f"{attention} {measure}", choices=known)
        return found

    def mean(self, attention: str, measure: str) -> Values:
        """[layer, head] the mean over all sentences; NaN where it meant nothing in any. Raises UnknownMeasure."""
        return self.sums(attention, measure).mean

    def rows(self, measure: str = "") -> list[HeadRow]:
        """The rows of one measure, the highest mean first; all rows in the order of the model without one."""
        found = [row for key in self.part.sums if measure in ("", key[1]) for row in self._of(*key)]
        return sorted(found, key=lambda row: -np.nan_to_num(row.mean, nan=-np.inf)) if measure else found

    def _of(self, attention: str, measure: str) -> Iterator[HeadRow]:
        sums = self.part.sums[attention, measure]
        mean, deviation = sums.mean, sums.deviation
        for layer, head in np.ndindex(sums.count.shape):
            at = layer, head
            best = [
                Found(value, row, self.part.texts[row])
                for value, row in zip(sums.best[at].tolist(), sums.rows[at].tolist(), strict=True)
                if row >= 0
            ]
            yield HeadRow(
                attention=attention,
                layer=layer,
                head=head,
                measure=measure,
                count=int(sums.count[at]),
                total=float(sums.total[at]),
                squares=float(sums.squares[at]),
                mean=float(mean[at]),
                deviation=float(deviation[at]),
                histogram=sums.histogram[at],
                best=tuple(best),
            )
