"""Large maps in little room: the maximum of each block of cells, so that one bright cell never vanishes.

Of a signed map a block shows its value that is farthest from zero, sign and all; of two that are equally far the positive
one. Closed cells do not count; a block is closed where all its cells are, and then -inf stands in a signed map. Of an
unsigned map they need not be left out: a closed cell is 0 there, which is never more than an open one. A cell that is no
number makes its block one. `pooled` has this rule for arrays, `engine.recording.pooling` for tensors.
"""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Closed = NDArray[np.bool_]
Block = int | tuple[int, int]
"""Rows and columns of a block in cells, each a power of two; one number where it is a square."""

_SMALL = 32  # cells on a side: no picture asks for less


@attrs.frozen(eq=False)
class Levels:
    """A large [..., row, column] map and what a screen can show of it.

    `arrays[0]` holds blocks of `block` × `block` cells of a map of `shape` (rows, columns), block 1 being the cells
    themselves; each further one has blocks twice as wide and high. `closed` goes with them, [row, column].
    """

    arrays: tuple[Array, ...]
    closed: tuple[Closed, ...] | None
    block: int
    shape: tuple[int, int]

    @property
    def whole(self) -> bool:
        """Whether the cells themselves are there."""
        return self.block == 1

    def of(self, head: int) -> "Levels":
        """One of several maps."""
        return Levels(tuple(array[head] for array in self.arrays), self.closed, self.block, self.shape)


def levels(
    array: Array, closed: "Levels | None" = None, *, signed: bool, block: int = 1, shape: tuple[int, int] = (0, 0)
) -> Levels:
    """All levels above a map (or above blocks of one), down to a size that any screen has room for.

    `closed` are those of its mask, from `closed_levels`.
    """
    arrays = [_frozen(array)]
    shut = None if closed is None else closed.arrays[block.bit_length() - 1 :]
    while max(arrays[-1].shape[-2:]) > _SMALL:
        below = None if shut is None else shut[len(arrays) - 1]
        arrays.append(_frozen(pooled(arrays[-1], 2, signed=signed, closed=below)))
    return Levels(tuple(arrays), shut, block, shape if any(shape) else array.shape[-2:])


def closed_levels(closed: Closed) -> Levels:
    """[query, key] a mask, and which blocks are closed altogether."""
    arrays = [_frozen(closed)]
    while max(arrays[-1].shape) > _SMALL:
        arrays.append(_frozen(all_closed(arrays[-1], 2)))
    return Levels(tuple(arrays), None, 1, closed.shape)


def pooled(values: Array, block: Block, *, signed: bool, closed: Closed | None = None) -> Array:
    """[..., row, column] to [..., row, column] of blocks, by the rule above. The last blocks of a map that `block` does not
    divide are smaller. `closed` is [row, column].
    """
    if not signed:
        return _reduced(np.maximum, values, block)
    never = np.float32(np.inf)
    high = _reduced(np.maximum, values if closed is None else np.where(closed, -never, values), block)
    low = _reduced(np.minimum, values if closed is None else np.where(closed, never, values), block)
    result: Array = np.where(high >= -low, high, low)
    return result


def all_closed(closed: Closed, block: Block) -> Closed:
    """[row, column] blocks whose cells are all closed."""
    return _reduced(np.logical_and, closed, block)


def _reduced(operation: np.ufunc, values: Array, block: Block) -> Array:
    """By halves: a maximum of two long rows takes a twentieth of the time of one over short runs."""
    down, across = block if isinstance(block, tuple) else (block, block)
    while down > 1:
        rows = values.shape[-2] // 2 * 2
        halved = operation(values[..., 0:rows:2, :], values[..., 1:rows:2, :])
        values = np.concatenate([halved, values[..., rows:, :]], axis=-2)
        down //= 2
    while across > 1:
        columns = values.shape[-1] // 2 * 2
        halved = operation(values[..., 0:columns:2], values[..., 1:columns:2])
        values = np.concatenate([halved, values[..., columns:]], axis=-1)
        across //= 2
    return values


def blocks(n: int, size: int) -> Iterator[tuple[int, int]]:
    """First and last + 1 of each block of at most `size` of n."""
    for first in range(0, n, size):
        yield first, min(n, first + size)


def _frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array
