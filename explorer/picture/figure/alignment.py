"""An Alignment outside the window: as SVG two rows of tokens with a line for each weight, or one row with arcs."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from explorer.lang import Words
from explorer.picture.alignment_lines import head_colour, strokes, tell_all
from explorer.picture.cell_text import number
from explorer.picture.figure.drawing import LABEL, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import width
from explorer.picture.kinds import Alignment
from explorer.picture.layout.alignment import Side, lay_out, letter_px, stacked
from explorer.picture.layout.strands import Placed, Point, Room, asides, place_arcs, place_lines
from explorer.picture.tables import Table, table_name
from explorer.trace.arrays import Array

_ROOM_PX = 900.0  # px; labels are turned where one line of them is wider
_LINE_PX = 17.0
_GAP_PX = 6.0  # px between a label and the ends of its lines
_SAMPLES = (0.1, 0.5, 1.0)  # shares of the scale that the legend shows
_DASHES = {"": "", "dashed": ' stroke-dasharray="7 4"', "dotted": ' stroke-dasharray="2 3"'}
_measure = partial(width, size=LABEL)


def draw_alignment(drawing: Drawing, picture: Alignment, top: float) -> None:
    """Draw the labels, the strands between them, and a legend of line widths and of heads."""
    columns, rows = picture.columns.labels, picture.rows.labels
    room_px = drawing.within(_ROOM_PX)
    natural = lay_out(columns, rows, _measure, room_px, _LINE_PX)
    reach = natural.above.reach + (0.0 if picture.arcs else natural.below.reach) + 2 * _GAP_PX
    room = Room(room_px, min(320.0, max(160.0, natural.width * 0.36)) + reach, _LINE_PX, 0.0, _GAP_PX)
    if picture.arcs:
        made = place_arcs(columns, _measure, room, ahead=picture.looks_ahead, n_heads=max(1, len(picture.overlaid)))
    else:
        made = place_lines(columns, rows, _measure, room)
    _strands(drawing, picture, made, top)
    if not picture.arcs:
        _labels(drawing, columns, made.above, top + made.above.reach, upward=True)
    _labels(drawing, rows, made.below, top + made.below_top, upward=False)
    drawing.reach(made.width, top + made.height)
    _legend(drawing, picture, top + made.height + 22)


def _strands(drawing: Drawing, picture: Alignment, made: Placed, top: float) -> None:
    places = asides(len(picture.overlaid), min(made.above.widths))
    if not picture.overlaid:
        _head(drawing, picture, made, top, picture.values, drawing.theme.accent)
    for each, aside in zip(picture.overlaid, places, strict=True):
        colour, dash = head_colour(each.head, drawing.theme)
        _head(drawing, picture, made, top, each.values, colour, dash, aside)


def _head(
    drawing: Drawing,
    picture: Alignment,
    made: Placed,
    top: float,
    values: Array,
    colour: str,
    dash: str = "",
    aside: float = 0.0,
) -> None:
    widths, opacities = strokes(values, picture.scale)
    for row, column in np.argwhere(opacities >= 0.00005):  # Four decimals cannot write a smaller opacity.
        points = [(x, top + y) for x, y in made.strands.curve(int(row), int(column), aside)]
        drawing.add(
            f'{_way(points)} stroke="{colour}" stroke-width="{widths[row, column]:.2f}" '
            f'stroke-opacity="{opacities[row, column]:.4f}"{_DASHES[dash]}/>'
        )


def _way(points: list[Point]) -> str:
    """The beginning of the element of a line, or of a cubic."""
    if len(points) == 2:
        (x1, y1), (x2, y2) = points
        return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    first, *others = (f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{first}C{" ".join(others)}" fill="none"'


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
    named = () if picture.arcs else (f"↑ {picture.columns.name}", f"↓ {picture.rows.name}")
    for text in named:
        x, y = _placed(drawing, x, y, width(text, LABEL))
        drawing.write(x, y, text, faint=True)
        x += width(text, LABEL) + 16
    ink = drawing.theme.text if picture.overlaid else drawing.theme.accent
    samples = picture.scale.low + np.array(_SAMPLES, np.float32) * (picture.scale.high - picture.scale.low)
    for sample, wide, opacity in zip(samples, *strokes(samples, picture.scale), strict=True):
        figure = number(float(sample))
        x, y = _placed(drawing, x, y, 30 + width(figure, LABEL))
        drawing.add(
            f'<path d="M{x:.1f} {y - 4:.1f}h24" stroke="{ink}" stroke-width="{wide:.2f}" stroke-opacity="{opacity:.4f}"/>',
            x + 24,
            y,
        )
        drawing.write(x + 30, y, figure, faint=True)
        x += 30 + width(figure, LABEL) + 16
    _heads_legend(drawing, picture, y + 20)


def _placed(drawing: Drawing, x: float, y: float, wide: float) -> tuple[float, float]:
    """The place of the next thing of a legend, `wide` px: beside the last one, or in a line below."""
    return (x, y) if not x or x + wide <= drawing.room else (0.0, y + 18)


def _heads_legend(drawing: Drawing, picture: Alignment, y: float) -> None:
    """Name the heads beside their colours, in as many lines as they need."""
    x = 0.0
    for each in picture.overlaid:
        colour, dash = head_colour(each.head, drawing.theme)
        wide = 24 + width(f"H{each.head}", LABEL) + 14
        if x + wide > drawing.within(_ROOM_PX):
            x, y = 0.0, y + 18
        drawing.add(
            f'<path d="M{x:.1f} {y - 4:.1f}h18" fill="none" stroke="{colour}" stroke-width="4"{_DASHES[dash]}/>', x + 18, y + 4
        )
        drawing.write(x + 24, y, f"H{each.head}", faint=True)
        x += wide


def _tables(picture: Alignment) -> Iterator[Table]:
    for each in picture.overlaid:
        values = each.values if each.recorded is None else each.recorded
        name = f"{table_name(picture.caption, computed=each.recorded is None)}.head{each.head}"
        yield Table(name, values, picture.rows, picture.columns, each.head)
    if picture.overlaid:
        return
    values = picture.values if picture.recorded is None else picture.recorded
    yield Table(table_name(picture.caption), values, picture.rows, picture.columns, picture.head)


def _described(picture: Alignment, words: Words) -> str:
    return f"{picture.caption.shape} {tell_all(picture)}"


ALIGNMENT = Kind(draw_alignment, _tables, _described)
