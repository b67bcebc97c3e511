"""The marks of a Sketch as SVG elements."""

from functools import singledispatch

import numpy as np

from explorer.picture.figure.cells import draw_cells
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.text import BOLD, REGULAR, width
from explorer.picture.layout.sketch import Box, Cells, Dot, Letters, Line, Sketch
from explorer.picture.scales import Scale

_HATCH_PX = 5.0


def measured(content: str, size: float, bold: bool) -> float:
    """The width of a text in the bundled font (px)."""
    return width(content, size, BOLD if bold else REGULAR)


def draw_marks(drawing: Drawing, sketch: Sketch) -> None:
    """Put all marks of a sketch into a drawing, in their order."""
    for mark in sketch.marks:
        _draw(mark, drawing)


@singledispatch
def _draw(mark: object, drawing: Drawing) -> None:
    raise TypeError(type(mark).__name__)


@_draw.register
def _box(mark: Box, drawing: Drawing) -> None:
    area = mark.area
    edge = f' stroke="{mark.edge}" stroke-width="{mark.edge_px:g}"' if mark.edge else ""
    radius = f' rx="{mark.radius:g}"' if mark.radius else ""
    drawing.add(
        f'<rect x="{area.x:.2f}" y="{area.y:.2f}" width="{area.wide:.2f}" height="{area.high:.2f}"{radius} '
        f'fill="{mark.fill or "none"}"{edge}/>',
        area.right,
        area.bottom,
    )
    if mark.hatched:
        drawing.add(f'<path d="{hatching(area.x, area.y, area.wide, area.high)}" stroke="{drawing.theme.closed_line}"/>')


def hatching(x: float, y: float, wide: float, high: float) -> str:
    """Diagonal lines within a rectangle. Not every program draws an SVG pattern."""
    lines = []
    for start in np.arange(_HATCH_PX, wide + high, _HATCH_PX).tolist():
        # The line x + y = start, between the left and the lower edge on one side and the upper and the right one on the other.
        low, far = max(0.0, start - high), min(wide, start)
        lines.append(f"M{x + low:.1f} {y + start - low:.1f}L{x + far:.1f} {y + start - far:.1f}")
    return "".join(lines)


@_draw.register
def _line(mark: Line, drawing: Drawing) -> None:
    dashes = ' stroke-dasharray="3 3"' if mark.dashed else ""
    drawing.add(
        f'<path d="M{mark.x:.2f} {mark.y:.2f}L{mark.to_x:.2f} {mark.to_y:.2f}" stroke="{mark.colour}" '
        f'stroke-width="{mark.px:g}"{dashes}/>',
        max(mark.x, mark.to_x),
        max(mark.y, mark.to_y),
    )


@_draw.register
def _dot(mark: Dot, drawing: Drawing) -> None:
    drawing.add(
        f'<circle cx="{mark.x:.2f}" cy="{mark.y:.2f}" r="{mark.radius:g}" fill="{mark.fill}"/>',
        mark.x + mark.radius,
        mark.y + mark.radius,
    )


@_draw.register
def _letters(mark: Letters, drawing: Drawing) -> None:
    weight = BOLD if mark.bold else REGULAR
    drawing.write(mark.x, mark.y, mark.content, anchor=mark.anchor, size=mark.size, weight=weight, fill=mark.colour)


@_draw.register
def _cells(mark: Cells, drawing: Drawing) -> None:
    n_rows, n_columns = mark.index.shape
    scale = Scale(-1.0, 1.0, mark.colours)
    wide, high = mark.area.wide / n_columns, mark.area.high / n_rows
    draw_cells(drawing, mark.index, scale, mark.area.x, mark.area.y, wide, high)
