"""What was kept of one tap's array: all of it, levels of it, close-ups of single heads, or only its shape.

Of a long text there is no room for everything (see `engine.recording.keep_plan`), and of a large map a screen wants levels
beside the cells. Whoever draws or writes one asks its KeptMap what there is.
"""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

import attrs
import numpy as np

from explorer.trace.arrays import Array
from explorer.trace.levels import Closed, Levels, levels
from explorer.trace.measures import closed_cells
from explorer.trace.stages import stage_of

MASKED_STAGES = ("masked", "weights", "dropped")
"""The attention taps after the mask, in which cells are closed."""


_NO_CLOSE_UPS: Mapping[int, Levels] = MappingProxyType({})


def _fixed(close_ups: Mapping[int, Levels]) -> Mapping[int, Levels]:
    return close_ups if isinstance(close_ups, MappingProxyType) else MappingProxyType(dict(close_ups))


@attrs.frozen(kw_only=True, eq=False)
class KeptMap:
    """An array of a `shape`, [head, row, column] or [row, column], as far as it was kept.

    `array` is the array itself, read-only; None where a long text left no room for it. `levels` are those of all heads
    together, of the cells or of blocks of them; None where nobody has asked for them or the array is small. `close_ups` are
    all cells of single heads, by head.

    `mask` tells in levels which cells are closed. Where it is None and the array is there, `masked` does: [query, key] the
    masked scores of one head, since all heads of an attention have one mask, or [head, query, key] those of all heads, where
    changes may have closed or opened cells of some. None as well: no cell is closed.
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
        """Whether it is [head, row, column]."""
        return len(self.shape) == 3

    def head(self, head: int) -> Array | None:
        """[row, column] of one head, in the shape's range; None where its cells were not kept."""
        if head in self.close_ups:
            return self.close_ups[head].arrays[0]
        return None if self.array is None else self.array[head]

    def painted(self, head: int) -> Levels | None:
        """The levels that have the cells of one head, or of an array without heads; None where there are none."""
        if head in self.close_ups:
            return self.close_ups[head]
        if self.levels is None or not self.has_heads:
            return self.levels
        return self.levels.of(head) if self.levels.whole else None

    @property
    def extremes(self) -> Array | None:
        """Values among which are the least and the greatest of all that was kept, in no order; None where nothing was."""
        if self.levels is not None:
            return self.levels.arrays[-1]
        if self.array is not None:
            return self.array
        close = [each.arrays[-1].ravel() for each in self.close_ups.values()]
        return np.concatenate(close) if close else None

    @cached_property
    def closed(self) -> Closed | None:
        """[query, key] the cells that a mask has closed, in all heads where they differ; None where all are open."""
        return self.mask.arrays[0] if self.mask is not None else self._closed(slice(None))

    def closed_in(self, head: int) -> Closed | None:
        """[query, key] the cells that are closed in one head; None where all are open."""
        differ = self.mask is None and self.masked is not None and self.masked.ndim == len(self.shape)
        return self._closed(slice(head, head + 1)) if differ else self.closed

    def _closed(self, heads: slice) -> Closed | None:
        if self.masked is None or self.array is None:
            return None
        closed: Closed = closed_cells(self.masked)
        if closed.ndim == self.array.ndim:
            closed = np.logical_and.reduce(closed[heads])
        if not self.tap.endswith(".masked"):  # a row that the mask leaves nothing has weights all the same: 1/n, or NaN
            closed &= (self.array[heads] == 0).all(axis=0)
        return closed if closed.any() else None

    def levels_of(self, values: Array, block: int = 1) -> Levels:
        """Levels of [..., row, column] cells of this map, or of blocks of `block` × `block` of them, and of its mask."""
        return levels(
            values, self.mask, signed=stage_of(self.tap).range == "signed", block=block, shape=(self.shape[-2], self.shape[-1])
        )

    def with_levels(self) -> "KeptMap":
        """The same with levels of its array, which must be there."""
        assert self.array is not None  # for the type checker
        return attrs.evolve(self, levels=self.levels_of(self.array))

    def with_close_ups(self, close_ups: Mapping[int, Levels]) -> "KeptMap":
        """The same with these close-ups of single heads beside those that it has."""
        return attrs.evolve(self, close_ups={**self.close_ups, **close_ups})
