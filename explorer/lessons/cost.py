"""The cost of formulas. Each step of a formula is charged to a budget before it is computed.

An operation takes about a nanosecond. Decision: operations are counted from shapes and values, so that the same formula on the
same pass is always refused or always computed. Rejected: a clock, because it depends on what else the machine does and
reports only after the time has been spent.

The rates below were measured with NumPy 2.4 on an Intel Xeon with two cores, on a million cells of the usual size and of
the slowest kinds (subnormal, huge, NaN). Each rate lies between the two: formulas of lessons take less time than is counted,
and the slowest formulas found take 35 ms (exp of subnormal numbers takes 36 ns, counted as 10).
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

MOVE = 2.0  # copy, convert, compare, add or sum a cell: 0.3 to 2.8 ns
PRODUCT = 8.0  # multiply or divide two cells: 0.6 ns, or 20 ns if the result is subnormal
ROOT, POWER_OF_E, WAVE, POWER = 10.0, 10.0, 20.0, 80.0  # 1 to 38, 1 to 36, 12 to 49, 4 to 173 ns
GAPS = 6.0  # extra for each cell of an array that is not contiguous, such as a large T(x): 2 to 13 ns
REMAINDER = 400.0  # 450 ns for 1e300 % 3.7, 1,300 ns at most
ROW = 40.0  # begin another row or small matrix: 10 to 40 ns
MULTIPLY_ADD, SLOW_MULTIPLY_ADD = 0.1, 6.0  # in a matrix product: 0.06 ns, or 5.6 ns if products are subnormal
SLOW_CELL = 60.0  # extra for each cell of a product with subnormal numbers: 90 ns
_TINY = 1e-150  # products of numbers at least this large are never subnormal
NODE, CALL = 2_000.0, 20_000.0  # Python's own time for a node of a formula, and for a call


@attrs.frozen
class Cost:
    """`cells` of eight bytes, for a result and all intermediate arrays, and `operations` of about a nanosecond."""

    cells: float
    operations: float


@attrs.frozen
class Priced:
    """A function that formulas may call; `price` takes the same arguments and returns the cost of the call.

    `price` raises BadFormula for arguments that the function cannot take. `texts` is True where arguments may be texts,
    `empty` where the function has a value for arrays without cells; without it, such an array raises NotInSentence.
    """

    function: Callable[..., Any]
    price: Callable[..., Cost]
    texts: bool = False
    empty: bool = False


@attrs.frozen
class Later:
    """A value that is computed only when a formula names it."""

    make: Callable[[], Any]
    cost: Cost


class Budget:
    """The cells and operations that one formula has spent. Memory counts as freed only at the end."""

    def __init__(self, limit_ms: float = LIMIT_MS, limit_mb: float = LIMIT_MB) -> None:
        self._limit_ms, self._limit_mb = limit_ms, limit_mb
        self.operations = self.cells = 0.0

    def charge(self, cost: Cost) -> None:
        """Charge a cost before it is spent. Raises TakesTooMuch, TakesTooLong."""
        self.cells += cost.cells
        self.operations += cost.operations
        # `not ≤` instead of `>` refuses NaN too.
        if not self.cells * CELL_BYTES <= self._limit_mb * 1e6:
            raise TakesTooMuch(formula="", limit_mb=self._limit_mb)
        if not self.operations <= self._limit_ms * OPERATIONS_IN_MS:
            raise TakesTooLong(formula="", limit_ms=self._limit_ms)


def quoted(what: object) -> str:
    """A value as an error quotes it: at most 80 characters."""
    text = what if isinstance(what, str) else repr(what)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"


def refused(what: object) -> BadFormula:
    """The error for a part of a formula; `evaluate` adds the whole formula."""
    return BadFormula(formula="", reason=quoted(what))


def number(value: Any) -> float:
    """A value as a single number. Raises BadFormula for larger arrays, NotInSentence for empty ones."""
    if np.size(value) == 0:
        raise NotInSentence(formula="")
    if np.ndim(value) != 0:
        raise refused(f"{list(np.shape(value))} ≠ []")
    return float(value)


def whole(value: Any) -> int:
    """A value as a single whole number. Raises BadFormula, NotInSentence."""
    found = number(value)
    if not np.isfinite(found) or found != int(found):
        raise refused(f"{found:g}")
    return int(found)


def size(value: Any) -> int:
    """A value as a whole number of at least 0. Raises BadFormula, NotInSentence."""
    found = whole(value)
    if found < 0:
        raise refused(f"{found:g}")
    return found


def rows(x: Numbers) -> float:
    """The number of rows of an array."""
    return x.size / max(1, x.shape[-1]) if x.ndim else 1


def per_cell(operations: float, cells: float = 1.0, passes: int = 1) -> Callable[[Numbers], Cost]:
    """The price of a function of one array: costs for each cell, and `passes` over its rows."""
    return lambda x: Cost(cells * x.size, operations * x.size + passes * ROW * rows(x))


def product(*factors: Numbers, multiply_adds: float, cells: float) -> float:
    """The operations of a matrix product, which is a hundred times slower with subnormal numbers."""
    slow = any(is_tiny(factor) for factor in factors)
    rates = (SLOW_MULTIPLY_ADD, SLOW_CELL) if slow else (MULTIPLY_ADD, 2 * MOVE)
    return multiply_adds * rates[0] + cells * rates[1] + 2 * MOVE * sum(factor.size for factor in factors)


def is_tiny(x: Numbers) -> bool:
    """Whether products of the cells may be subnormal."""
    return bool(((x != 0) & (np.abs(x) < _TINY)).any())
