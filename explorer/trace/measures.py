"""Figures about recorded arrays, computed in float64."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.config import MASK_VALUES
from explorer.trace.arrays import Array


@attrs.frozen
class Summary:
    """min, max, mean and deviation of the finite values; shares of all values that are NaN and that are infinite.

    Where no value is finite, the first four are NaN.
    """

    shape: tuple[int, ...]
    low: float
    high: float
    mean: float
    deviation: float
    nan_share: float
    infinite_share: float


def summary(array: Array) -> Summary:
    """Describe one array. A deviation here is that of the whole population."""
    finite = array[np.isfinite(array)].astype(np.float64)
    nan = float(np.isnan(array).mean()) if array.size else 0.0
    infinite = float(np.isinf(array).mean()) if array.size else 0.0
    if not finite.size:
        return Summary(array.shape, math.nan, math.nan, math.nan, math.nan, nan, infinite)
    return Summary(
        array.shape, float(finite.min()), float(finite.max()), float(finite.mean()), float(finite.std()), nan, infinite
    )


def entropy_bits(weights: Array) -> NDArray[np.float64]:
    """[…] the entropy of each row of [..., key], in bits: 0 looks at one token, log2(n) at n alike. Shannon 1948."""
    p = weights.astype(np.float64)
    # H = -Σ p·log2(p), where 0·log2(0) is 0
    logs = np.log2(p, where=p > 0, out=np.zeros_like(p))
    result: NDArray[np.float64] = -(p * logs).sum(axis=-1)
    return result + 0.0  # no negative zero


def closed_cells(masked: NDArray[np.floating]) -> NDArray[np.bool_]:
    """[…, query, key] True where a mask has closed the cell: its score is one of the two values of a mask."""
    infinite, finite = MASK_VALUES.values()
    closed: NDArray[np.bool_] = (masked == infinite) | (masked == finite)
    return closed
