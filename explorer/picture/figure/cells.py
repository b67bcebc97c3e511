"""Cells as SVG: shapes that a drawing program can edit; an image only where there are too many cells."""

import math

import numpy as np
from numpy.typing import NDArray

from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.elements import path, rect
from explorer.picture.marks import Rect
from explorer.picture.scales import BELOW, CLOSED, GAP, NOT_A_NUMBER, hexadecimal, outliers, table

_FEW_CELLS = 4096  # Up to this many cells, each one is a rectangle of its own.
_MOST_CELLS = 2**16  # Up to this many cells, all cells of one colour are one path.
_HATCHED_PX = 5.0  # px; a smaller closed cell has no room for its diagonal line


def write_cells(drawing: Drawing, index: NDArray[np.uint8], colours: str, cells: Rect) -> None:
    """Put [row, column] indices of a colour table into a drawing, stretched over a rectangle. Gaps stay empty."""
    left, top, cell_w, cell_h = cells.x, cells.y, cells.wide / index.shape[1], cells.high / index.shape[0]
    if index.size > _MOST_CELLS:
        drawing.image(index, colours, cells)
        return
    if drawing.only_images:
        drawing.image(index, colours, cells)
    else:
        if math.isfinite(drawing.room):
            # On paper no cell ends where a pixel ends: the ground would shine through between shapes, so it has their colours.
            drawing.image(index, colours, cells)
        drawing.add('<g class="cells">')
        shapes = _paths if index.size > _FEW_CELLS else _rectangles
        shapes(drawing, index, colours, left, top, cell_w, cell_h)
        drawing.add("</g>")
    if min(cell_w, cell_h) >= _HATCHED_PX:
        lines = "".join(
            f"M{left + column * cell_w:.2f} {top + (row + 1) * cell_h:.2f}l{cell_w:.2f} {-cell_h:.2f}"
            for row, column in np.argwhere(index == CLOSED)
        )
        if lines:
            drawing.add(path(lines, f'stroke="{drawing.theme.closed_line}"'))


def _fill(drawing: Drawing, colours: str, level: int) -> str:
    special = {CLOSED: drawing.theme.closed, NOT_A_NUMBER: drawing.theme.unknown}
    if level in special:
        return special[level]
    return hexadecimal(outliers(colours)[level - BELOW] if level >= BELOW else table(colours)[level])


def _rectangles(
    drawing: Drawing, index: NDArray[np.uint8], colours: str, left: float, top: float, cell_w: float, cell_h: float
) -> None:
    fills = {level: _fill(drawing, colours, level) for level in np.unique(index).tolist() if level != GAP}
    for row, levels in enumerate(index.tolist()):
        y = top + row * cell_h
        for column, level in enumerate(levels):
            if level != GAP:
                cell = Rect(left + column * cell_w, y, cell_w, cell_h)
                drawing.add(rect(cell, f'fill="{fills[level]}"'), cell.right, cell.bottom)


def _paths(
    drawing: Drawing, index: NDArray[np.uint8], colours: str, left: float, top: float, cell_w: float, cell_h: float
) -> None:
    """Draw all cells of one colour as one path; neighbours in a row become one rectangle of it."""
    changes = np.ones(index.shape, bool)
    changes[:, 1:] = index[:, 1:] != index[:, :-1]
    rows, starts = np.nonzero(changes)
    ends = np.append(starts[1:], index.shape[1])
    ends[np.append(rows[1:] != rows[:-1], True)] = index.shape[1]  # The last run of a row ends with the row.
    levels = index[rows, starts]
    for level in np.unique(levels):
        if level == GAP:
            continue
        mine = levels == level
        drawn = "".join(
            f"M{left + start * cell_w:g} {top + row * cell_h:g}h{(end - start) * cell_w:g}v{cell_h:g}"
            f"h{(start - end) * cell_w:g}z"
            for row, start, end in zip(rows[mine], starts[mine], ends[mine], strict=True)
        )
        drawing.add(path(drawn, f'fill="{_fill(drawing, colours, int(level))}"'))
    drawing.reach(left + index.shape[1] * cell_w, top + index.shape[0] * cell_h)
