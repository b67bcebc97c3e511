"""A metric of one's own after ablations and patches, over one prompt or many, with its mean and confidence interval.

The interval is the normal approximation at 95 %: the mean ± 1.96 · s/√n over the n prompts that have the number, where s is
their standard deviation (with n − 1). It is NaN for fewer than two prompts.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.measures.scan_sums import ScanPart, best_texts, summed
from explorer.trace.measures.scan_table import ScanTable
from explorer.trace.printed import printed
from explorer.trace.tabular import Columns, Tables, Tabular, as_html, cells

_Z = 1.96  # the normal distribution's 97.5 % quantile
EFFECT = "effect"
"""The measure of a table of a scan that holds effects on a metric."""
_SHOWN = 6  # parts that the short form names


@attrs.frozen(eq=False)
class Spread:
    """The mean over prompts, both ends of its 95 % interval (normal approximation), and how many prompts count."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n: NDArray[np.int64]


def spread_of(values: NDArray[Any]) -> Spread:
    """The Spread of values [prompt, …]; prompts where a number is NaN do not count there."""
    there = ~np.isnan(values)
    n = there.sum(axis=0)
    long = np.where(there, values, 0.0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # x̄ = Σ x / n
        mean = long.sum(axis=0) / n
        # s² = Σ (x − x̄)² / (n − 1)
        squares = np.where(there, (long - mean) ** 2, 0.0).sum(axis=0)
        deviation = np.sqrt(np.where(n > 1, squares / (n - 1), np.nan))
        # x̄ ± 1.96 · s/√n
        half = _Z * deviation / np.sqrt(n)
    return Spread(mean, mean - half, mean + half, n)


@attrs.frozen(eq=False)
class MetricMap:
    """What a metric comes to for each part of one kind: `values` [prompt, …], along the `axes` behind the prompt.

    An axis has the names of what stands along it, or None for numbers from 0.
    """

    values: Array
    axes: Mapping[str, Sequence[str] | None]

    @property
    def spread(self) -> Spread:
        """[…] the mean over prompts with its 95 % interval."""
        return spread_of(self.values)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OverPrompts(Tabular):
    """A metric over `prompts`: `plain` [prompt] in the passes as they are, and a MetricMap by kind of part.

    Each kind is a table with a row for each prompt and part; "mean KIND" has a row for each part, with mean and interval.
    """

    prompts: tuple[str, ...]
    plain: Array
    maps: Mapping[str, MetricMap]
    preset: str = ""

    column = "value"
    """What the values of its maps are called in tables."""

    def __getitem__(self, kind: str) -> Array:
        """[prompt, …] the values of a kind. Raises KeyError."""
        return self.maps[kind].values

    def spread(self, kind: str = "") -> Spread:
        """[…] mean and 95 % interval over prompts, of the first kind without a name. Raises KeyError."""
        return self.maps[kind or next(iter(self.maps))].spread

    def tables(self) -> Tables:
        """A table of each kind, and one of its mean over prompts."""
        made: dict[str, Any] = {kind: partial(self._rows, kind) for kind in self.maps}
        return made | {f"mean {kind}": partial(self._means, kind) for kind in self.maps}

    def shown(self, kind: str) -> NDArray[Any]:
        """[prompt, …] what a table of a kind shows."""
        return self.maps[kind].values

    def _rows(self, kind: str) -> Columns:
        found = self.maps[kind]
        values = {self.column: self.shown(kind)} | ({} if self.shown(kind) is found.values else {"metric": found.values})
        told = dict(cells(values, prompt=None, **found.axes))
        prompts = told.pop("prompt")
        return {"prompt": prompts, "text": [self.prompts[each] for each in prompts], **told}

    def _means(self, kind: str) -> Columns:
        found = spread_of(self.shown(kind))
        values = {"mean": found.mean, "low": found.low, "high": found.high, "n": found.n}
        return cells(values, **self.maps[kind].axes)

    def _largest(self, kind: str, most: int) -> Columns:
        """The rows of a kind's means, the largest magnitudes first."""
        told = self._means(kind)
        order = np.argsort(-np.nan_to_num(np.abs(np.asarray(told["mean"]))), kind="stable")[:most]
        return {name: [column[each] for each in order] for name, column in told.items()}

    def __repr__(self) -> str:
        """The parts of the first kind with the largest mean, in at most eight lines."""
        kind = next(iter(self.maps))
        sizes = ", ".join(f"{axis} {size}" for axis, size in zip(self._axes(kind), self[kind].shape, strict=True))
        lines = [f"<{type(self).__name__} of {len(self.prompts)} prompts, {kind} [{sizes}]: mean and 95 % interval (normal)"]
        told = self._largest(kind, _SHOWN)
        for n in range(len(told["mean"])):
            place = " ".join(f"{name} {told[name][n]}" for name in self.maps[kind].axes)
            lines.append(f"  {place}: {told['mean'][n]:+.4g} ({told['low'][n]:+.3g} to {told['high'][n]:+.3g})")
        return printed("\n".join(lines)) + ">"

    def _axes(self, kind: str) -> tuple[str, ...]:
        return ("prompt", *self.maps[kind].axes)

    def _repr_html_(self) -> str:
        """The largest means of the first kind, as a table."""
        return as_html(self._largest(next(iter(self.maps)), 2**31))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MetricEffects(OverPrompts):
    """What ablating each part adds to a metric: metric(without the part) − metric(as it is).

    `effects["heads"]` is [prompt, attention, layer, head], `["layers"]` [prompt, attention, layer] all heads of an attention
    together, `["feed_forwards"]` [prompt, side, layer]. `plain` [prompt] is the metric as it is.
    """

    column = "effect"

    def scan_table(self, best: int = 10) -> ScanTable:
        """The effects of all heads summed over the prompts, with the `best` prompts of each head, as of a scan."""
        heads, rows = self.maps["heads"], np.arange(len(self.prompts))
        sums = {}
        for first, attention in enumerate(heads.axes["attention"] or ()):
            found = summed(heads.values[:, first].astype(np.float64), rows, EFFECT, best)
            # A histogram of a scan begins at 0, and effects have both signs.
            sums[attention, EFFECT] = attrs.evolve(found, histogram=np.zeros_like(found.histogram))
        about = {"preset": self.preset, "sentences": len(rows), "measures": [EFFECT], "best": best}
        return ScanTable(
            about=about, part=ScanPart(n_rows=len(rows), sums=sums, texts=best_texts(sums, dict(enumerate(self.prompts))))
        )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MetricPatching(OverPrompts):
    """A metric after patches of each prompt's pass with numbers of another one's, which `others` [prompt] are.

    `plain` and `other` [prompt] are the metric of both passes as they are. The values of a kind such as "decoder head" are the
    metric, [prompt, tap, head, position]; `recovered(kind)` is (metric − plain) / (other − plain): 0 where a patch changes
    nothing, 1 where it brings the other pass's metric.
    """

    others: tuple[str, ...]
    other: Array

    column = "recovered"

    def recovered(self, kind: str = "") -> NDArray[np.float64]:
        """[prompt, …] the share of the way from the prompt's metric to the other's; NaN where both are the same."""
        values = self.maps[kind or next(iter(self.maps))].values.astype(np.float64)
        way = (self.other.astype(np.float64) - self.plain).reshape(-1, *[1] * (values.ndim - 1))
        made: NDArray[np.float64] = (values - self.plain.reshape(way.shape)) / np.where(way == 0, np.nan, way)
        return made

    def shown(self, kind: str) -> NDArray[Any]:
        """[prompt, …] what is recovered."""
        return self.recovered(kind)

    def spread(self, kind: str = "") -> Spread:
        """[…] mean and 95 % interval over prompts of what is recovered."""
        return spread_of(self.recovered(kind))


def stacked_rows(rows: Sequence[NDArray[Any]]) -> Array:
    """[prompt, …] one array of arrays that may differ in size along each axis; NaN where one is shorter."""
    shape = tuple(max(sizes) for sizes in zip(*(row.shape for row in rows), strict=True))
    made = np.full((len(rows), *shape), np.nan, np.float32)
    for place, row in zip(made, rows, strict=True):
        place[tuple(map(slice, row.shape))] = row
    made.setflags(write=False)
    return made
