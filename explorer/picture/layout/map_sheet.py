"""A map as large as its cells need: a Heatmap in a file, and what maps, strips and walls there have in common."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.cell_numbers import has_room, tells_apart
from explorer.picture.cell_text import number, told_closed
from explorer.picture.kinds import Axis, Closed, HeadGrid, Heatmap
from explorer.picture.layout.map_labels import colour_bar, level_labels, row_labels, turned_labels
from explorer.picture.layout.sketch import LABEL, Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.marks import Numbers, Rect
from explorer.picture.scales import NOT_A_NUMBER, Scale, indices

UPWARD = -90.0
"""Degrees by which labels of columns are turned in a file."""
_NUMBER = 11.0  # px, the letters of numbers in cells
_LEAST_CELL, _LEAST_LABELLED = 0.25, 7.0  # px; the least cell, and the least beside which a label stands
_BARE_PX = 8.0  # at the left of rows without labels
_MOST_NUMBERS = 4096  # A map of more cells has none, as it has no shapes for single cells either.
_BAR_PX, _BAR_GAP_PX, _BAR_HIGH_PX = 12.0, 16.0, (60.0, 240.0)


@attrs.frozen
class MapSheet:
    """Where the cells of a map stand, and whether so little room was left that labels were given up (`cramped`)."""

    field: CellField
    cramped: bool


def map_sheet(sketch: Sketch, picture: Heatmap, words: Words, top: float, room: float) -> MapSheet:
    """Draw a map with its labels, its colour bar and a legend, from `top` px downward and at most `room` px wide."""
    rows, columns = picture.rows, picture.columns
    n_rows, n_columns = picture.values.shape
    wide, high = _cell_px(sketch, picture, room - bar_px(sketch, picture.scale))
    turned = any(sketch.measure(label, LABEL, False) > wide - 4 for label in columns.labels)
    left, top = row_label_px(sketch, rows, high), top + column_label_px(sketch, columns, wide, turned=turned)
    field = CellField.whole(Rect(left, top, n_columns * wide, n_rows * high), n_rows, n_columns)
    column_names(sketch, columns, field, turned=turned)
    row_names(sketch, rows, field)
    index = indices(picture.values, picture.scale, picture.closed)
    sketch.cells(field.rect, index, picture.scale.colours)
    if picture.estimated is not None:
        _hatch(sketch, picture.estimated, field)
    if has_room(wide, high) and index.size <= _MOST_NUMBERS and tells_apart(picture.scale):
        sketch.marks.append(Numbers(field.rect, picture.written, index, picture.scale, _NUMBER))
    draw_legends(sketch, picture, index, field.rect, words, room)
    cramped = bool(columns.labels) and wide < LABEL <= min(44.0, 900 / max(n_rows, n_columns))
    return MapSheet(field, cramped and math.isfinite(room))


def _hatch(sketch: Sketch, cells: Closed, field: CellField) -> None:
    """Draw lines over cells whose values are estimates."""
    for row, column in np.argwhere(cells).tolist():
        cell = field.cells(row, column)
        for share in (0.5, 1.0):
            sketch.line(cell.x, cell.y + share * cell.high, cell.x + share * cell.wide, cell.y, "card")
        sketch.line(cell.x + 0.5 * cell.wide, cell.bottom, cell.right, cell.y + 0.5 * cell.high, "card")


def _cell_px(sketch: Sketch, picture: Heatmap, room: float) -> tuple[float, float]:
    """Width and height of a cell (px): square where columns are tokens, narrow where they are features.

    A map with its rows' labels keeps to `room` px. The labels are given up where cells would be too low for them even without
    them; otherwise a room that is too small for them stays too small.
    """
    n_rows, n_columns = picture.values.shape
    fitted = whole if math.isinf(room) else float
    if picture.columns.labels:
        natural = min(44.0, 900 / max(n_rows, n_columns))
        alone = min(natural, max((room - _BARE_PX) / n_columns, _LEAST_CELL))
        if alone < _LEAST_LABELLED:
            return fitted(alone), fitted(alone)
        side = max(_LEAST_LABELLED, min(natural, (room - row_label_px(sketch, picture.rows, LABEL)) / n_columns))
        return fitted(side), fitted(side)
    high = whole(min(24.0, 900 / n_rows))
    most = max((room - row_label_px(sketch, picture.rows, high)) / n_columns, _LEAST_CELL)
    return fitted(min(14.0, 1200 / n_columns, most)), high


def whole(size: float) -> float:
    """Round a cell's size down to whole pixels. Cells that end inside a pixel let the background shine through."""
    return float(int(size)) if size >= 1 else size


def row_label_px(sketch: Sketch, rows: Axis, cell: float) -> float:
    """The room (px) that the rows' labels take at the left."""
    size = _row_label_size(cell)
    return math.ceil(8 + max((sketch.measure(label, size, False) for label in rows.labels if size), default=0.0))


def _row_label_size(cell: float) -> float:
    """The letter size of rows' labels (px); 0 where the labels would overlap and are left out."""
    return 0.0 if cell < _LEAST_LABELLED else min(LABEL, cell)


def column_label_px(sketch: Sketch, columns: Axis, cell: float, *, turned: bool) -> float:
    """The room (px) that the columns' labels take above the map."""
    if not columns.labels or cell < LABEL:
        return 4.0
    return math.ceil(10 + (max(sketch.measure(label, LABEL, False) for label in columns.labels) if turned else LABEL))


def row_names(sketch: Sketch, rows: Axis, field: CellField) -> None:
    """Write the labels of all rows at the left of a map, unless they would overlap."""
    size = _row_label_size(field.high)
    row_labels(sketch, rows, field, range(len(rows.labels) if size else 0), size, gap=8)


def column_names(sketch: Sketch, columns: Axis, field: CellField, *, turned: bool) -> None:
    """Write the labels of all columns above a map, unless they would overlap."""
    shown = range(len(columns.labels) if field.wide >= LABEL else 0)
    if turned:
        turned_labels(sketch, columns, field, shown, LABEL, turn=UPWARD)
    else:
        level_labels(sketch, columns, field, shown, LABEL)


def bar_px(sketch: Sketch, scale: Scale) -> float:
    """The room (px) of the colour bar beside a map, with the gap before it."""
    if scale.colours == "open":
        return 0.0  # A mask has no values.
    return 36.0 + max(sketch.measure(number(each), LABEL, False) for each in (scale.low, scale.high))


def draw_legends(
    sketch: Sketch, picture: Heatmap | HeadGrid, index: NDArray[np.uint8], cells: Rect, words: Words, room: float
) -> None:
    """Draw the colour bar at the right of the cells, about as high as they are, and below both what else is to be said."""
    scale, bottom = picture.scale, cells.bottom
    if scale.colours != "open":
        least, most = _BAR_HIGH_PX
        bar = Rect(cells.right + _BAR_GAP_PX, cells.y, _BAR_PX, max(least, min(cells.high, most)))
        colour_bar(sketch, bar, scale, ((0.0, number(scale.high)), (1.0, number(scale.low))), LABEL)
        bottom = max(bottom, bar.bottom) if math.isfinite(room) else bottom
    _meanings(sketch, picture, index, cells.x, bottom + 22, words, room)


def _meanings(
    sketch: Sketch, picture: Heatmap | HeadGrid, index: NDArray[np.uint8], x: float, y: float, words: Words, room: float
) -> None:
    """Name the two axes, and say what the colours of closed cells and of NaN mean."""
    axes = f"{picture.rows.name} ↓   {picture.columns.name} →"
    closed = "" if picture.closed is None else told_closed(picture, words)[0]
    if x + max(sketch.measure(axes, LABEL, False), 18 + sketch.measure(closed, LABEL, False)) > room:
        x = 0.0  # Where there is little room, the legend has that below the rows' labels too.
    y = sketch.write_lines(x, y, axes, room)
    if closed:
        y += 20
        first, y = y, swatch(sketch, x, y, "closed", closed, room)
        sketch.line(x, first + 2, x + 12, first - 10, "closed_line")
    if (index == NOT_A_NUMBER).any():
        swatch(sketch, x, y + 20, "unknown", words("legend.nan"), room)


def swatch(sketch: Sketch, x: float, y: float, fill: str, meaning: str, room: float) -> float:
    """Draw a sample of a colour with its meaning; returns the baseline (px) of the last line."""
    sketch.box(Rect(x, y - 10, 12, 12), fill)
    return sketch.write_lines(x + 18, y, meaning, room)
