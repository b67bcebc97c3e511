"""What was kept of one tap's array: all of it, levels of it, close-ups of single heads, or only its shape.

The arrays of a long text do not all fit into memory (see `engine.recording.keep_plan`), and a large map is drawn from its
levels. Code that draws or writes a map asks its KeptMap what was kept.
"""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.config import MASK_VALUES
from explorer.trace.arrays import Array
from explorer.trace.levels import Closed, Levels, levels
from explorer.trace.stages import stage_of

MASKED_STAGES = ("masked", "weights", "dropped")
"""The attention taps after the mask, whose maps have closed cells."""


_NO_CLOSE_UPS: Mapping[int, Levels] = MappingProxyType({})


def _fixed(close_ups: Mapping[int, Levels]) -> Mapping[int, Levels]:
    return close_ups if isinstance(close_ups, MappingProxyType) else MappingProxyType(dict(close_ups))


def closed_cells(masked: NDArray[np.floating]) -> NDArray[np.bool_]:
    """[…, query, key] True where a mask has closed the cell: its score is then one of the two values that masks write."""
    infinite, finite = MASK_VALUES.values()
    closed: NDArray[np.bool_] = (masked == infinite) | (masked == finite)
    return closed


@attrs.frozen(kw_only=True, eq=False)
class KeptMap:
    """An array of a `shape`, [head, row, column] or [row, column], as far as it was kept.

    `array` is the whole array, read-only; None if a long text left no room for it. `levels` are the levels of all heads
    together, made from cells or from blocks of cells; None if nobody has asked for them or the array is small. `close_ups`
    has all cells of single heads, by head.

    `mask` says in levels which cells are closed. If it is None and the array is kept, `masked` says it: the masked scores of
    one head [query, key], because all heads of an attention share one mask, or those of all heads [head, query, key] where
    changes may have closed or opened cells of some heads. If both are None, no cell is closed.
    """

    tap: str
    shape: tuple[int, ...]
    array: Array | None = None
    levels: Levels | None = None
    close_ups: Mapping[int, Levels] = attrs.field(converter=_fixed, default=_NO_CLOSE_UPS)
    mask: Levels | None = None
    masked: Array | None = None

    @property
    def has_heads(self) -> bool:
        """Whether the shape is [head, row, column]."""
        return len(self.shape) == 3

    def head(self, head: int) -> Array | None:
        """[row, column] the cells of one head, which must exist; None if they were not kept."""
        if head in self.close_ups:
            return self.close_ups[head].arrays[0]
        return None if self.array is None else self.array[head]

    def painted(self, head: int) -> Levels | None:
        """The levels from which one head, or an array without heads, is painted; None if there are none."""
        if head in self.close_ups:
            return self.close_ups[head]
        if self.levels is None or not self.has_heads:
            return self.levels
        return self.levels.of(head) if self.levels.whole else None

    @property
    def extremes(self) -> Array | None:
        """Values among which are the least and the greatest that were kept, in no order; None if nothing was kept."""
        if self.levels is not None:
            return self.levels.arrays[-1]
        if self.array is not None:
            return self.array
        close = [each.arrays[-1].ravel() for each in self.close_ups.values()]
        return np.concatenate(close) if close else None

    # A Look at another head of 500 tokens asks up to ten times, and each answer takes 14 ms: it reads the maps of all heads.
    @cached_property
    def closed(self) -> Closed | None:
        """[query, key] True where a mask has closed the cell in all heads; None if all cells are open."""
        return self.mask.arrays[0] if self.mask is not None else self._closed(slice(None))

    def closed_in(self, head: int) -> Closed | None:
        """[query, key] True where the cell is closed in this head; None if all cells are open."""
        differ = self.mask is None and self.masked is not None and self.masked.ndim == len(self.shape)
        return self._closed(slice(head, head + 1)) if differ else self.closed

    def _closed(self, heads: slice) -> Closed | None:
        if self.masked is None or self.array is None:
            return None
        closed: Closed = closed_cells(self.masked)
        if closed.ndim == self.array.ndim:
            closed = np.logical_and.reduce(closed[heads])
        # A row in which the mask has closed every cell still has weights, 1/n or NaN; they are shown.
        if not self.tap.endswith(".masked"):
            closed &= (self.array[heads] == 0).all(axis=0)
        return closed if closed.any() else None

    def levels_of(self, values: Array, block: int = 1) -> Levels:
        """Levels of this map from [..., row, column] cells, or from blocks of `block` × `block` cells, with its mask."""
        return levels(
            values, self.mask, signed=stage_of(self.tap).range == "signed", block=block, shape=(self.shape[-2], self.shape[-1])
        )

    def with_levels(self) -> "KeptMap":
        """The same KeptMap with levels of its array, which must have been kept."""
        assert self.array is not None
        return attrs.evolve(self, levels=self.levels_of(self.array))

    def with_close_ups(self, close_ups: Mapping[int, Levels]) -> "KeptMap":
        """The same KeptMap with further close-ups of single heads."""
        return attrs.evolve(self, close_ups={**self.close_ups, **close_ups})
