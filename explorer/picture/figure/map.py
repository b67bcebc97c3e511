"""Heat maps and strips outside the window: as SVG, as tables and in words."""

import math
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.cell_numbers import fainter_inks, figures, has_room, inks, is_small
from explorer.picture.cell_text import number, told_closed, told_reach
from explorer.picture.figure.answering import Answering
from explorer.picture.figure.drawing import LABEL, LINE, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, Caption, Closed, HeadGrid, Heatmap, Strips
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Label, Rect
from explorer.picture.scales import NOT_A_NUMBER, Scale, hexadecimal, indices, table
from explorer.picture.tables import Table, table_name

_LINE_PX = 1400.0  # px; wider strips go on in the next line
_NUMBER = 11.0  # px, the letters of numbers in cells
_BANDS_PX, _LEAST_BAND = 20.0, 90.0  # px between bands, and the least width of one
_LEAST_CELL, _LEAST_LABELLED = 0.25, 7.0  # px; the least cell, and the least beside which a label stands
_BARE_PX = 8.0  # at the left of rows without labels
_MOST_NUMBERS = 4096  # A map of more cells has none, as it has no shapes for single cells either.


def draw_heatmap(drawing: Drawing, picture: Heatmap, top: float) -> None:
    """Draw a map with its labels, its colour bar and a legend of closed cells."""
    n_rows, n_columns = picture.values.shape
    cell_w, cell_h = _cell_px(picture, drawing.room - bar_px(picture.scale))
    left = row_label_px(picture.rows, cell_h)
    turned = any(width(label, LABEL) > cell_w - 4 for label in picture.columns.labels)
    top += column_label_px(picture.columns, turned, cell_w)
    sketch = Sketch(drawing.theme, "", measured)
    column_labels(sketch, picture.columns, left, top, cell_w, turned)
    row_labels(sketch, picture.rows, left, top, cell_h)
    index = indices(picture.values, picture.scale, picture.closed)
    cells = Rect(left, top, n_columns * cell_w, n_rows * cell_h)
    sketch.cells(cells, index, picture.scale.colours)
    drawing.answer(answering(picture, left, top, cell_w, cell_h))
    if picture.estimated is not None:
        _hatch(sketch, picture.estimated, left, top, cell_w, cell_h)
    if has_room(cell_w, cell_h) and index.size <= _MOST_NUMBERS and picture.scale.colours != "open":
        _write_numbers(sketch, picture, index, left, top, cell_w, cell_h)
    drawing.cramped = math.isfinite(drawing.room) and _loses_labels(picture, cell_w)
    bottom = max(cells.bottom, colour_bar(sketch, picture.scale, cells.right + 16, top, cells.high, drawing.room))
    legend(sketch, picture, index, left, bottom, drawing.words, drawing.room)
    write_marks(drawing, sketch.marks)


def _loses_labels(picture: Heatmap, cell: float) -> bool:
    """Whether columns with labels are too narrow for them, though they had room without a limit."""
    return bool(picture.columns.labels) and cell < LABEL <= min(44.0, 900 / max(picture.values.shape))


def answering(picture: Heatmap, left: float, top: float, cell_w: float, cell_h: float) -> Answering:
    """The cells of a map that stands at a place of a drawing (px)."""
    return Answering(picture.values, picture.rows, picture.columns, picture.caption, left, top, cell_w, cell_h, picture.reason)


def _hatch(sketch: Sketch, cells: Closed, left: float, top: float, cell_w: float, cell_h: float) -> None:
    """Draw lines over cells whose values are estimates."""
    for row, column in np.argwhere(cells).tolist():
        x, y = left + column * cell_w, top + row * cell_h
        for share in (0.5, 1.0):
            sketch.line(x, y + share * cell_h, x + share * cell_w, y, "card")
        sketch.line(x + 0.5 * cell_w, y + cell_h, x + cell_w, y + 0.5 * cell_h, "card")


def _write_numbers(
    sketch: Sketch, picture: Heatmap, index: NDArray[np.uint8], left: float, top: float, cell_w: float, cell_h: float
) -> None:
    """Write the value into every cell that has one, in an ink that can be read on its colour."""
    scale, shown = picture.scale, picture.written
    ink_of, fainter = inks(scale.colours, sketch.theme), fainter_inks(scale.colours, sketch.theme)
    for (row, column), level in np.ndenumerate(index):
        value = float(shown[row, column])
        label = next((each for each in figures(value) if width(each, _NUMBER) <= cell_w - 4), "")
        if label:
            x, y = left + (column + 0.5) * cell_w, top + (row + 0.5) * cell_h + _NUMBER / 3
            ink = fainter if is_small(value, scale) else ink_of
            sketch.write(x, y, label, _NUMBER, ink[level], "middle")


def draw_strips(drawing: Drawing, picture: Strips, top: float) -> None:
    """Draw bands beside each other, in as many lines as they need. Each line has the rows' labels at its left."""
    rows, (n_rows, n_columns) = picture.bands[0].rows, picture.bands[0].values.shape
    cell_h = whole(min(24.0 if math.isinf(drawing.room) else 16.0, max(2.0, 640 / n_rows)))
    start = left = row_label_px(rows, cell_h)
    cell_w = whole(max(1.0, min(12.0, 280 / n_columns)))
    if math.isfinite(drawing.room):
        cell_w = min(12.0, _band_px(picture, drawing.room - left) / n_columns)
    sketch = Sketch(drawing.theme, "", measured)
    row_labels(sketch, rows, left, top + 20, cell_h)
    for band in picture.bands:
        reach = f"{number(band.scale.low)} … {number(band.scale.high)}"
        if band.scale.reach is not None:
            reach = told_reach(band.scale, drawing.words)
        wide = max(band.values.shape[1] * cell_w, width(band.caption.title, LABEL), width(reach, LABEL))
        if left > start and left + wide > drawing.within(_LINE_PX):
            left, top = start, top + 62 + n_rows * cell_h
            row_labels(sketch, rows, left, top + 20, cell_h)
        sketch.write(left, top + 12, band.caption.title, LABEL)
        index, (high, n) = indices(band.values, band.scale, band.closed), band.values.shape
        sketch.cells(Rect(left, top + 20, n * cell_w, high * cell_h), index, band.scale.colours)
        drawing.answer(answering(band, left, top + 20, cell_w, cell_h))
        sketch.write(left, top + 38 + n_rows * cell_h, reach, LABEL, "faint")
        left += wide + _BANDS_PX
    if any((indices(band.values, band.scale, band.closed) == NOT_A_NUMBER).any() for band in picture.bands):
        _swatch(sketch, start, top + 58 + n_rows * cell_h, "unknown", drawing.words("legend.nan"), drawing.room)
    write_marks(drawing, sketch.marks, images=True)


def _band_px(picture: Strips, room: float) -> float:
    """The width (px) of a band where as many as can stand beside each other fill the room."""
    titles = max(width(band.caption.title, LABEL) for band in picture.bands)
    a_line = max(1, min(len(picture.bands), int((room + _BANDS_PX) / (max(titles, _LEAST_BAND) + _BANDS_PX))))
    return (room - _BANDS_PX * (a_line - 1)) / a_line


def _cell_px(picture: Heatmap, room: float) -> tuple[float, float]:
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
        side = max(_LEAST_LABELLED, min(natural, (room - row_label_px(picture.rows, LABEL)) / n_columns))
        return fitted(side), fitted(side)
    high = whole(min(24.0, 900 / n_rows))
    most = max((room - row_label_px(picture.rows, high)) / n_columns, _LEAST_CELL)
    return fitted(min(14.0, 1200 / n_columns, most)), high


def whole(size: float) -> float:
    """Round a cell's size down to whole pixels. Cells that end inside a pixel let the background shine through."""
    return float(int(size)) if size >= 1 else size


def row_label_px(rows: Axis, cell: float) -> float:
    """The room (px) that the rows' labels take at the left."""
    size = _row_label_size(cell)
    return math.ceil(8 + max((width(label, size) for label in rows.labels if size), default=0.0))


def _row_label_size(cell: float) -> float:
    """The letter size of rows' labels (px); 0 where the labels would overlap and are left out."""
    return 0.0 if cell < _LEAST_LABELLED else min(LABEL, cell)


def column_label_px(columns: Axis, turned: bool, cell: float) -> float:
    """The room (px) that the columns' labels take above the map."""
    if not columns.labels or cell < LABEL:
        return 4.0
    return math.ceil(10 + (max(width(label, LABEL) for label in columns.labels) if turned else LABEL))


def column_labels(sketch: Sketch, columns: Axis, left: float, top: float, cell: float, turned: bool) -> None:
    """Write the columns' labels above cells that begin at `left` and `top`, unless they would overlap."""
    if cell < LABEL:
        return  # The labels would overlap.
    for index, label in enumerate(columns.labels):
        middle = left + (index + 0.5) * cell
        if turned:
            sketch.marks.append(Label(middle, top - 6, label, LABEL, turn=-90))
        else:
            sketch.write(middle, top - 6, label, LABEL, anchor="middle")


def row_labels(sketch: Sketch, rows: Axis, left: float, top: float, cell: float) -> None:
    """Write the rows' labels at the left of cells that begin at `left` and `top`, unless they would overlap."""
    size = _row_label_size(cell)
    for index, label in enumerate(rows.labels if size else ()):
        sketch.write(left - 8, top + (index + 0.5) * cell + size / 3, label, size, anchor="end")


def bar_px(scale: Scale) -> float:
    """The room (px) of the colour bar beside a map, with the gap before it."""
    return 0.0 if scale.colours == "open" else 36.0 + max(width(number(each), LABEL) for each in (scale.low, scale.high))


def colour_bar(sketch: Sketch, scale: Scale, x: float, top: float, beside: float, room: float) -> float:
    """Draw the scale as high as the map beside it, within 60 to 240 px; returns below what (px) a legend has room."""
    if scale.colours == "open":
        return top  # A mask has no values.
    colours = table(scale.colours)[::-1]
    height = max(60.0, min(beside, 240.0))
    step = height / 64
    for i in range(64):
        fill = hexadecimal(colours[round(i * (len(colours) - 1) / 63)])
        sketch.box(Rect(x, top + i * step, 12, step + (0.3 if i < 63 else 0)), fill)
    sketch.write(x + 18, top + 10, number(scale.high), LABEL, "faint")
    sketch.write(x + 18, top + height, number(scale.low), LABEL, "faint")
    return top + height if math.isfinite(room) else top


def legend(
    sketch: Sketch, picture: Heatmap | HeadGrid, index: NDArray[np.uint8], x: float, bottom: float, words: Words, room: float
) -> None:
    """Name the two axes, and say what the colours of closed cells and of NaN mean."""
    y = bottom + 22
    axes = f"{picture.rows.name} ↓   {picture.columns.name} →"
    closed = "" if picture.closed is None else told_closed(picture, words)[0]
    if x + max(width(axes, LABEL), 18 + width(closed, LABEL)) > room:
        x = 0.0  # Where there is little room, the legend has that below the rows' labels too.
    y = _write_lines(sketch, x, y, axes, room)
    if closed:
        y += 20
        first, y = y, _swatch(sketch, x, y, "closed", closed, room)
        sketch.line(x, first + 2, x + 12, first - 10, "closed_line")
    if (index == NOT_A_NUMBER).any():
        _swatch(sketch, x, y + 20, "unknown", words("legend.nan"), room)


def _swatch(sketch: Sketch, x: float, y: float, fill: str, meaning: str, room: float) -> float:
    """A colour and what it means; returns the baseline (px) of the last line."""
    sketch.box(Rect(x, y - 10, 12, 12), fill)
    return _write_lines(sketch, x + 18, y, meaning, room)


def _write_lines(sketch: Sketch, x: float, y: float, content: str, room: float) -> float:
    """Write a text in as many lines as the room asks for; returns the baseline (px) of the last one."""
    lines = sketch.lines(content, LABEL, max(room - x, LABEL))
    for place, line in enumerate(lines):
        sketch.write(x, y + place * LINE, line, LABEL, "faint")
    return y + (len(lines) - 1) * LINE


def _heatmap_tables(picture: Heatmap) -> Iterator[Table]:
    if not picture.pending:
        yield _table(picture)


def _strips_tables(picture: Strips) -> Iterator[Table]:
    for band in picture.bands:
        made = _table(band, picture.caption)
        yield made if band.head is None else attrs.evolve(made, name=f"{made.name}.head{band.head}")


def _table(made: Heatmap, around: Caption | None = None) -> Table:
    """The recorded array where the map shows it; otherwise the map's own values, with NaN in closed cells."""
    if made.is_recorded:
        assert made.recorded is not None  # is_recorded implies it; the type checker cannot know.
        return Table(made.caption.tap, made.recorded, made.rows, made.columns, made.head)
    values = made.values if made.closed is None else np.where(made.closed, np.float32(np.nan), made.values)
    told = attrs.evolve(made.caption, tap=made.caption.tap or (around.tap if around is not None else ""))
    return Table(table_name(told, computed=True), values, made.rows, made.columns, made.head)


def _described(picture: Heatmap | Strips, words: Words) -> str:
    return f"{picture.caption.title} {picture.caption.shape}"


HEATMAP = Kind[Heatmap](draw_heatmap, _heatmap_tables, _described)
STRIPS = Kind[Strips](draw_strips, _strips_tables, _described)
