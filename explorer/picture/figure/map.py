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
from explorer.picture.figure.cells import draw_cells, draw_image
from explorer.picture.figure.drawing import LABEL, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import text, width
from explorer.picture.kinds import Axis, Caption, Closed, HeadGrid, Heatmap, Strips
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
    column_labels(drawing, picture.columns, left, top, cell_w, turned)
    row_labels(drawing, picture.rows, left, top, cell_h)
    index = indices(picture.values, picture.scale, picture.closed)
    draw_cells(drawing, index, picture.scale.colours, left, top, cell_w, cell_h)
    drawing.answer(answering(picture, left, top, cell_w, cell_h))
    if picture.estimated is not None:
        _hatch(drawing, picture.estimated, left, top, cell_w, cell_h)
    if has_room(cell_w, cell_h) and index.size <= _MOST_NUMBERS and picture.scale.colours != "open":
        _write_numbers(drawing, picture, index, left, top, cell_w, cell_h)
    right, bottom = left + n_columns * cell_w, top + n_rows * cell_h
    drawing.cramped = math.isfinite(drawing.room) and _loses_labels(picture, cell_w)
    bottom = max(bottom, colour_bar(drawing, picture.scale, right + 16, top, bottom - top))
    legend(drawing, picture, index, left, bottom)


def _loses_labels(picture: Heatmap, cell: float) -> bool:
    """Whether columns with labels are too narrow for them, though they had room without a limit."""
    return bool(picture.columns.labels) and cell < LABEL <= min(44.0, 900 / max(picture.values.shape))


def answering(picture: Heatmap, left: float, top: float, cell_w: float, cell_h: float) -> Answering:
    """The cells of a map that stands at a place of a drawing (px)."""
    return Answering(picture.values, picture.rows, picture.columns, picture.caption, left, top, cell_w, cell_h, picture.reason)


def _hatch(drawing: Drawing, cells: Closed, left: float, top: float, cell_w: float, cell_h: float) -> None:
    """Draw lines over cells whose values are estimates."""
    lines = []
    for row, column in np.argwhere(cells).tolist():
        x, y = left + column * cell_w, top + row * cell_h
        lines += [f"M{x:.1f} {y + share * cell_h:.1f}l{share * cell_w:.1f} {-share * cell_h:.1f}" for share in (0.5, 1.0)]
        lines.append(f"M{x + 0.5 * cell_w:.1f} {y + cell_h:.1f}l{0.5 * cell_w:.1f} {-0.5 * cell_h:.1f}")
    drawing.add(f'<path d="{" ".join(lines)}" stroke="{drawing.theme.card}"/>')


def _write_numbers(
    drawing: Drawing, picture: Heatmap, index: NDArray[np.uint8], left: float, top: float, cell_w: float, cell_h: float
) -> None:
    """Write the value into every cell that has one, in an ink that can be read on its colour."""
    scale, shown = picture.scale, picture.written
    ink_of, fainter = inks(scale.colours, drawing.theme), fainter_inks(scale.colours, drawing.theme)
    drawing.add('<g class="numbers">')
    for (row, column), level in np.ndenumerate(index):
        value = float(shown[row, column])
        label = next((each for each in figures(value) if width(each, _NUMBER) <= cell_w - 4), "")
        if label:
            x, y = left + (column + 0.5) * cell_w, top + (row + 0.5) * cell_h + _NUMBER / 3
            ink = fainter if is_small(value, scale) else ink_of
            drawing.add(text(x, y, label, size=_NUMBER, fill=ink[level], anchor="middle"))
    drawing.add("</g>")


def draw_strips(drawing: Drawing, picture: Strips, top: float) -> None:
    """Draw bands beside each other, in as many lines as they need. Each line has the rows' labels at its left."""
    rows, (n_rows, n_columns) = picture.bands[0].rows, picture.bands[0].values.shape
    cell_h = whole(min(24.0 if math.isinf(drawing.room) else 16.0, max(2.0, 640 / n_rows)))
    start = left = row_label_px(rows, cell_h)
    cell_w = whole(max(1.0, min(12.0, 280 / n_columns)))
    if math.isfinite(drawing.room):
        cell_w = min(12.0, _band_px(picture, drawing.room - left) / n_columns)
    row_labels(drawing, rows, left, top + 20, cell_h)
    for band in picture.bands:
        reach = f"{number(band.scale.low)} … {number(band.scale.high)}"
        if band.scale.reach is not None:
            reach = told_reach(band.scale, drawing.words)
        wide = max(band.values.shape[1] * cell_w, width(band.caption.title, LABEL), width(reach, LABEL))
        if left > start and left + wide > drawing.within(_LINE_PX):
            left, top = start, top + 62 + n_rows * cell_h
            row_labels(drawing, rows, left, top + 20, cell_h)
        drawing.write(left, top + 12, band.caption.title)
        draw_image(drawing, indices(band.values, band.scale, band.closed), band.scale.colours, left, top + 20, cell_w, cell_h)
        drawing.answer(answering(band, left, top + 20, cell_w, cell_h))
        drawing.write(left, top + 38 + n_rows * cell_h, reach, faint=True)
        left += wide + _BANDS_PX
    if any((indices(band.values, band.scale, band.closed) == NOT_A_NUMBER).any() for band in picture.bands):
        _swatch(drawing, start, top + 58 + n_rows * cell_h, drawing.theme.unknown, drawing.words("legend.nan"))


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


def column_labels(drawing: Drawing, columns: Axis, left: float, top: float, cell: float, turned: bool) -> None:
    """Write the columns' labels above cells that begin at `left` and `top`, unless they would overlap."""
    if cell < LABEL:
        return  # The labels would overlap.
    for index, label in enumerate(columns.labels):
        middle = left + (index + 0.5) * cell
        if turned:
            drawing.write(middle + 4, top - 6, label, turn=-90)
        else:
            drawing.write(middle, top - 6, label, anchor="middle")


def row_labels(drawing: Drawing, rows: Axis, left: float, top: float, cell: float) -> None:
    """Write the rows' labels at the left of cells that begin at `left` and `top`, unless they would overlap."""
    size = _row_label_size(cell)
    for index, label in enumerate(rows.labels if size else ()):
        drawing.write(left - 8, top + (index + 0.5) * cell + size / 3, label, anchor="end", size=size)


def bar_px(scale: Scale) -> float:
    """The room (px) of the colour bar beside a map, with the gap before it."""
    return 0.0 if scale.colours == "open" else 36.0 + max(width(number(each), LABEL) for each in (scale.low, scale.high))


def colour_bar(drawing: Drawing, scale: Scale, x: float, top: float, beside: float) -> float:
    """Draw the scale as high as the map beside it, within 60 to 240 px; returns below what (px) a legend has room."""
    if scale.colours == "open":
        return top  # A mask has no values.
    colours = table(scale.colours)[::-1]
    height = max(60.0, min(beside, 240.0))
    step = height / 64
    for i in range(64):
        fill = hexadecimal(colours[round(i * (len(colours) - 1) / 63)])
        drawing.add(f'<rect x="{x:.1f}" y="{top + i * step:.2f}" width="12" height="{step + 0.3:.2f}" fill="{fill}"/>')
    drawing.reach(x + 12, top + height)
    drawing.write(x + 18, top + 10, number(scale.high), faint=True)
    drawing.write(x + 18, top + height, number(scale.low), faint=True)
    return top + height if math.isfinite(drawing.room) else top


def legend(drawing: Drawing, picture: Heatmap | HeadGrid, index: NDArray[np.uint8], x: float, bottom: float) -> None:
    """Name the two axes, and say what the colours of closed cells and of NaN mean."""
    y, theme = bottom + 22, drawing.theme
    axes = f"{picture.rows.name} ↓   {picture.columns.name} →"
    closed = "" if picture.closed is None else told_closed(picture, drawing.words)[0]
    if x + max(width(axes, LABEL), 18 + width(closed, LABEL)) > drawing.room:
        x = 0.0  # Where there is little room, the legend has that below the rows' labels too.
    y = drawing.write_lines(x, y, axes, faint=True)
    if closed:
        y += 20
        first, y = y, _swatch(drawing, x, y, theme.closed, closed)
        drawing.add(f'<path d="M{x:.1f} {first + 2:.1f}l12 -12" stroke="{theme.closed_line}"/>')
    if (index == NOT_A_NUMBER).any():
        _swatch(drawing, x, y + 20, theme.unknown, drawing.words("legend.nan"))


def _swatch(drawing: Drawing, x: float, y: float, fill: str, meaning: str) -> float:
    """A colour and what it means; returns the baseline (px) of the last line."""
    drawing.add(f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="12" height="12" fill="{fill}"/>')
    return drawing.write_lines(x + 18, y, meaning, faint=True)


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
