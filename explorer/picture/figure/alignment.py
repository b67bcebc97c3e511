"""An Alignment outside the window: as SVG two rows of tokens with a line for each weight, or one row with arcs."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from explorer.lang import Words
from explorer.picture.alignment_lines import strokes, tell_all
from explorer.picture.cell_text import number
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.figure.text import width
from explorer.picture.kinds import Alignment, HeadLines
from explorer.picture.layout.alignment import Side, lay_out, line_px
from explorer.picture.layout.alignment_marks import end_label, ink_of_heads, sample, strand
from explorer.picture.layout.sketch import LABEL, Sketch
from explorer.picture.layout.strands import Placed, Room, asides, place_arcs, place_lines
from explorer.picture.marks import Rect
from explorer.picture.tables import Table, table_name

_ROOM_PX = 900.0  # px; labels are turned where one line of them is wider
_GAP_PX = 6.0  # px between a label and the ends of its lines
_SAMPLES = (0.1, 0.5, 1.0)  # shares of the scale that the legend shows
_FAINTEST = 0.00005  # Four decimals cannot write a smaller opacity.
_measure = partial(width, size=LABEL)


def draw_alignment(drawing: Drawing, picture: Alignment, top: float) -> None:
    """Draw the strands, the labels at their ends, and a legend of line widths and of heads."""
    made = _placed(picture, drawing.within(_ROOM_PX))
    sketch = Sketch(drawing.theme, "", measured)
    _strands(sketch, picture, made)
    if not picture.arcs:
        _labels(sketch, picture.columns.labels, made.above, made.above_top, above=True)
    _labels(sketch, picture.rows.labels, made.below, made.below_top, above=False)
    bottom = _legend(sketch, picture, made.height + 22, drawing.room)
    drawing.add(f'<g transform="translate(0 {top:g})">', made.width, top + bottom)
    write_marks(drawing, sketch.marks)
    drawing.add("</g>")


def _placed(picture: Alignment, room_px: float) -> Placed:
    columns, rows, line = picture.columns.labels, picture.rows.labels, line_px(LABEL)
    natural = lay_out(columns, rows, _measure, room_px, line)
    reach = natural.above.reach + (0.0 if picture.arcs else natural.below.reach) + 2 * _GAP_PX
    room = Room(room_px, min(320.0, max(160.0, natural.width * 0.36)) + reach, line, 0.0, _GAP_PX)
    if picture.arcs:
        return place_arcs(columns, _measure, room, ahead=picture.looks_ahead, n_heads=max(1, len(picture.overlaid)))
    return place_lines(columns, rows, _measure, room)


def _strands(sketch: Sketch, picture: Alignment, made: Placed) -> None:
    heads = picture.overlaid or (HeadLines(-1, picture.values),)
    places = asides(len(heads), min(made.above.widths))
    for each, ink, aside in zip(heads, ink_of_heads(picture, sketch.theme), places, strict=True):
        widths, opacities = strokes(each.values, picture.scale)
        for row, column in np.argwhere(opacities >= _FAINTEST).tolist():
            cell = row, column
            sketch.marks.append(strand(made, cell, ink, float(widths[cell]), float(opacities[cell]), aside))


def _labels(sketch: Sketch, labels: tuple[str, ...], side: Side, top: float, *, above: bool) -> None:
    for label, middle, wide in zip(labels, side.middles, side.widths, strict=True):
        rect = Rect(middle - wide / 2, top, wide, side.reach)
        end_label(sketch, label, rect, LABEL, above=above, turned=side.turned)


def _legend(sketch: Sketch, picture: Alignment, y: float, room: float) -> float:
    """Say which sentence stands above and which below, and show the strands of a few weights; returns its lower end (px)."""
    x, faint = 0.0, sketch.theme.faint
    named = () if picture.arcs else (f"↑ {picture.columns.name}", f"↓ {picture.rows.name}")
    for name in named:
        x, y = _beside(x, y, width(name, LABEL), room)
        sketch.write(x, y, name, LABEL, faint)
        x += width(name, LABEL) + 16
    ink = "text" if picture.overlaid else "accent", ()
    samples = picture.scale.low + np.array(_SAMPLES, np.float32) * (picture.scale.high - picture.scale.low)
    for value, wide, opacity in zip(samples, *strokes(samples, picture.scale), strict=True):
        figure = number(float(value))
        x, y = _beside(x, y, 30 + width(figure, LABEL), room)
        sample(sketch, x, y, 24, ink, float(wide), float(opacity))
        sketch.write(x + 30, y, figure, LABEL, faint)
        x += 30 + width(figure, LABEL) + 16
    return _heads_legend(sketch, picture, y + 20, min(room, _ROOM_PX)) if picture.overlaid else y + 4


def _beside(x: float, y: float, wide: float, room: float) -> tuple[float, float]:
    """The place of the next thing of a legend, `wide` px: beside the last one, or in a line below."""
    return (x, y) if not x or x + wide <= room else (0.0, y + 18)


def _heads_legend(sketch: Sketch, picture: Alignment, y: float, room: float) -> float:
    """Name the heads beside their colours, in as many lines as they need."""
    x = 0.0
    for each, ink in zip(picture.overlaid, ink_of_heads(picture, sketch.theme), strict=True):
        wide = 24 + width(f"H{each.head}", LABEL) + 14
        x, y = _beside(x, y, wide, room)
        sample(sketch, x, y, 18, ink, 4)
        sketch.write(x + 24, y, f"H{each.head}", LABEL, sketch.theme.faint)
        x += wide
    return y + 4


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
