"""Figures of more numbers than shall be in memory at the same time: blocks of them come in two rounds."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.measures.measures import Summary

N_BINS = 40
_REACH = 5.0  # deviations on either side of the mean that a histogram shows


@attrs.frozen(eq=False)
class Histogram:
    """How many numbers lie between neighbouring `edges` [bin + 1], and how many below the first and above the last edge."""

    counts: NDArray[np.int64]
    edges: NDArray[np.float64]
    below: int
    above: int


class Streamed:
    """All blocks are given to `take` first, which makes the `summary`, and then to `count`, which makes the `histogram`."""

    def __init__(self) -> None:
        self._low, self._high, self._mean, self._squares = math.inf, -math.inf, 0.0, 0.0
        self._n, self._n_nan, self._n_all = 0, 0, 0
        self._counts: NDArray[np.int64] = np.zeros(N_BINS, np.int64)
        self._outside = [0, 0]

    def take(self, block: Array) -> None:
        """Take a block of the first round."""
        numbers = block.ravel()
        finite = numbers[np.isfinite(numbers)]
        self._n_all += numbers.size
        self._n_nan += int(np.isnan(numbers).sum()) if finite.size < numbers.size else 0
        if not finite.size:
            return
        self._low, self._high = min(self._low, float(finite.min())), max(self._high, float(finite.max()))
        mean = float(finite.mean(dtype=np.float64))
        apart = finite.astype(np.float64) - mean
        before, self._n = self._n, self._n + finite.size
        # Chan, Golub and LeVeque 1979: M = M_a + M_b + δ²·n_a·n_b / n, where M is Σ (x − mean)² and δ = mean_b − mean_a
        away = mean - self._mean
        self._squares += float(apart @ apart) + away * away * before * finite.size / self._n
        self._mean += away * finite.size / self._n

    def summary(self, shape: tuple[int, ...]) -> Summary:
        """The figures of all blocks, which are numbers of an array of this shape. The variance is divided by n."""
        n, n_all = self._n, max(self._n_all, 1)
        shares = self._n_nan / n_all, (self._n_all - n - self._n_nan) / n_all
        if not n:
            return Summary(shape, math.nan, math.nan, math.nan, math.nan, *shares)
        return Summary(shape, self._low, self._high, self._mean, math.sqrt(self._squares / n), *shares)

    def edges(self) -> NDArray[np.float64]:
        """[bin + 1] the edges of the bins: all numbers, unless some lie far from the rest."""
        if not self._n:
            return np.linspace(-1.0, 1.0, N_BINS + 1)
        reach = _REACH * math.sqrt(self._squares / self._n)
        low, high = max(self._low, self._mean - reach), min(self._high, self._mean + reach)
        if not high > low:  # All numbers are the same one.
            low, high = low - (abs(low) or 1.0) / 2, low + (abs(low) or 1.0) / 2
        return np.linspace(low, high, N_BINS + 1)

    def count(self, block: Array) -> None:
        """Take a block of the second round."""
        numbers, edges = block.ravel(), self.edges()
        # NumPy counts in bins of one width eight times as fast as between given edges.
        self._counts += np.histogram(numbers, N_BINS, (edges[0], edges[-1]))[0]
        self._outside[0] += int((numbers < edges[0]).sum())
        self._outside[1] += int((numbers > edges[-1]).sum())

    def histogram(self) -> Histogram:
        """How the numbers of all blocks are distributed."""
        return Histogram(self._counts, self.edges(), *self._outside)
