"""What a screen can show of a large map: the visible part of the level whose blocks are about as large as pixels.

A block shows the maximum of its cells, so a single bright cell is seen at any zoom. Zoomed in, each cell is drawn.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.scales import Scale, indices
from explorer.trace.levels import Array, Closed, Levels, all_closed, pooled

LARGE_CELLS = 2**19
"""The number of cells (more than a screen shows) above which a map is painted from levels."""


@attrs.frozen(eq=False)
class VisiblePart:
    """Colour indices [(head,) row, column] of the rectangle [left, right) × [top, bottom) of a map, in cells.

    Each index stands for `across` × `down` cells, or for fewer at the end of the map.
    """

    index: NDArray[np.uint8]
    left: int
    top: int
    right: int
    bottom: int
    across: int
    down: int


@attrs.frozen
class VisibleArea:
    """A rectangle of a map in cells, and its size on the screen (px)."""

    left: float
    top: float
    right: float
    bottom: float
    wide_px: float
    high_px: float


def part(levels: Levels, scale: Scale, view: VisibleArea) -> VisiblePart:
    """The visible part of a map, each colour at least one pixel large; blocks' maxima where cells outnumber pixels.

    Of [head, row, column] levels it is the same part of all heads.
    """
    across = max(1.0, (view.right - view.left) / max(view.wide_px, 1.0))  # cells per pixel
    down = max(1.0, (view.bottom - view.top) / max(view.high_px, 1.0))
    place = math.ceil(math.log2(min(across, down) / levels.block)) if min(across, down) > levels.block else 0
    place = min(place, len(levels.arrays) - 1)
    size = levels.block * 2**place
    rows, columns = levels.arrays[place].shape[-2:]
    # One direction may be zoomed out further than the other. Its blocks are pooled again, aligned with the whole map.
    more = 2 ** max(0, math.ceil(math.log2(max(across, down) / size)))
    first_row, last_row = _span(view.top, view.bottom, size, rows, more)
    first_column, last_column = _span(view.left, view.right, size, columns, more)
    cut = np.s_[first_row:last_row, first_column:last_column]
    values = levels.arrays[place][..., *cut]  # [(head,) row, column]
    closed = None if levels.closed is None else levels.closed[place][cut]
    if more > 1:
        block = (more, 1) if down > across else (1, more)
        values = pooled(values, block, signed=scale.centred, closed=closed)
        closed = None if closed is None else all_closed(closed, block)
    n_rows, n_columns = levels.shape
    return VisiblePart(
        indices(values, scale, closed),
        first_column * size,
        first_row * size,
        min(last_column * size, n_columns),
        min(last_row * size, n_rows),
        size if down > across else size * more,
        size * more if down > across else size,
    )


def _span(low: float, high: float, size: int, n: int, step: int) -> tuple[int, int]:
    """The first block and the one after the last block between two places, in whole steps of `step` blocks."""
    first = max(0, int(low / size)) // step * step
    last = math.ceil(math.ceil(high / size) / step) * step
    return first, min(n, max(last, first + 1))


def at_most(levels: Levels, cells: int) -> tuple[Array, Closed | None, int]:
    """The finest level of at most `cells` blocks a side, its mask, and how many cells wide its blocks are."""
    place = next((place for place, array in enumerate(levels.arrays) if max(array.shape[-2:]) <= cells), len(levels.arrays) - 1)
    return levels.arrays[place], None if levels.closed is None else levels.closed[place], levels.block * 2**place
