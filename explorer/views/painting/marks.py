"""Paints marks with QPainter."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPolygonF

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
from explorer.picture.scales import GAP, palette
from explorer.picture.theme import Theme
from explorer.views.painting import spans
from explorer.views.painting.kept_images import kept_image
from explorer.views.painting.labels import advance
from explorer.views.painting.mark_texts import LEAST_ROOM, LabelImage, font_of, labels_on, paint_numbers, unhinted
from explorer.views.painting.paint import elided, frame_image, hatching, ramp

_ROUND_PX = 1.5  # A smaller radius is not seen, and takes five times as long.
# To ask Qt's classes for these takes as long as a small box.
_NO_BRUSH, _NO_PEN, _SMOOTH = Qt.BrushStyle.NoBrush, Qt.PenStyle.NoPen, QPainter.RenderHint.Antialiasing
_FLAT = Qt.PenCapStyle.FlatCap
_PIXELS = QImage.Format.Format_ARGB32_Premultiplied
_SHARE = {"left": 0.0, "middle": 0.5, "right": 1.0}
_LARGE = 16_384  # px; of larger boxes no image is kept


@attrs.frozen(eq=False)
class MarkCanvas:
    """What marks are painted on. It is asked for once, as a question to Qt takes as long as a small box."""

    painter: QPainter
    theme: Theme
    family: str  # of the font
    labels: "Callable[[float, bool, str, str, float, float], LabelImage | None]"
    ratio: float  # pixels of the device in a px
    by_letters: bool  # whether texts are drawn letter by letter: an image of them would be blurred

    def colour(self, name: str, opacity: float = 1.0) -> QColor:
        """A colour of the theme, or one in hexadecimal."""
        return _colour(getattr(self.theme, name, name), opacity)

    def pen(self, name: str, width: float, opacity: float, dash: Dash) -> QPen:
        """A pen of this width (px) and colour."""
        pen = QPen(self.colour(name, opacity), width)
        pen.setCapStyle(_FLAT)  # as in an SVG
        if dash:
            pen.setDashPattern([each / width for each in dash])  # Qt counts in widths of the pen.
        return pen


def paint_marks(painter: QPainter, marks: Iterable[Mark], theme: Theme) -> None:
    """Paint all marks, one over the other."""
    font, ground = painter.font(), painter.background().color().name()
    family, scaled = font.family(), painter.transform().isScaling()
    ratio = spans.pixels_a_px(painter)
    canvas = MarkCanvas(painter, theme, family, labels_on(family, theme, ground, ratio), ratio, scaled)
    for mark in marks:
        if type(mark) is Label:  # Every second mark is one.
            _label(mark, canvas)
        else:
            _PAINT[type(mark)](mark, canvas)
    painter.setFont(font)
    painter.setBrush(_NO_BRUSH)


def make_images(marks: Iterable[Mark], theme: Theme, ratio: float) -> None:
    """Make the images of marks before they are painted, for so many pixels in a px. It needs no painter, so any thread may."""
    for mark in marks:
        make = _IMAGES.get(type(mark))
        if make is not None:
            make(mark, theme, ratio)


@lru_cache(maxsize=256)  # The river of another sentence takes 16.6 ms, and 18.3 without it.
def _colour(hexadecimal: str, opacity: float) -> QColor:
    colour = QColor(hexadecimal)
    if opacity < 1:
        colour.setAlphaF(opacity)
    return colour


def qrect(rect: Rect) -> QRectF:
    """A rectangle of the marks for Qt."""
    return QRectF(rect.x, rect.y, rect.wide, rect.high)


def rect_of(rect: QRectF) -> Rect:
    """A rectangle of Qt's for the marks."""
    return Rect(rect.x(), rect.y(), rect.width(), rect.height())


def _label(mark: Label, canvas: MarkCanvas) -> None:
    if canvas.by_letters:
        _letters(mark, canvas)
        return
    made = canvas.labels(mark.px, mark.bold, mark.text, mark.colour, mark.room, mark.turn)
    if made is None:
        return
    image, (along, below), (left, above) = made
    share = _SHARE[mark.align]
    x, y = round(mark.x - left - share * along), round(mark.y - above - share * below)
    if mark.opacity < 1:
        canvas.painter.setOpacity(mark.opacity)
        canvas.painter.drawImage(x, y, image)
        canvas.painter.setOpacity(1)
    else:
        canvas.painter.drawImage(x, y, image)


def _letters(mark: Label, canvas: MarkCanvas) -> None:
    """Draw a text where the painter enlarges: pixels of an image of it would not be those of the device."""
    if mark.room < LEAST_ROOM or not mark.text:
        return
    font = unhinted(canvas.family, mark.px, mark.bold)
    text = mark.text if math.isinf(mark.room) else elided(QFontMetricsF(font), mark.text, mark.room)
    canvas.painter.setFont(font)
    canvas.painter.setPen(canvas.colour(mark.colour, mark.opacity))
    left, below = -_SHARE[mark.align] * advance(font, text), BELOW_MIDDLE * mark.px
    if not mark.turn:
        canvas.painter.drawText(QPointF(mark.x + left, mark.y + below), text)
        return
    canvas.painter.save()
    canvas.painter.translate(mark.x, mark.y)
    canvas.painter.rotate(mark.turn)
    canvas.painter.drawText(QPointF(left, below), text)
    canvas.painter.restore()


def _sentence(mark: AccentedLine, canvas: MarkCanvas) -> None:
    x, end = mark.x, mark.x + mark.room
    for piece in mark.pieces:
        colour = "accent" if piece.accent else "text"
        _label(Label(x, mark.y, piece.text, mark.px, colour, piece.accent, room=max(end - x, 0.0)), canvas)
        x += advance(font_of(canvas.family, mark.px, piece.accent), piece.text)
        if x >= end:
            return


def _box(mark: Box, canvas: MarkCanvas) -> None:
    painter, rect, theme = canvas.painter, qrect(mark.rect), canvas.theme
    if not mark.line and mark.radius < _ROUND_PX:
        painter.fillRect(rect, canvas.colour(mark.fill, mark.opacity))
        return
    if mark.radius and mark.opacity >= 1 and not canvas.by_letters and mark.rect.wide * mark.rect.high < _LARGE:
        whole = rect.toRect()
        fill, line = (getattr(theme, name, name) for name in (mark.fill, mark.line))
        size = (max(1, whole.width()), max(1, whole.height()))
        painter.drawImage(whole.topLeft(), frame_image(size, fill, line, mark.width, mark.radius, mark.dash, canvas.ratio))
        return
    painter.setBrush(canvas.colour(mark.fill, mark.opacity) if mark.fill else _NO_BRUSH)
    painter.setPen(canvas.pen(mark.line, mark.width, mark.opacity, mark.dash) if mark.line else _NO_PEN)
    half = mark.width / 2
    inner = rect.adjusted(half, half, -half, -half) if mark.line else rect
    if mark.radius:
        painter.setRenderHint(_SMOOTH, True)
        painter.drawRoundedRect(inner, mark.radius, mark.radius)
        painter.setRenderHint(_SMOOTH, False)
    else:
        painter.drawRect(inner)


def _dots(mark: Dots, canvas: MarkCanvas) -> None:
    painter = canvas.painter
    pen = QPen(canvas.colour(mark.colour), 2 * mark.radius)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setRenderHint(_SMOOTH, True)
    painter.drawPoints(QPolygonF([QPointF(x, y) for x, y in zip(mark.x.tolist(), mark.y.tolist(), strict=True)]))
    painter.setRenderHint(_SMOOTH, False)


def _hatch(mark: Hatch, canvas: MarkCanvas) -> None:
    # In whole pixels the pattern is copied; between pixels it would be computed, which takes ten times as long.
    canvas.painter.fillRect(qrect(mark.rect).toRect(), hatching(canvas.theme, over=mark.over))


def _whole(x: float, y: float, wide: float, high: float) -> QRect:
    """A rectangle of whole px, which is filled five times as fast, and alike at every place."""
    return QRect(round(x), round(y), max(1, round(wide)), max(1, round(high)))


def _line(mark: Line, canvas: MarkCanvas) -> None:
    painter, half = canvas.painter, mark.width / 2
    if mark.dash or (mark.x0 != mark.x1 and mark.y0 != mark.y1):
        painter.setPen(canvas.pen(mark.colour, mark.width, mark.opacity, mark.dash))
        painter.setRenderHint(_SMOOTH, not mark.dash)
        painter.drawLine(QPointF(mark.x0, mark.y0), QPointF(mark.x1, mark.y1))
        painter.setRenderHint(_SMOOTH, False)
        return
    colour = canvas.colour(mark.colour, mark.opacity)
    if mark.x0 == mark.x1:
        painter.fillRect(_whole(mark.x0 - half, min(mark.y0, mark.y1), mark.width, abs(mark.y1 - mark.y0)), colour)
    else:
        painter.fillRect(_whole(min(mark.x0, mark.x1), mark.y0 - half, abs(mark.x1 - mark.x0), mark.width), colour)


def _path(mark: Path, canvas: MarkCanvas) -> None:
    first, *others = (QPointF(x, y) for x, y in mark.points)
    path = QPainterPath(first)
    if mark.curved:
        for control, other, end in zip(others[::3], others[1::3], others[2::3], strict=True):
            path.cubicTo(control, other, end)
    else:
        for point in others:
            path.lineTo(point)
    painter = canvas.painter
    painter.setPen(canvas.pen(mark.colour, mark.width, mark.opacity, mark.dash))
    painter.setBrush(_NO_BRUSH)
    painter.setRenderHint(_SMOOTH, True)
    painter.drawPath(path)
    painter.setRenderHint(_SMOOTH, False)


@lru_cache(maxsize=64)  # The river of another sentence takes 19.5 ms, and 23.2 without it.
def _colour_table(colours: str, theme: Theme) -> NDArray[np.uint32]:
    """[256] premultiplied colours of a table; gaps are transparent."""
    rgba = palette(getattr(theme, colours, colours), theme).astype(np.uint32)
    argb = ((np.uint32(255) << 24) | (rgba[:, 0] << 16) | (rgba[:, 1] << 8) | rgba[:, 2]).astype(np.uint32)
    argb[GAP] = 0
    return argb


def _coloured(mark: Cells, theme: Theme) -> QImage:
    rows, columns = mark.index.shape
    pixels = _colour_table(mark.colours, theme).take(mark.index)
    return QImage(pixels.data, columns, rows, 4 * columns, _PIXELS)


def _kept_cells(mark: Cells, theme: Theme, _ratio: float = 1.0) -> QImage:
    """The image of cells, made once. It has a pixel for each cell, however large they are painted."""
    return kept_image(mark, theme, 1.0, partial(_coloured, mark, theme))


def _cells(mark: Cells, canvas: MarkCanvas) -> None:
    painter = canvas.painter
    image = _kept_cells(mark, canvas.theme)
    if mark.opacity < 1:
        painter.setOpacity(mark.opacity)
    painter.drawImage(qrect(mark.rect), image)
    if mark.opacity < 1:
        painter.setOpacity(1)


def _ramp(mark: Ramp, canvas: MarkCanvas) -> None:
    canvas.painter.drawImage(qrect(mark.rect), ramp(mark.colours, canvas.theme))


def _numbers(mark: Numbers, canvas: MarkCanvas) -> None:
    paint_numbers(canvas.painter, mark, canvas.theme, canvas.family)


def _bands(mark: Bands, canvas: MarkCanvas) -> None:
    spans.paint_bands(canvas.painter, mark, canvas.theme)


def _lanes(mark: Lanes, canvas: MarkCanvas) -> None:
    spans.paint_lanes(canvas.painter, mark, canvas.theme)


def _curves(mark: Curves, canvas: MarkCanvas) -> None:
    spans.paint_curves(canvas.painter, mark, canvas.theme)


_PAINT: Mapping[type, Callable[[Any, MarkCanvas], None]] = {
    Label: _label,
    AccentedLine: _sentence,
    Box: _box,
    Dots: _dots,
    Hatch: _hatch,
    Line: _line,
    Path: _path,
    Cells: _cells,
    Ramp: _ramp,
    Numbers: _numbers,
    Bands: _bands,
    Lanes: _lanes,
    Curves: _curves,
}
"""How each mark is painted."""
_IMAGES: Mapping[type, Callable[[Any, Theme, float], object]] = {
    Cells: _kept_cells,
    Bands: spans.kept_bands,
    Lanes: spans.kept_lanes,
    Curves: spans.kept_curves,
}
"""What makes the image of a mark that is painted as one."""
