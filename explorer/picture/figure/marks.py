"""Writes marks as SVG elements: shapes that a drawing program can edit, letters that stay letters."""

import math
from collections.abc import Iterable, Sequence
from functools import singledispatch

import numpy as np

from explorer.picture.cell_numbers import NUMBER_PAD_PX, fainter_inks, figures, inks, is_small
from explorer.picture.figure import elements as element
from explorer.picture.figure.cells import write_cells
from explorer.picture.figure.drawing import Drawing, opaque
from explorer.picture.figure.elements import text
from explorer.picture.figure.text import BOLD, REGULAR, width
from explorer.picture.marks import (
    BELOW_MIDDLE,
    AccentedLine,
    Bands,
    Box,
    Cells,
    Curves,
    Dash,
    Dots,
    Hatch,
    Label,
    Lanes,
    Line,
    Mark,
    Numbers,
    Path,
    Ramp,
    Rect,
)
from explorer.picture.scales import hexadecimal, table

_HATCH_PX = 5.0
_STEPS, _SEAM_PX = 64, 0.3  # of a ramp; so much do they lie over each other, that the ground does not shine through
_LEAST_ROOM = 8.0  # px; less has no room for a text
_ANCHOR = {"left": "start", "middle": "middle", "right": "end"}
_BEYOND = {"left": 1.0, "middle": 0.5, "right": 0.0}  # the share of a text that lies to the right of its x


def measured(content: str, size: float, bold: bool) -> float:
    """The width of a text in the bundled font (px)."""
    return width(content, size, BOLD if bold else REGULAR)


def write_marks(drawing: Drawing, marks: Iterable[Mark], *, images: bool = False) -> None:
    """Put all marks into a drawing, in their order.

    Cells become `images` where there are thousands of small maps, otherwise shapes.
    """
    for mark in marks:
        if images and isinstance(mark, Cells):
            drawing.image(mark.index, _colour(drawing, mark.colours), mark.rect, mark.opacity)
        else:
            _write(mark, drawing)


def _colour(drawing: Drawing, name: str) -> str:
    return str(getattr(drawing.theme, name, name))


def _stroke(drawing: Drawing, colour: str, px: float, dash: Dash, opacity: float = 1) -> str:
    dashes = f' stroke-dasharray="{" ".join(f"{each:g}" for each in dash)}"' if dash else ""
    return f'stroke="{_colour(drawing, colour)}" stroke-width="{px:.3g}"{dashes}{opaque(opacity)}'


@singledispatch
def _write(mark: object, drawing: Drawing) -> None:
    raise TypeError(type(mark).__name__)


@_write.register
def _label(mark: Label, drawing: Drawing) -> None:
    weight = BOLD if mark.bold else REGULAR
    content = _cut(mark.text, mark.px, weight, mark.room)
    if content:
        below, turn, fill = BELOW_MIDDLE * mark.px, math.radians(mark.turn), _colour(drawing, mark.colour)
        x, y = mark.x - below * math.sin(turn), mark.y + below * math.cos(turn)
        drawn = text(
            x,
            y,
            content,
            size=mark.px,
            fill=fill,
            anchor=_ANCHOR[mark.align],
            weight=weight,
            turn=mark.turn,
            opacity=opaque(mark.opacity),
        )
        right = x + (0.0 if turn else _BEYOND[mark.align] * width(content, mark.px, weight))
        drawing.add(drawn, right, y + 4)


def _cut(content: str, px: float, weight: int, room: float) -> str:
    """The text, cut short where it is wider than its room."""
    if room < _LEAST_ROOM or width(content, px, weight) <= room:
        return content if room >= _LEAST_ROOM else ""
    while content and width(content + "…", px, weight) > room:
        content = content[:-1]
    return content + "…"


@_write.register
def _sentence(mark: AccentedLine, drawing: Drawing) -> None:
    x = mark.x
    for piece in mark.pieces:
        weight, fill = (BOLD, "accent") if piece.accent else (REGULAR, "text")
        bare = piece.text.lstrip()  # An SVG drops blanks at the start of a text.
        x += width(piece.text, mark.px, weight) - width(bare, mark.px, weight)
        y = mark.y + BELOW_MIDDLE * mark.px
        drawing.add(text(x, y, bare, size=mark.px, fill=_colour(drawing, fill), weight=weight))
        x += width(bare, mark.px, weight)


@_write.register
def _box(mark: Box, drawing: Drawing) -> None:
    rect = mark.rect.grown(-mark.width / 2) if mark.line else mark.rect
    fill = _colour(drawing, mark.fill) if mark.fill else "none"
    line = f" {_stroke(drawing, mark.line, mark.width, mark.dash)}" if mark.line else ""
    radius = f'rx="{mark.radius:g}" ' if mark.radius else ""
    drawing.add(element.rect(rect, f'{radius}fill="{fill}"{line}{opaque(mark.opacity)}'), mark.rect.right, mark.rect.bottom)


@_write.register
def _dots(mark: Dots, drawing: Drawing) -> None:
    fill = _colour(drawing, mark.colour)
    for x, y in zip(mark.x.tolist(), mark.y.tolist(), strict=True):
        drawing.add(element.circle(x, y, mark.radius, fill), x + mark.radius, y + mark.radius)


@_write.register
def _hatch(mark: Hatch, drawing: Drawing) -> None:
    rect, theme = mark.rect, drawing.theme
    if not mark.over:
        _box(Box(rect, theme.closed), drawing)
    drawing.add(element.path(_hatching(rect), f'stroke="{theme.card if mark.over else theme.closed_line}"'))


def _hatching(rect: Rect) -> str:
    """Diagonal lines within a rectangle. Not every program draws an SVG pattern."""
    lines = []
    for start in np.arange(_HATCH_PX, rect.wide + rect.high, _HATCH_PX).tolist():
        # The line x + y = start, between the left and the lower edge on one side and the upper and the right one on the other.
        low, far = max(0.0, start - rect.high), min(rect.wide, start)
        lines.append(f"M{rect.x + low:.1f} {rect.y + start - low:.1f}L{rect.x + far:.1f} {rect.y + start - far:.1f}")
    return "".join(lines)


@_write.register
def _line(mark: Line, drawing: Drawing) -> None:
    stroke = _stroke(drawing, mark.colour, mark.width, mark.dash, mark.opacity)
    drawing.add(element.path(f"M{mark.x0:.2f} {mark.y0:.2f}L{mark.x1:.2f} {mark.y1:.2f}", stroke))
    drawing.reach(max(mark.x0, mark.x1), max(mark.y0, mark.y1))


@_write.register
def _path(mark: Path, drawing: Drawing) -> None:
    first, *others = (f"{x:.1f} {y:.1f}" for x, y in mark.points)
    way = f"M{first}{'C' if mark.curved else 'L'}{' '.join(others)}"
    stroke = _stroke(drawing, mark.colour, mark.width, mark.dash, mark.opacity)
    drawing.add(element.path(way, f'fill="none" {stroke}'))
    drawing.reach(max(x for x, _y in mark.points), max(y for _x, y in mark.points))


@_write.register
def _cells(mark: Cells, drawing: Drawing) -> None:
    write_cells(drawing, mark.index, _colour(drawing, mark.colours), mark.rect)


@_write.register
def _ramp(mark: Ramp, drawing: Drawing) -> None:
    rect, colours = mark.rect, table(mark.colours)[::-1]
    high = rect.high / _STEPS
    for step in range(_STEPS):
        fill = hexadecimal(colours[round(step * (len(colours) - 1) / (_STEPS - 1))])
        seam = _SEAM_PX if step < _STEPS - 1 else 0.0
        _box(Box(Rect(rect.x, rect.y + step * high, rect.wide, high + seam), fill), drawing)


@_write.register
def _numbers(mark: Numbers, drawing: Drawing) -> None:
    rect, scale, (n_rows, n_columns) = mark.rect, mark.scale, mark.index.shape
    wide, high = rect.wide / n_columns, rect.high / n_rows
    ink_of, fainter = inks(scale.colours, drawing.theme), fainter_inks(scale.colours, drawing.theme)
    for (row, column), level in np.ndenumerate(mark.index):
        value = float(mark.values[row, column])
        content = next((each for each in figures(value) if width(each, mark.px) <= wide - NUMBER_PAD_PX), "")
        ink = (fainter if is_small(value, scale) else ink_of)[level]
        x, y = rect.x + (column + 0.5) * wide, rect.y + (row + 0.5) * high
        _label(Label(x, y, content, mark.px, ink, align="middle"), drawing)


@_write.register
def _lanes(mark: Lanes, drawing: Drawing) -> None:
    x, fill = mark.x.tolist(), _colour(drawing, mark.colour)
    for y, widths, opacity in zip(mark.y.tolist(), mark.width.tolist(), mark.opacity.tolist(), strict=True):
        there = _edge(x, [y - wide / 2 for wide in widths])
        back = _edge(x[::-1], [y + wide / 2 for wide in widths[::-1]])
        drawing.add(element.path(f"M{there}L{back}z", f'fill="{fill}"{opaque(opacity)}'))


def _edge(x: Sequence[float], y: Sequence[float]) -> str:
    parts = [f"{x[0]:.1f} {y[0]:.2f}"]
    for first, last in zip(range(len(x) - 1), range(1, len(x)), strict=True):
        middle = (x[first] + x[last]) / 2
        parts.append(f"C{middle:.1f} {y[first]:.2f} {middle:.1f} {y[last]:.2f} {x[last]:.1f} {y[last]:.2f}")
    return "".join(parts)


@_write.register
def _bands(mark: Bands, drawing: Drawing) -> None:
    across = mark.right - mark.left
    first, last = mark.left + mark.bend[0] * across, mark.right - mark.bend[1] * across
    drawing.add(f'<g fill="none" stroke="{_colour(drawing, mark.colour)}">')
    for y0, y1, wide, opacity in zip(*(each.tolist() for each in (mark.y0, mark.y1, mark.width, mark.opacity)), strict=True):
        drawing.add(
            element.path(
                f"M{mark.left:.1f} {y0:.1f}C{first:.1f} {y0:.1f} {last:.1f} {y1:.1f} {mark.right:.1f} {y1:.1f}",
                f'stroke-width="{wide:.2f}" stroke-opacity="{min(opacity, 1):.3f}"',
            )
        )
    drawing.add("</g>")


@_write.register
def _curves(mark: Curves, drawing: Drawing) -> None:
    for line, wide, opacity in zip(mark.y.tolist(), mark.width.tolist(), mark.opacity.tolist(), strict=True):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(mark.x.tolist(), line, strict=True))
        stroke = f'stroke="{_colour(drawing, mark.colour)}" stroke-width="{wide:.2g}"{opaque(opacity)}'
        drawing.add(element.polyline(points, f'fill="none" {stroke}'))
