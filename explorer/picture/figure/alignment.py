"""An Alignment outside the window. As SVG: the source's tokens above, the target's below, a line for each weight."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.figure.drawing import LABEL, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import width
from explorer.picture.kinds import Alignment
from explorer.picture.layout.alignment import Side, lay_out, letter_px, stacked
from explorer.picture.makers.alignment import strokes, tell_all
from explorer.picture.tables import Table, table_name

_ROOM_PX = 900.0  # px; labels are turned where one line of them is wider
_LINE_PX = 17.0
_GAP_PX = 6.0  # px between a label and the ends of its lines
_SAMPLES = (0.1, 0.5, 1.0)  # shares of the scale that the legend shows
_measure = partial(width, size=LABEL)


def draw_alignment(drawing: Drawing, picture: Alignment, top: float) -> None:
    """Draw both rows of labels, the lines between them, and a legend of line widths."""
    made = lay_out(picture.columns.labels, picture.rows.labels, _measure, _ROOM_PX, _LINE_PX)
    first = top + made.above.reach + _GAP_PX
    last = first + min(320.0, max(160.0, made.width * 0.36))
    _lines(drawing, picture, made.above, made.below, first, last)
    _labels(drawing, picture.columns.labels, made.above, first - _GAP_PX, upward=True)
    _labels(drawing, picture.rows.labels, made.below, last + _GAP_PX, upward=False)
    bottom = last + _GAP_PX + made.below.reach
    drawing.reach(made.width, bottom)
    _legend(drawing, picture, bottom + 22)


def _lines(drawing: Drawing, picture: Alignment, above: Side, below: Side, first: float, last: float) -> None:
    widths, opacities = strokes(picture.values, picture.scale)
    for row, column in np.argwhere(opacities >= 0.00005):  # Four decimals cannot write a smaller opacity.
        drawing.add(
            f'<line x1="{above.middles[column]:.1f}" y1="{first:.1f}" x2="{below.middles[row]:.1f}" y2="{last:.1f}" '
            f'stroke="{drawing.theme.accent}" stroke-width="{widths[row, column]:.2f}" '
            f'stroke-opacity="{opacities[row, column]:.4f}"/>'
        )


def _labels(drawing: Drawing, labels: tuple[str, ...], side: Side, edge: float, *, upward: bool) -> None:
    """Write labels that end at `edge` (`upward`) or begin there."""
    for label, middle in zip(labels, side.middles, strict=True):
        if not side.turned:
            drawing.write(middle, edge - 4 if upward else edge + LABEL, label, anchor="middle")
        elif stacked(label):
            step = letter_px(_measure)
            start = edge - step * len(label) if upward else edge
            for place, letter in enumerate(label):
                drawing.write(middle, start + step * place + LABEL - 1, letter, anchor="middle")
        else:
            drawing.write(middle + 4, edge if upward else edge + width(label, LABEL), label, turn=-90)


def _legend(drawing: Drawing, picture: Alignment, y: float) -> None:
    """Say which sentence stands above and which below, and show the lines of a few weights."""
    x = 0.0
    for text in (f"↑ {picture.columns.name}", f"↓ {picture.rows.name}"):
        drawing.write(x, y, text, faint=True)
        x += width(text, LABEL) + 16
    samples = picture.scale.low + np.array(_SAMPLES, np.float32) * (picture.scale.high - picture.scale.low)
    for sample, wide, opacity in zip(samples, *strokes(samples, picture.scale), strict=True):
        drawing.add(
            f'<path d="M{x:.1f} {y - 4:.1f}h24" stroke="{drawing.theme.accent}" stroke-width="{wide:.2f}" '
            f'stroke-opacity="{opacity:.4f}"/>',
            x + 24,
            y,
        )
        figure = number(float(sample))
        drawing.write(x + 30, y, figure, faint=True)
        x += 30 + width(figure, LABEL) + 16


def _tables(picture: Alignment) -> Iterator[Table]:
    values = picture.values if picture.recorded is None else picture.recorded
    yield Table(table_name(picture.caption), values, picture.rows, picture.columns, picture.head)


def _described(picture: Alignment, words: Words) -> str:
    return f"{picture.caption.shape} {tell_all(picture)}"


ALIGNMENT = Kind(draw_alignment, _tables, _described)
