"""What a formula may cost, and how much of it is spent before each step of it is taken.

An operation is about a nanosecond. Decision: they are counted from shapes and values, so that the same formula on the same
pass is always refused or always computed. Rejected: a clock, which depends on what else the machine does, and which can
only tell when the time is gone.

The rates below were measured with NumPy 2.4 on an Intel Xeon with two cores, on a million cells of the usual size and of
the slowest ones (subnormal, huge, NaN). A rate lies between the two: formulas of lessons take less time than is counted,
and the worst that were found take 35 ms (exp of subnormal numbers: 36 ns counted as 10).
"""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from explorer.errors import BadFormula, NotInSentence, TakesTooLong, TakesTooMuch
from explorer.mathematics import Numbers

LIMIT_MS, LIMIT_MB = 10, 64
OPERATIONS_IN_MS = 1e6
CELL_BYTES = 8
_LONGEST_QUOTE = 80

MOVE = 2.0  # to copy or to convert a cell, to compare it, to add two or to sum it up: 0.3 to 2.8 ns
PRODUCT = 8.0  # of two cells, or their quotient: 0.6 ns, 20 ns where the result is subnormal
ROOT, POWER_OF_E, WAVE, POWER = 10.0, 10.0, 20.0, 80.0  # 1 to 38, 1 to 36, 12 to 49, 4 to 173 ns
GAPS = 6.0  # more for a cell that does not lie beside the one before it, as in a large T(x): 2 to 13 ns
REMAINDER = 400.0  # 450 ns for 1e300 % 3.7, 1,300 ns at most
ROW = 40.0  # to begin another row, or another small matrix: 10 to 40 ns
MULTIPLY_ADD, SLOW_MULTIPLY_ADD = 0.1, 6.0  # of a matrix product: 0.06 ns, 5.6 ns where products are subnormal
SLOW_CELL = 60.0  # more for each cell of such a product: 90 ns
_TINY = 1e-150  # products of cells that are not smaller are never subnormal
NODE, CALL = 2_000.0, 20_000.0  # Python's own time for a part of a formula, and for a call


@attrs.frozen
class Cost:
    """`cells` of eight bytes for a result and for all that is needed on the way, and operations."""

    cells: float
    operations: float


@attrs.frozen
class Priced:
    """A function that formulas may call; `price` takes the same arguments and tells what the call would cost.

    `price` raises BadFormula for arguments that the function is not made for. `texts`: arguments may be texts.
    `empty`: the function has a value for arrays without any cell; of others such an array is not asked.
    """

    function: Callable[..., Any]
    price: Callable[..., Cost]
    texts: bool = False
    empty: bool = False


@attrs.frozen
class Later:
    """A value that is made when a formula first names it."""

    make: Callable[[], Any]
    cost: Cost


class Budget:
    """What one formula may still spend. Bytes are counted as if none were given back before the end."""

    def __init__(self, limit_ms: float = LIMIT_MS, limit_mb: float = LIMIT_MB) -> None:
        self._limit_ms, self._limit_mb = limit_ms, limit_mb
        self.operations = self.cells = 0.0

    def charge(self, cost: Cost) -> None:
        """Take this much away, before it is spent. Raises TakesTooMuch, TakesTooLong."""
        self.cells += cost.cells
        self.operations += cost.operations
        # Written so that NaN is refused too.
        if not self.cells * CELL_BYTES <= self._limit_mb * 1e6:
            raise TakesTooMuch(formula="", limit_mb=self._limit_mb)
        if not self.operations <= self._limit_ms * OPERATIONS_IN_MS:
            raise TakesTooLong(formula="", limit_ms=self._limit_ms)


def quoted(what: object) -> str:
    """What somebody wrote, as far as a sentence has room for it."""
    text = what if isinstance(what, str) else repr(what)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"


def refused(what: object) -> BadFormula:
    """The error for a part of a formula; `evaluate` puts the whole of it in."""
    return BadFormula(formula="", reason=quoted(what))


def number(value: Any) -> float:
    """A single number. Raises BadFormula for arrays, NotInSentence where there is nothing."""
    if np.size(value) == 0:
        raise NotInSentence(formula="")
    if np.ndim(value) != 0:
        raise refused(f"{list(np.shape(value))} ≠ []")
    return float(value)


def whole(value: Any) -> int:
    """A single whole number. Raises BadFormula."""
    found = number(value)
    if not np.isfinite(found) or found != int(found):
        raise refused(f"{found:g}")
    return int(found)


def size(value: Any) -> int:
    """How many: a whole number that is not negative. Raises BadFormula."""
    found = whole(value)
    if found < 0:
        raise refused(f"{found:g}")
    return found


def rows(x: Numbers) -> float:
    """How many rows an array has."""
    return x.size / max(1, x.shape[-1]) if x.ndim else 1


def per_cell(operations: float, cells: float = 1.0, passes: int = 1) -> Callable[[Numbers], Cost]:
    """The price of a function of one array that does the same for each cell, and goes through the rows so many times."""
    return lambda x: Cost(cells * x.size, operations * x.size + passes * ROW * rows(x))


def product(*factors: Numbers, multiply_adds: float, cells: float) -> float:
    """The operations of a matrix product, which is a hundred times slower where numbers become too small."""
    slow = any(is_tiny(factor) for factor in factors)
    rates = (SLOW_MULTIPLY_ADD, SLOW_CELL) if slow else (MULTIPLY_ADD, 2 * MOVE)
    return multiply_adds * rates[0] + cells * rates[1] + 2 * MOVE * sum(factor.size for factor in factors)


def is_tiny(x: Numbers) -> bool:
    """Whether products of cells may be subnormal."""
    return bool(((x != 0) & (np.abs(x) < _TINY)).any())
