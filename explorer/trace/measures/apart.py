"""How far an array B is from an array A of the same shape, in float64. The arrays come in blocks, so that both may be large.

    Δ = B − A,   ‖Δ‖ = √Σ Δ²  (Frobenius),   relative error = ‖Δ‖ / ‖A‖

A place is beyond a tolerance t where |Δ| > t · max(1, |A|). Two equal infinities do not differ, and neither do two NaNs; a
number beside an infinity or a NaN is beyond any tolerance.
"""

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.stops import Stop, stop_at

TOLERANCE = 1e-5
"""What the program itself demands of the same pass computed another way, in float32."""
_BLOCK = 2**20  # Numbers that are compared at once.


@attrs.frozen
class Apart:
    """How far B is from A.

    `largest` is max |B − A|, ∞ where one of them is no number and the other one is. `norm` is ‖B − A‖ and `of` is ‖A‖, over the
    places where both are finite. `beyond` counts the places beyond the tolerance, of all `size` places.
    """

    largest: float
    norm: float
    of: float
    beyond: int
    size: int

    @property
    def relative(self) -> float:
        """‖B − A‖ / ‖A‖; 0 where nothing differs, ∞ where A is zero and B is not."""
        return 0.0 if self.norm == 0 else self.norm / self.of if self.of else math.inf


class ApartSums:
    """Takes two arrays block by block; `found` is how far they are apart."""

    def __init__(self, tolerance: float = TOLERANCE) -> None:
        self._tolerance = tolerance
        self._largest, self._squares, self._of = 0.0, 0.0, 0.0
        self._beyond = self._size = 0

    def take(self, first: NDArray[Any], second: NDArray[Any]) -> None:
        """Take the same block of A and of B."""
        a, b = first.astype(np.float64).ravel(), second.astype(np.float64).ravel()
        finite = np.isfinite(a) & np.isfinite(b)
        self._size += a.size
        if not finite.all():
            odd = int((~finite & (a != b) & ~(np.isnan(a) & np.isnan(b))).sum())
            self._beyond += odd
            self._largest = math.inf if odd else self._largest
            a, b = a[finite], b[finite]
        away = np.abs(b - a)
        self._beyond += int((away > self._tolerance * np.maximum(1.0, np.abs(a))).sum())
        self._largest = max(self._largest, float(away.max(initial=0.0)))
        self._squares += float(away @ away)
        self._of += float(a @ a)

    @property
    def found(self) -> Apart:
        """How far the arrays are apart, as far as they were given."""
        return Apart(self._largest, math.sqrt(self._squares), math.sqrt(self._of), self._beyond, self._size)


def apart(first: NDArray[Any], second: NDArray[Any], tolerance: float = TOLERANCE, stop: Stop | None = None) -> Apart:
    """How far two arrays of one shape are apart. Raises Superseded as soon as `stop` says so."""
    sums, a, b = ApartSums(tolerance), first.ravel(), second.ravel()
    for start in range(0, a.size, _BLOCK):
        stop_at(stop)
        sums.take(a[start : start + _BLOCK], b[start : start + _BLOCK])
    return sums.found
