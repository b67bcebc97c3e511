"""Colour indices in whole pixels: many small maps as one image, which is painted much faster than many images.

Decision: places of pixels are computed anew. Rejected: keeping the place of each pixel, which is missed at each new shape, and
QPainter's scaling of lanes (0.043 ms in place of 0.046).
"""

import math
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from explorer.picture.marks import Hatch, Rect
from explorer.picture.scales import CLOSED, GAP

Index = NDArray[np.uint8]
_Number = TypeVar("_Number", bound=np.generic)


def stretched(cells: NDArray[_Number], rows: int, columns: int) -> NDArray[_Number]:
    """[…, row, column] cells as [..., `rows`, `columns`] pixels: each pixel shows the cell at its middle."""
    n_rows, n_columns = cells.shape[-2:]
    flat = cells.reshape(*cells.shape[:-2], n_rows * n_columns)
    made: NDArray[_Number] = flat.take(_shown_cells(n_rows, n_columns, rows, columns), axis=-1)
    return made


@lru_cache(maxsize=64)  # A river takes 13.4 ms with it, `_corners` and `font_of`, and 15.0 without.
def _shown_cells(n_rows: int, n_columns: int, rows: int, columns: int) -> NDArray[np.intp]:
    """The number of the cell that each pixel [row, column] shows."""
    down = ((np.arange(rows) + 0.5) * n_rows / rows).astype(np.intp)
    across = ((np.arange(columns) + 0.5) * n_columns / columns).astype(np.intp)
    made = down[:, None] * n_columns + across
    made.setflags(write=False)  # All callers share this array.
    return made


def with_gaps(index: Index, rows: int, columns: int) -> Index:
    """The same, with a gap of one pixel between neighbouring cells."""
    made = stretched(index, rows, columns)
    n_rows, n_columns = index.shape
    made[(np.arange(1, n_rows) * rows / n_rows).astype(np.intp)] = GAP
    made[:, (np.arange(1, n_columns) * columns / n_columns).astype(np.intp)] = GAP
    return made


def sheet(maps: Index, places: tuple[Rect, ...], field: Rect) -> tuple[Rect, Index]:
    """Maps [map, row, column] at places of whole pixels inside a field, as one image with gaps, and where it stands."""
    rect, corners = _corners(places, field)
    made = np.full((round(rect.high), round(rect.wide)), GAP, np.uint8)
    high, wide = round(places[0].high), round(places[0].wide)
    for each, (y, x) in zip(stretched(maps, high, wide), corners, strict=True):
        made[y : y + high, x : x + wide] = each
    return rect, made


@lru_cache(maxsize=64)  # as above
def _corners(places: tuple[Rect, ...], field: Rect) -> tuple[Rect, tuple[tuple[int, int], ...]]:
    """Where places inside a field stand together, in whole pixels, and row and column of the corner of each."""
    left, top = math.floor(field.x), math.floor(field.y)
    right = max(math.ceil(max(place.right for place in places)), left + 1)
    bottom = max(math.ceil(max(place.bottom for place in places)), top + 1)
    corners = tuple((round(place.y) - top, round(place.x) - left) for place in places)
    return Rect(left, top, right - left, bottom - top), corners


def hatches(index: Index, rect: Rect) -> list[Hatch]:
    """The closed cells of a map over a rectangle, neighbours in a row as one."""
    n_rows, n_columns = index.shape
    wide, high = rect.wide / n_columns, rect.high / n_rows
    shut = np.zeros((n_rows, n_columns + 2), np.int8)
    shut[:, 1:-1] = index == CLOSED
    rows, edges = (found.tolist() for found in np.nonzero(np.diff(shut, axis=1)))  # where closed cells begin and end, in turn
    return [
        Hatch(Rect(rect.x + first * wide, rect.y + row * high, (last - first) * wide, high))
        for row, first, last in zip(rows[::2], edges[::2], edges[1::2], strict=True)
    ]
