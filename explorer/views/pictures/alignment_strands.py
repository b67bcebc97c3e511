"""The strands of an Alignment: a line or an arc for each weight, of several heads beside each other in colours of their own."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from explorer.picture.kinds import Alignment, HeadLines
from explorer.picture.layout.strands import Placed, Point, asides
from explorer.picture.makers.alignment import head_colour, strokes
from explorer.picture.theme import Theme

_SEEN = 0.5 / 255  # the smallest opacity that a screen can show
_DASHES = {"": Qt.PenStyle.SolidLine, "dashed": Qt.PenStyle.DashLine, "dotted": Qt.PenStyle.DotLine}


def paint_strands(painter: QPainter, picture: Alignment, made: Placed, seen: NDArray[np.bool_], theme: Theme) -> None:
    """Paint the visible strands [row, column]; widths and opacities are those of the weights."""
    if not picture.overlaid:
        pen = QPen(QColor(theme.accent))
        _paint_head(painter, HeadLines(0, picture.values), picture, made, seen, pen, 0.0)
    places = asides(len(picture.overlaid), min(made.above.widths))
    for each, aside in zip(picture.overlaid, places, strict=True):
        colour, dash = head_colour(each.head, theme)
        pen = QPen(QColor(colour))
        pen.setStyle(_DASHES[dash])
        _paint_head(painter, each, picture, made, seen, pen, aside)


def _paint_head(
    painter: QPainter, each: HeadLines, picture: Alignment, made: Placed, seen: NDArray[np.bool_], pen: QPen, aside: float
) -> None:
    widths, opacities = strokes(each.values, picture.scale)
    colour = pen.color()
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for row, column in np.argwhere(seen & (opacities >= _SEEN)).tolist():
        colour.setAlphaF(float(opacities[row, column]))
        pen.setColor(colour)
        pen.setWidthF(float(widths[row, column]))
        painter.setPen(pen)
        _stroke(painter, made.strands.curve(row, column, aside))


def _stroke(painter: QPainter, points: tuple[Point, ...]) -> None:
    ends = [QPointF(*point) for point in points]
    if len(ends) == 2:
        painter.drawLine(*ends)
        return
    path = QPainterPath(ends[0])
    path.cubicTo(*ends[1:])
    painter.drawPath(path)
