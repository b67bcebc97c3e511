"""What a screen can show of a large map: from its levels the one whose blocks are pixels, and of that the visible part.

The maximum of a block stands for all its cells, so one bright cell is seen at any zoom; closer, the cells themselves are.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.scales import Scale, indices
from explorer.trace.levels import Array, Closed, Levels, all_closed, pooled

LARGE_CELLS = 2**19
"""More than a screen's worth: beyond, a picture is painted from levels."""


@attrs.frozen(eq=False)
class VisiblePart:
    """Colour indices of the rectangle [left, right) × [top, bottom) of a map, in cells; each stands for `across` × `down` of
    them, at the end of the map for fewer.
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
    """A rectangle of a map in cells, and how many pixels it takes on the screen."""

    left: float
    top: float
    right: float
    bottom: float
    wide_px: float
    high_px: float


def part(levels: Levels, scale: Scale, view: VisibleArea) -> VisiblePart:
    """The visible part, each colour at least one pixel in size: of more cells than pixels the blocks' maxima."""
    across = max(1.0, (view.right - view.left) / max(view.wide_px, 1.0))  # cells a pixel
    down = max(1.0, (view.bottom - view.top) / max(view.high_px, 1.0))
    place = math.ceil(math.log2(min(across, down) / levels.block)) if min(across, down) > levels.block else 0
    place = min(place, len(levels.arrays) - 1)
    size = levels.block * 2**place
    rows, columns = levels.arrays[place].shape
    # One direction may be seen from further away than the other: its blocks are pooled again, in step with the map.
    more = 2 ** max(0, math.ceil(math.log2(max(across, down) / size)))
    first_row, last_row = _span(view.top, view.bottom, size, rows, more)
    first_column, last_column = _span(view.left, view.right, size, columns, more)
    cut = np.s_[first_row:last_row, first_column:last_column]
    values = levels.arrays[place][cut]
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
    """First and last + 1 of the blocks between two places, whole steps of them."""
    first = max(0, int(low / size)) // step * step
    last = math.ceil(math.ceil(high / size) / step) * step
    return first, min(n, max(last, first + 1))


def at_most(levels: Levels, cells: int) -> tuple[Array, Closed | None, int]:
    """The finest level with so many cells a side at most, its mask, and how many cells wide its blocks are."""
    place = next((place for place, array in enumerate(levels.arrays) if max(array.shape[-2:]) <= cells), len(levels.arrays) - 1)
    return levels.arrays[place], None if levels.closed is None else levels.closed[place], levels.block * 2**place
