"""Sums over many sentences that merge: of each head a count, a sum, a sum of squares, a histogram, and the best sentences.

Letters: v[s,l,h] is one measure of head h of layer l in sentence s. The sums of two sets of sentences, merged, are those of
both sets together. The sentences come in numbered portions of fixed size, which are merged in their order: then each number is
rounded in the same way however many processes made the portions, and wherever the work was taken up again.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import UnknownMeasure
from explorer.trace.choices import HEAD_MEASURES

Values = NDArray[np.float64]
Counts = NDArray[np.int64]
Heads = Mapping[tuple[str, str], "MeasureSums"]

SCAN_MEASURES = (*HEAD_MEASURES, "alignment", "probability")
"""What is measured of each sentence: what heads do, and how likely its words are to the model (`WHOLE`)."""
WHOLE = "output"
"""Stands in the place of an attention for a measure of the whole sentence, which has one layer with one head."""
N_BINS = 64
UPPER: Mapping[str, float] = MappingProxyType({"entropy": 8.0, "distance": 64.0})
"""Where the histogram of a measure ends, if not at 1; it begins at 0. Its last bin counts what lies above, too."""


def checked_measures(names: Iterable[str]) -> tuple[str, ...]:
    """The names of measures, each once; "previous-token" is another spelling of "previous". Raises UnknownMeasure."""
    found = tuple(dict.fromkeys(name.removesuffix("-token") for name in names))
    for name in found:
        if name not in SCAN_MEASURES:
            raise UnknownMeasure(name=name, choices=", ".join(SCAN_MEASURES))
    return found


@attrs.frozen(kw_only=True, eq=False)
class MeasureSums:
    """One measure of all heads of one attention, summed over sentences; a sentence whose value is NaN does not count.

    `count`, `total` and `squares` are [layer, head], `histogram` is [layer, head, bin]. `best` [layer, head, place] are the
    highest values in falling order and `rows` [layer, head, place] the numbers of their sentences; of equal values the
    earlier sentence comes first. Places that no sentence has taken are −∞ with row −1.
    """

    count: Counts
    total: Values
    squares: Values
    histogram: Counts
    best: Values
    rows: Counts

    @property
    def mean(self) -> Values:
        """[layer, head] the mean over the sentences that count; NaN where there are none."""
        # mean = Σ v / n
        return self._shared(self.total)

    @property
    def deviation(self) -> Values:
        """[layer, head] the standard deviation over the sentences that count; NaN where there are none."""
        # sd = √(Σ v² / n − mean²); rounding must not make it the root of a negative number.
        result: Values = np.sqrt(np.maximum(self._shared(self.squares) - self.mean**2, 0.0))
        return result

    def _shared(self, total: Values) -> Values:
        """[layer, head] a sum by the number of sentences."""
        result: Values = np.divide(total, self.count, out=np.full(total.shape, np.nan), where=self.count > 0)
        return result

    def merged(self, later: "MeasureSums") -> "MeasureSums":
        """The sums of these sentences and of later ones."""
        best, rows = _best(np.concatenate([self.best, later.best], 2), np.concatenate([self.rows, later.rows], 2))
        return MeasureSums(
            count=self.count + later.count,
            total=self.total + later.total,
            squares=self.squares + later.squares,
            histogram=self.histogram + later.histogram,
            best=best[..., : self.best.shape[2]],
            rows=rows[..., : self.best.shape[2]],
        )


def summed(values: Values, rows: Counts, measure: str, most: int) -> MeasureSums:
    """The sums of v [sentence, layer, head], with the `most` best sentences; `rows` [sentence] are the sentences' numbers."""
    counts = ~np.isnan(values)
    v = np.where(counts, values, 0.0)
    # [layer, head, place]: each head's values in a row, and as many empty places as may be lacking.
    placed = np.moveaxis(np.where(counts, values, -np.inf), 0, 2)
    placed = np.concatenate([placed, np.full((*placed.shape[:2], most), -np.inf)], axis=2)
    numbers = np.broadcast_to(np.concatenate([rows, np.full(most, -1)]), placed.shape)
    best, own = _best(placed, np.where(placed == -np.inf, -1, numbers))
    return MeasureSums(
        count=counts.sum(axis=0),
        total=v.sum(axis=0),
        squares=(v**2).sum(axis=0),
        histogram=_histogram(v, counts, UPPER.get(measure, 1.0)),
        best=best[..., :most],
        rows=own[..., :most],
    )


def _histogram(v: Values, counts: NDArray[np.bool_], upper: float) -> Counts:
    """[layer, head, bin] how many sentences have a value in each bin."""
    # bin[s,l,h] = ⌊v[s,l,h] · bins / upper⌋, at most the last one
    bins = np.clip((v * (N_BINS / upper)).astype(np.int64), 0, N_BINS - 1)
    n_layers, n_heads = v.shape[1:]
    places = bins + N_BINS * np.arange(n_layers * n_heads).reshape(n_layers, n_heads)
    found = np.bincount(places[counts], minlength=n_layers * n_heads * N_BINS)
    return found.reshape(n_layers, n_heads, N_BINS)


def _best(values: Values, rows: Counts) -> tuple[Values, Counts]:
    """Both in falling order of the values [layer, head, place]; of equal values the one with the lower row comes first."""
    order = np.lexsort((rows, -values), axis=2)
    return np.take_along_axis(values, order, 2), np.take_along_axis(rows, order, 2)


@attrs.frozen(kw_only=True, eq=False)
class ScanPart:
    """What was found in some portions: sums by attention and measure, and the sentences among the best ones by number.

    `n_rows` counts all sentences that were read, `left_out` those that could not be measured, by the error's key.
    """

    n_rows: int = 0
    left_out: Mapping[str, int] = attrs.field(factory=dict)
    sums: Heads = attrs.field(factory=dict)
    texts: Mapping[int, str] = attrs.field(factory=dict)

    def merged(self, later: "ScanPart") -> "ScanPart":
        """What was found in these portions and in later ones; sentences that are among the best no more are forgotten."""
        sums = dict(self.sums)
        for key, found in later.sums.items():
            sums[key] = sums[key].merged(found) if key in sums else found
        left_out = {key: self.left_out.get(key, 0) + later.left_out.get(key, 0) for key in {**self.left_out, **later.left_out}}
        texts = best_texts(sums, {**self.texts, **later.texts})
        return ScanPart(n_rows=self.n_rows + later.n_rows, left_out=left_out, sums=sums, texts=texts)


def best_texts(sums: Heads, texts: Mapping[int, str]) -> dict[int, str]:
    """The texts of the sentences that are among the best of any head, by number."""
    wanted: set[int] = set()
    for each in sums.values():
        wanted.update(np.unique(each.rows).tolist())
    return {row: texts[row] for row in sorted(wanted) if row >= 0}
