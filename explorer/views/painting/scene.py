"""Paints a Scene."""

from functools import lru_cache, singledispatch

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from explorer.picture.figure.png import palette
from explorer.picture.river.scene import Bands, Box, Cells, Curves, Hatch, Label, Lanes, Line, Rect, Scene, Sentence
from explorer.picture.scales import GAP
from explorer.picture.theme import Theme
from explorer.views.painting import spans
from explorer.views.painting.labels import advance, label_image
from explorer.views.painting.paint import hatching

_ROUND_PX = 1.5  # A smaller radius is not seen, and takes five times as long.
_BEHIND = {"on_accent": "accent", "on_dark": "#000000", "on_light": "#ffffff"}


def paint_scene(painter: QPainter, scene: Scene, theme: Theme) -> None:
    """Paint all items, one over the other."""
    font = painter.font()
    for item in scene:
        _paint(item, painter, theme, font)
    painter.setFont(font)


def _coloured(name: str, theme: Theme, opacity: float = 1.0) -> QColor:
    colour = QColor(getattr(theme, name))
    if opacity < 1:
        colour.setAlphaF(opacity)
    return colour


def _rect(rect: Rect) -> QRectF:
    return QRectF(rect.x, rect.y, rect.w, rect.h)


@singledispatch
def _paint(item: object, painter: QPainter, theme: Theme, font: QFont) -> None:
    raise TypeError(type(item).__name__)


@_paint.register
def _label(item: Label, painter: QPainter, theme: Theme, font: QFont) -> None:
    if item.room < 8 or not item.text:
        return
    colour = getattr(theme, item.colour)
    behind = _BEHIND.get(item.colour, "")  # Labels are drawn for their background.
    ground = getattr(theme, behind, behind) if behind else painter.background().color().name()
    ratio = painter.device().devicePixelRatio()
    image, wide, high = _drawn_label(font.family(), item.px, item.bold, item.text, colour, ground, item.room, ratio)
    left = item.x - wide * _SHARE[item.align]
    if item.opacity < 1:
        painter.setOpacity(item.opacity)
    painter.drawImage(QPointF(round(left), round(item.y - high / 2)), image)
    if item.opacity < 1:
        painter.setOpacity(1)


_SHARE = {"left": 0.0, "middle": 0.5, "right": 1.0}


@lru_cache(maxsize=2048)
def _drawn_label(
    family: str, px: float, bold: bool, text: str, colour: str, ground: str, room: float, ratio: float
) -> tuple[QImage, float, float]:
    """A label's image with its width and height (px). A QFont is slow to look up, so it is no part of the key."""
    return label_image(_font(family, px, bold), text, colour, ground, room, ratio)


@_paint.register
def _sentence(item: Sentence, painter: QPainter, theme: Theme, font: QFont) -> None:
    x, end = item.x, item.x + item.room
    for piece in item.pieces:
        colour = "accent" if piece.accent else "text"
        _label(Label(x, item.y, piece.text, item.px, colour, piece.accent, room=max(end - x, 0.0)), painter, theme, font)
        x += advance(_font(font.family(), item.px, piece.accent), piece.text)
        if x >= end:
            return


@lru_cache(maxsize=64)
def _font(family: str, px: float, bold: bool) -> QFont:
    font = QFont(family)
    font.setPixelSize(round(px))
    font.setBold(bold)
    return font


@_paint.register
def _box(item: Box, painter: QPainter, theme: Theme, font: QFont) -> None:
    rect = _rect(item.rect)
    if not item.line and item.radius < _ROUND_PX:
        painter.fillRect(rect, _coloured(item.fill, theme, item.opacity))
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, bool(item.radius))
    painter.setBrush(_coloured(item.fill, theme, item.opacity) if item.fill else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_coloured(item.line, theme, item.opacity), item.width) if item.line else Qt.PenStyle.NoPen)
    inner = rect.adjusted(0.5, 0.5, -0.5, -0.5) if item.line else rect
    painter.drawRoundedRect(inner, item.radius, item.radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


@_paint.register
def _hatch(item: Hatch, painter: QPainter, theme: Theme, font: QFont) -> None:
    painter.fillRect(_rect(item.rect), hatching(theme))


@_paint.register
def _line(item: Line, painter: QPainter, theme: Theme, font: QFont) -> None:
    colour = _coloured(item.colour, theme, item.opacity)
    if item.x0 == item.x1:
        painter.fillRect(QRectF(item.x0 - item.width / 2, item.y0, item.width, item.y1 - item.y0), colour)
    elif item.y0 == item.y1:
        painter.fillRect(QRectF(item.x0, item.y0 - item.width / 2, item.x1 - item.x0, item.width), colour)
    else:
        painter.setPen(QPen(colour, item.width))
        painter.drawLine(QPointF(item.x0, item.y0), QPointF(item.x1, item.y1))


@lru_cache(maxsize=64)
def _colour_table(colours: str, theme: Theme) -> NDArray[np.uint32]:
    """[256] premultiplied colours of a table; gaps are transparent."""
    rgba = palette(getattr(theme, colours, colours), theme).astype(np.uint32)
    argb = ((np.uint32(255) << 24) | (rgba[:, 0] << 16) | (rgba[:, 1] << 8) | rgba[:, 2]).astype(np.uint32)
    argb[GAP] = 0
    return argb


@_paint.register
def _cells(item: Cells, painter: QPainter, theme: Theme, font: QFont) -> None:
    rows, columns = item.index.shape
    pixels = _colour_table(item.colours, theme).take(item.index)
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
    painter.setOpacity(item.opacity)
    painter.drawImage(_rect(item.rect), image)
    painter.setOpacity(1)


@_paint.register
def _lanes(item: Lanes, painter: QPainter, theme: Theme, font: QFont) -> None:
    spans.paint_lanes(painter, item, theme)


@_paint.register
def _bands(item: Bands, painter: QPainter, theme: Theme, font: QFont) -> None:
    spans.paint_bands(painter, item, theme)


@_paint.register
def _curves(item: Curves, painter: QPainter, theme: Theme, font: QFont) -> None:
    spans.paint_curves(painter, item, theme)
