"""Levels: a large map in few cells. Each cell of a level is the maximum of a block, so that one bright cell never vanishes.

In a signed map, a block shows its value that is farthest from zero, with its sign; if two are equally far, the positive one.
Closed cells do not count. A block whose cells are all closed is closed itself, and shows -inf in a signed map. In an unsigned
map closed cells need no care: they are 0, and no open cell is less. A NaN in any cell makes its block NaN. `pooled` follows
these rules for arrays, `engine.recording.pooling_recorder` for tensors.
"""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Closed = NDArray[np.bool_]
Block = int | tuple[int, int]
"""Rows and columns of a block, in cells, each a power of two; one number stands for a square."""

_SMALL = 32  # No picture asks for a level with fewer cells on a side.


@attrs.frozen(eq=False)
class Levels:
    """A large [..., row, column] map in levels that a screen has room for.

    `arrays[0]` has blocks of `block` × `block` cells of a map of `shape` (rows, columns); block 1 means the cells themselves.
    Each further array has blocks twice as wide and high. `closed` has a [row, column] array of closed blocks for each of them.
    """

    arrays: tuple[Array, ...]
    closed: tuple[Closed, ...] | None
    block: int
    shape: tuple[int, int]

    @property
    def whole(self) -> bool:
        """Whether the first level has the cells themselves."""
        return self.block == 1

    def of(self, head: int) -> "Levels":
        """The levels of one head's map."""
        return Levels(tuple(array[head] for array in self.arrays), self.closed, self.block, self.shape)


def levels(
    array: Array, closed: "Levels | None" = None, *, signed: bool, block: int = 1, shape: tuple[int, int] = (0, 0)
) -> Levels:
    """All levels of a map (or of its blocks), down to a size that any screen has room for.

    `closed` are the levels of its mask, from `closed_levels`.
    """
    arrays = [_frozen(array)]
    shut = None if closed is None else closed.arrays[block.bit_length() - 1 :]
    while max(arrays[-1].shape[-2:]) > _SMALL:
        below = None if shut is None else shut[len(arrays) - 1]
        arrays.append(_frozen(pooled(arrays[-1], 2, signed=signed, closed=below)))
    return Levels(tuple(arrays), shut, block, shape if any(shape) else array.shape[-2:])


def closed_levels(closed: Closed) -> Levels:
    """The levels of a mask [query, key]: which cells are closed, and which blocks have only closed cells."""
    arrays = [_frozen(closed)]
    while max(arrays[-1].shape) > _SMALL:
        arrays.append(_frozen(all_closed(arrays[-1], 2)))
    return Levels(tuple(arrays), None, 1, closed.shape)


def pooled(values: Array, block: Block, *, signed: bool, closed: Closed | None = None) -> Array:
    """[..., row, column] cells to [..., row, column] blocks, by the rules above; `closed` is [row, column].

    If `block` does not divide the map, the last blocks are smaller.
    """
    if not signed:
        return _reduced(np.maximum, values, block)
    never = np.float32(np.inf)
    high = _reduced(np.maximum, values if closed is None else np.where(closed, -never, values), block)
    low = _reduced(np.minimum, values if closed is None else np.where(closed, never, values), block)
    result: Array = np.where(high >= -low, high, low)
    return result


def all_closed(closed: Closed, block: Block) -> Closed:
    """[row, column] True for blocks whose cells are all closed."""
    return _reduced(np.logical_and, closed, block)


def _reduced(operation: np.ufunc, values: Array, block: Block) -> Array:
    """Each block reduced to one cell, by halves: the maximum of two long rows takes a twentieth of the time of a maximum
    over many short runs.
    """
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
    """The first index and the last index + 1 of each block when n things are divided into blocks of `size`."""
    for first in range(0, n, size):
        yield first, min(n, first + size)


def _frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array
