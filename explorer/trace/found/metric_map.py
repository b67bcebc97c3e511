"""Numbers of many prompts for each part of a model, with their mean and confidence interval.

The interval is the normal approximation at 95 %: the mean ± 1.96 · s/√n over the n prompts that have the number, where s is
their standard deviation (with n − 1). It is NaN for fewer than two prompts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array

_Z = 1.96  # the normal distribution's 97.5 % quantile


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


def joined_maps(maps: Sequence[MetricMap]) -> MetricMap:
    """One map of the prompts of several maps, one after the other; NaN where a prompt has no such place."""
    if len({each.values.shape[1:] for each in maps}) == 1:
        values = np.concatenate([each.values for each in maps])
        values.setflags(write=False)
        return MetricMap(values, maps[0].axes)
    longest = max(maps, key=lambda each: each.values.size // max(1, len(each.values)))
    return MetricMap(stacked_rows([row for each in maps for row in each.values]), longest.axes)


def stacked_rows(rows: Sequence[NDArray[Any]]) -> Array:
    """[prompt, …] one array of arrays that may differ in size along each axis; NaN where one is shorter."""
    shape = tuple(max(sizes) for sizes in zip(*(row.shape for row in rows), strict=True))
    made = np.full((len(rows), *shape), np.nan, np.float32)
    for place, row in zip(made, rows, strict=True):
        place[tuple(map(slice, row.shape))] = row
    made.setflags(write=False)
    return made
