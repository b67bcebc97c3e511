"""Maps as SVG: one heat map, strips side by side, the wall of all heads."""

import base64

import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.atlas import atlas
from explorer.picture.describe import number
from explorer.picture.picture import Axis, HeadGrid, Heatmap, Strips
from explorer.picture.png import encode, palette
from explorer.picture.scales import CLOSED, NOT_A_NUMBER, Scale, indices, table
from explorer.picture.svg_text import text, width
from explorer.picture.theme import Theme

_FEW_CELLS = 4096  # up to here each cell is a rectangle that a drawing program can take up
_LABEL = 12.0  # px


class Sheet:
    """A piece of a drawing under way: `body` holds its elements, `width` and `height` grow with them, in px."""

    def __init__(self, theme: Theme, words: Words) -> None:
        self.theme = theme
        self.words = words
        self.body: list[str] = []
        self.width = 0.0
        self.height = 0.0

    def add(self, element: str, right: float = 0, bottom: float = 0) -> None:
        """Put one element in; it reaches to `right` and `bottom`."""
        self.body.append(element)
        self.width, self.height = max(self.width, right), max(self.height, bottom)

    def write(self, x: float, y: float, content: str, *, anchor: str = "start", faint: bool = False, size: float = _LABEL,
              weight: int = 400, turn: float = 0) -> None:
        """Put a line of text in."""
        fill = self.theme.faint if faint else self.theme.text
        right = x + width(content, size) * (anchor == "start" and not turn)
        self.add(text(x, y, content, size=size, fill=fill, anchor=anchor, weight=weight, turn=turn), right, y + 4)


def draw_heatmap(sheet: Sheet, picture: Heatmap, top: float) -> None:
    """A map with its labels, its scale and, where there are any, the meaning of closed cells."""
    n_rows, n_columns = picture.values.shape
    cell_w, cell_h = _cell_px(n_rows, n_columns, bool(picture.columns.labels))
    left = _row_label_px(picture.rows)
    turned = _must_turn(picture.columns, cell_w)
    top += _column_label_px(picture.columns, turned)
    _column_labels(sheet, picture.columns, left, top, cell_w, turned)
    _row_labels(sheet, picture.rows, left, top, cell_h)
    _cells(sheet, indices(picture.values, picture.scale, picture.closed), picture.scale, left, top, cell_w, cell_h)
    right, bottom = left + n_columns * cell_w, top + n_rows * cell_h
    _colour_bar(sheet, picture.scale, right + 16, top, max(60.0, min(bottom - top, 240.0)))
    _legend(sheet, picture.closed is not None, picture.reason, left, bottom + 22)


def draw_strips(sheet: Sheet, picture: Strips, top: float) -> None:
    """Bands beside each other; the rows' labels stand once, at the left."""
    left = _row_label_px(picture.bands[0].rows)
    n_rows, n_columns = picture.bands[0].values.shape
    cell_h, cell_w = min(24.0, max(2.0, 480 / n_rows)), max(1.0, min(12.0, 280 / n_columns))
    _row_labels(sheet, picture.bands[0].rows, left, top + 20, cell_h)
    for band in picture.bands:
        sheet.write(left, top + 12, band.caption.title)
        _image(sheet, indices(band.values, band.scale, band.closed), band.scale, left, top + 20, cell_w, cell_h)
        sheet.write(left, top + 38 + n_rows * cell_h, f"{number(band.scale.low)} … {number(band.scale.high)}", faint=True)
        left += n_columns * cell_w + 20


def draw_grid(sheet: Sheet, picture: HeadGrid, top: float) -> None:
    """The wall: layers downward, heads to the right, each named at the border."""
    made = atlas(picture)
    cell = max(1.0, min(12.0, 1400 / made.index.shape[1]))
    left = 44.0
    for row, layer in enumerate(picture.layers):
        middle = top + 20 + (row * made.pitch_rows + made.n_rows / 2) * cell
        sheet.write(left - 8, middle + 4, f"L{layer}", anchor="end", faint=True)
    for head in range(picture.values.shape[1]):
        middle = left + (head * made.pitch_columns + made.n_columns / 2) * cell
        sheet.write(middle, top + 12, f"H{head}", anchor="middle", faint=True)
    _image(sheet, made.index, picture.scale, left, top + 20, cell, cell)
    height, total = made.index.shape[0] * cell, made.index.shape[1] * cell
    _colour_bar(sheet, picture.scale, left + total + 16, top + 20, max(60.0, min(height, 240.0)))
    _legend(sheet, picture.closed is not None, picture.reason, left, top + 20 + height + 22)


def _cell_px(n_rows: int, n_columns: int, labelled: bool) -> tuple[float, float]:
    """Width and height of a cell: square between tokens, low and narrow for features."""
    if labelled:
        side = min(44.0, 900 / max(n_rows, n_columns))
        return side, side
    return min(14.0, 1200 / n_columns), min(24.0, 900 / n_rows)


def _row_label_px(rows: Axis) -> float:
    return 20 + max((width(label, _LABEL) for label in rows.labels), default=20.0)


def _must_turn(columns: Axis, cell: float) -> bool:
    return any(width(label, _LABEL) > cell - 2 for label in columns.labels)


def _column_label_px(columns: Axis, turned: bool) -> float:
    if not columns.labels:
        return 4.0
    return 10 + (max(width(label, _LABEL) for label in columns.labels) if turned else _LABEL)


def _column_labels(sheet: Sheet, columns: Axis, left: float, top: float, cell: float, turned: bool) -> None:
    if columns.labels and cell < 7:
        return  # labels would lie on each other
    for index, label in enumerate(columns.labels):
        middle = left + (index + 0.5) * cell
        if turned:
            sheet.write(middle + 4, top - 6, label, turn=-90)
        else:
            sheet.write(middle, top - 6, label, anchor="middle")


def _row_labels(sheet: Sheet, rows: Axis, left: float, top: float, cell: float) -> None:
    if cell < 7:
        return
    for index, label in enumerate(rows.labels):
        sheet.write(left - 8, top + (index + 0.5) * cell + 4, label, anchor="end", size=min(_LABEL, cell))


def _cells(
    sheet: Sheet, index: NDArray[np.uint8], scale: Scale, left: float, top: float, cell_w: float, cell_h: float
) -> None:
    if index.size > _FEW_CELLS:
        _image(sheet, index, scale, left, top, cell_w, cell_h)
        return
    colours = table(scale.colours)
    for row, column in np.ndindex(index.shape):
        x, y, level = left + column * cell_w, top + row * cell_h, index[row, column]
        fill = {CLOSED: sheet.theme.closed, NOT_A_NUMBER: sheet.theme.unknown}.get(level)
        fill = fill or "#{:02x}{:02x}{:02x}".format(*colours[level])
        sheet.add(f'<rect x="{x:.2f}" y="{y:.2f}" width="{cell_w:.2f}" height="{cell_h:.2f}" fill="{fill}"/>',
                  x + cell_w, y + cell_h)
        if level == CLOSED:
            sheet.add(f'<path d="M{x:.2f} {y + cell_h:.2f}l{cell_w:.2f} {-cell_h:.2f}" stroke="{sheet.theme.closed_line}"/>')


def _image(
    sheet: Sheet, index: NDArray[np.uint8], scale: Scale, left: float, top: float, cell_w: float, cell_h: float
) -> None:
    """Cells as pixels, each repeated: viewers smooth a small image when they enlarge it."""
    across, down = (max(1, round(size * 2)) for size in (cell_w, cell_h))
    large = index.repeat(down, axis=0).repeat(across, axis=1)
    data = base64.b64encode(encode(large, palette(scale.colours, sheet.theme))).decode("ascii")
    wide, high = index.shape[1] * cell_w, index.shape[0] * cell_h
    sheet.add(f'<image x="{left:.2f}" y="{top:.2f}" width="{wide:.2f}" height="{high:.2f}" preserveAspectRatio="none" '
              f'xlink:href="data:image/png;base64,{data}"/>', left + wide, top + high)


def _colour_bar(sheet: Sheet, scale: Scale, x: float, top: float, height: float) -> None:
    colours = table(scale.colours)[::-1]
    step = height / 64
    for i in range(64):
        fill = "#{:02x}{:02x}{:02x}".format(*colours[round(i * (len(colours) - 1) / 63)])
        sheet.add(f'<rect x="{x:.1f}" y="{top + i * step:.2f}" width="12" height="{step + 0.3:.2f}" fill="{fill}"/>')
    sheet.add("", x + 12, top + height)
    sheet.write(x + 18, top + 10, number(scale.high), faint=True)
    sheet.write(x + 18, top + height, number(scale.low), faint=True)


def _legend(sheet: Sheet, any_closed: bool, reason: str, x: float, y: float) -> None:
    if not any_closed:
        return
    theme = sheet.theme
    sheet.add(f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="12" height="12" fill="{theme.closed}"/>'
              f'<path d="M{x:.1f} {y + 2:.1f}l12 -12" stroke="{theme.closed_line}"/>')
    sheet.write(x + 18, y, f"{sheet.words('legend.closed')}: {reason}", faint=True)
