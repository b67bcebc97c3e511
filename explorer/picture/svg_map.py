"""Maps as SVG: one heat map, strips side by side, the wall of all heads."""

import base64
import math

import numpy as np
from numpy.typing import NDArray

from explorer.picture.atlas import Atlas, atlas
from explorer.picture.describe import number
from explorer.picture.picture import Axis, HeadGrid, Heatmap, Strips
from explorer.picture.png import encode, palette
from explorer.picture.scales import CLOSED, NOT_A_NUMBER, Scale, indices, table
from explorer.picture.sheet import LABEL, Sheet, hexadecimal
from explorer.picture.svg_text import width

_FEW_CELLS = 4096  # up to here each cell is a rectangle that a drawing program can take up
_LINE_PX = 1400.0  # where strips go on below
_LARGE_PX = 4096  # an image of so many pixels across needs no enlarging


def draw_heatmap(sheet: Sheet, picture: Heatmap, top: float) -> None:
    """A map with its labels, its scale and, where there are any, the meaning of closed cells."""
    n_rows, n_columns = picture.values.shape
    cell_w, cell_h = _cell_px(n_rows, n_columns, bool(picture.columns.labels))
    left = _row_label_px(picture.rows, cell_h)
    turned = any(width(label, LABEL) > cell_w - 4 for label in picture.columns.labels)
    top += _column_label_px(picture.columns, turned, cell_w)
    _column_labels(sheet, picture.columns, left, top, cell_w, turned)
    _row_labels(sheet, picture.rows, left, top, cell_h)
    index = indices(picture.values, picture.scale, picture.closed)
    _cells(sheet, index, picture.scale, left, top, cell_w, cell_h)
    right, bottom = left + n_columns * cell_w, top + n_rows * cell_h
    _colour_bar(sheet, picture.scale, right + 16, top, bottom - top)
    _legend(sheet, picture, index, left, bottom)


def draw_strips(sheet: Sheet, picture: Strips, top: float) -> None:
    """Bands beside each other, on the next line where they would run too wide; the rows' labels stand at the left."""
    rows, (n_rows, n_columns) = picture.bands[0].rows, picture.bands[0].values.shape
    cell_h, cell_w = _whole(min(24.0, max(2.0, 640 / n_rows))), _whole(max(1.0, min(12.0, 280 / n_columns)))
    start = left = _row_label_px(rows, cell_h)
    _row_labels(sheet, rows, left, top + 20, cell_h)
    for band in picture.bands:
        reach = f"{number(band.scale.low)} … {number(band.scale.high)}"
        wide = max(band.values.shape[1] * cell_w, width(band.caption.title, LABEL), width(reach, LABEL))
        if left > start and left + wide > _LINE_PX:
            left, top = start, top + 62 + n_rows * cell_h
            _row_labels(sheet, rows, left, top + 20, cell_h)
        sheet.write(left, top + 12, band.caption.title)
        _image(sheet, indices(band.values, band.scale, band.closed), band.scale, left, top + 20, cell_w, cell_h)
        sheet.write(left, top + 38 + n_rows * cell_h, reach, faint=True)
        left += wide + 20


def draw_grid(sheet: Sheet, picture: HeadGrid, top: float) -> None:
    """The wall: layers downward, heads to the right, each named at the border."""
    made = atlas(picture)
    cell = _whole(max(1.0, min(12.0, 1400 / made.index.shape[1])))
    left = 40.0
    _head_labels(sheet, made, picture.values.shape[1], left, top, cell)
    _layer_labels(sheet, made, picture.layers, left, top + 20, cell)
    _image(sheet, made.index, picture.scale, left, top + 20, cell, cell)
    height, total = made.index.shape[0] * cell, made.index.shape[1] * cell
    _colour_bar(sheet, picture.scale, left + total + 16, top + 20, height)
    _legend(sheet, picture, made.index, left, top + 20 + height)


def _head_labels(sheet: Sheet, made: Atlas, n_heads: int, left: float, top: float, cell: float) -> None:
    pitch = made.pitch_columns * cell
    for head in range(0, n_heads, math.ceil((width(f"H{n_heads}", LABEL) + 4) / pitch)):  # as many as do not touch
        sheet.write(left + head * pitch + made.n_columns * cell / 2, top + 12, f"H{head}", anchor="middle", faint=True)


def _layer_labels(sheet: Sheet, made: Atlas, layers: tuple[int, ...], left: float, top: float, cell: float) -> None:
    pitch = made.pitch_rows * cell
    every = math.ceil(LABEL / pitch)
    for row, layer in list(enumerate(layers))[::every]:
        sheet.write(left - 8, top + row * pitch + made.n_rows * cell / 2 + 4, f"L{layer}", anchor="end", faint=True)


def _cell_px(n_rows: int, n_columns: int, labelled: bool) -> tuple[float, float]:
    """Width and height of a cell: square between tokens, low and narrow for features."""
    if labelled:
        side = _whole(min(44.0, 900 / max(n_rows, n_columns)))
        return side, side
    return _whole(min(14.0, 1200 / n_columns)), _whole(min(24.0, 900 / n_rows))


def _whole(size: float) -> float:
    """Whole pixels where there are any: between cells that end within a pixel the background shines through."""
    return float(int(size)) if size >= 1 else size


def _row_label_px(rows: Axis, cell: float) -> float:
    size = _row_label_size(cell)
    return math.ceil(8 + max((width(label, size) for label in rows.labels if size), default=0.0))


def _row_label_size(cell: float) -> float:
    """The size of rows' labels; 0 where they would lie on each other."""
    return 0.0 if cell < 7 else min(LABEL, cell)


def _column_label_px(columns: Axis, turned: bool, cell: float) -> float:
    if not columns.labels or cell < LABEL:
        return 4.0
    return math.ceil(10 + (max(width(label, LABEL) for label in columns.labels) if turned else LABEL))


def _column_labels(sheet: Sheet, columns: Axis, left: float, top: float, cell: float, turned: bool) -> None:
    if cell < LABEL:
        return  # labels would lie on each other
    for index, label in enumerate(columns.labels):
        middle = left + (index + 0.5) * cell
        if turned:
            sheet.write(middle + 4, top - 6, label, turn=-90)
        else:
            sheet.write(middle, top - 6, label, anchor="middle")


def _row_labels(sheet: Sheet, rows: Axis, left: float, top: float, cell: float) -> None:
    size = _row_label_size(cell)
    for index, label in enumerate(rows.labels if size else ()):
        sheet.write(left - 8, top + (index + 0.5) * cell + size / 3, label, anchor="end", size=size)


def _cells(
    sheet: Sheet, index: NDArray[np.uint8], scale: Scale, left: float, top: float, cell_w: float, cell_h: float
) -> None:
    if index.size > _FEW_CELLS:
        _image(sheet, index, scale, left, top, cell_w, cell_h)
        return
    colours = table(scale.colours)
    special = {CLOSED: sheet.theme.closed, NOT_A_NUMBER: sheet.theme.unknown}
    for row, column in np.ndindex(index.shape):
        x, y, level = left + column * cell_w, top + row * cell_h, int(index[row, column])
        fill = special.get(level) or hexadecimal(colours[level])
        sheet.add(f'<rect x="{x:.2f}" y="{y:.2f}" width="{cell_w:.2f}" height="{cell_h:.2f}" fill="{fill}"/>',
                  x + cell_w, y + cell_h)
        if level == CLOSED:
            sheet.add(f'<path d="M{x:.2f} {y + cell_h:.2f}l{cell_w:.2f} {-cell_h:.2f}" stroke="{sheet.theme.closed_line}"/>')


def _image(
    sheet: Sheet, index: NDArray[np.uint8], scale: Scale, left: float, top: float, cell_w: float, cell_h: float
) -> None:
    """Cells as pixels, each repeated: viewers smooth a small image when they enlarge it."""
    down, across = (_repeats(size, n) for size, n in zip((cell_h, cell_w), index.shape, strict=True))
    large = index.repeat(down, axis=0).repeat(across, axis=1)
    data = base64.b64encode(encode(large, palette(scale.colours, sheet.theme))).decode("ascii")
    wide, high = index.shape[1] * cell_w, index.shape[0] * cell_h
    sheet.add(f'<image x="{left:.2f}" y="{top:.2f}" width="{wide:.2f}" height="{high:.2f}" preserveAspectRatio="none" '
              f'xlink:href="data:image/png;base64,{data}"/>', left + wide, top + high)


def _repeats(cell: float, n_cells: int) -> int:
    return max(1, min(round(cell * 2), _LARGE_PX // n_cells))


def _colour_bar(sheet: Sheet, scale: Scale, x: float, top: float, beside: float) -> None:
    """The scale, as high as the map beside it, but never too short or too long to read."""
    if scale.colours == "open":
        return  # a mask has no values
    colours = table(scale.colours)[::-1]
    height = max(60.0, min(beside, 240.0))
    step = height / 64
    for i in range(64):
        fill = hexadecimal(colours[round(i * (len(colours) - 1) / 63)])
        sheet.add(f'<rect x="{x:.1f}" y="{top + i * step:.2f}" width="12" height="{step + 0.3:.2f}" fill="{fill}"/>')
    sheet.reach(x + 12, top + height)
    sheet.write(x + 18, top + 10, number(scale.high), faint=True)
    sheet.write(x + 18, top + height, number(scale.low), faint=True)


def _legend(sheet: Sheet, picture: Heatmap | HeadGrid, index: NDArray[np.uint8], x: float, bottom: float) -> None:
    """Which way the axes run, and what the colours mean that are no values."""
    y, theme = bottom + 22, sheet.theme
    sheet.write(x, y, f"{picture.rows.name} ↓   {picture.columns.name} →", faint=True)
    if picture.closed is not None:
        y += 20
        _swatch(sheet, x, y, theme.closed, f"{sheet.words('legend.closed')}: {picture.reason}")
        sheet.add(f'<path d="M{x:.1f} {y + 2:.1f}l12 -12" stroke="{theme.closed_line}"/>')
    if (index == NOT_A_NUMBER).any():
        _swatch(sheet, x, y + 20, theme.unknown, "NaN")


def _swatch(sheet: Sheet, x: float, y: float, fill: str, meaning: str) -> None:
    sheet.add(f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="12" height="12" fill="{fill}"/>')
    sheet.write(x + 18, y, meaning, faint=True)
