"""Paints a Scene."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen, QPolygonF

from explorer.picture.figure.png import palette
from explorer.picture.river.scene import Bands, Box, Cells, Curves, Dots, Hatch, Label, Lanes, Line, Rect, Scene, Sentence
from explorer.picture.scales import GAP
from explorer.picture.theme import Theme
from explorer.views.painting import spans
from explorer.views.painting.kept_images import kept_image
from explorer.views.painting.labels import advance, label_image
from explorer.views.painting.paint import hatching

_ROUND_PX = 1.5  # A smaller radius is not seen, and takes five times as long.
# To ask Qt's classes for these takes as long as a small box.
_NO_BRUSH, _NO_PEN, _SMOOTH = Qt.BrushStyle.NoBrush, Qt.PenStyle.NoPen, QPainter.RenderHint.Antialiasing
_PIXELS = QImage.Format.Format_ARGB32_Premultiplied
_BEHIND = {"on_accent": "accent", "on_dark": "#000000", "on_light": "#ffffff"}


@attrs.frozen(eq=False)
class Canvas:
    """What a scene is painted on. It is asked for once, as a question to Qt takes as long as a small box."""

    painter: QPainter
    theme: Theme
    family: str  # of the font
    labels: "Callable[[float, bool, str, str, float], _DrawnLabel | None]"

    def colour(self, name: str, opacity: float = 1.0) -> QColor:
        """A colour of the theme, or one in hexadecimal."""
        return _colour(getattr(self.theme, name, name), opacity)


def paint_scene(painter: QPainter, scene: Scene, theme: Theme) -> None:
    """Paint all items, one over the other."""
    font, ground = painter.font(), painter.background().color().name()
    family = font.family()
    canvas = Canvas(painter, theme, family, _labels(family, theme, ground, spans.pixels_a_px(painter)))
    for item in scene:
        if type(item) is Label:  # Every second item is one.
            _label(item, canvas)
        else:
            _PAINT[type(item)](item, canvas)
    painter.setFont(font)


def make_images(scene: Scene, theme: Theme, ratio: float) -> None:
    """Make the images of a scene before it is painted, for so many pixels in a px. It needs no painter, so any thread may."""
    for item in scene:
        make = _IMAGES.get(type(item))
        if make is not None:
            make(item, theme, ratio)


@lru_cache(maxsize=256)
def _colour(hexadecimal: str, opacity: float) -> QColor:
    colour = QColor(hexadecimal)
    if opacity < 1:
        colour.setAlphaF(opacity)
    return colour


def _rect(rect: Rect) -> QRectF:
    return QRectF(rect.x, rect.y, rect.w, rect.h)


def _label(item: Label, canvas: Canvas) -> None:
    made = canvas.labels(item.px, item.bold, item.text, item.colour, item.room)
    if made is None:
        return
    image, wide, half = made
    x, y = round(item.x - wide * _SHARE[item.align]), round(item.y - half)
    if item.opacity < 1:
        canvas.painter.setOpacity(item.opacity)
        canvas.painter.drawImage(x, y, image)
        canvas.painter.setOpacity(1)
    else:
        canvas.painter.drawImage(x, y, image)


_SHARE = {"left": 0.0, "middle": 0.5, "right": 1.0}

_DrawnLabel = tuple[QImage, float, float]


@lru_cache(maxsize=8)
def _labels(
    family: str, theme: Theme, ground: str, ratio: float
) -> Callable[[float, bool, str, str, float], _DrawnLabel | None]:
    """Draws labels of a font family on one ground: px, bold, text, name of the colour, room → image, width, half the height.

    Each is drawn once and kept. A scene asks for a hundred, and what is the same for all is no part of what each asks for.
    """

    @lru_cache(maxsize=2048)
    def drawn(px: float, bold: bool, text: str, colour: str, room: float) -> _DrawnLabel | None:
        if room < 8 or not text:
            return None
        behind = _BEHIND.get(colour)  # Labels are drawn for their background.
        on = ground if behind is None else getattr(theme, behind, behind)
        image, wide, high = label_image(_font(family, px, bold), text, getattr(theme, colour), on, room, ratio)
        return image, wide, high / 2

    return drawn


def _sentence(item: Sentence, canvas: Canvas) -> None:
    x, end = item.x, item.x + item.room
    for piece in item.pieces:
        colour = "accent" if piece.accent else "text"
        _label(Label(x, item.y, piece.text, item.px, colour, piece.accent, room=max(end - x, 0.0)), canvas)
        x += advance(_font(canvas.family, item.px, piece.accent), piece.text)
        if x >= end:
            return


@lru_cache(maxsize=64)
def _font(family: str, px: float, bold: bool) -> QFont:
    font = QFont(family)
    font.setPixelSize(round(px))
    font.setBold(bold)
    return font


def _box(item: Box, canvas: Canvas) -> None:
    painter, rect = canvas.painter, _rect(item.rect)
    if not item.line and item.radius < _ROUND_PX:
        painter.fillRect(rect, canvas.colour(item.fill, item.opacity))
        return
    painter.setBrush(canvas.colour(item.fill, item.opacity) if item.fill else _NO_BRUSH)
    painter.setPen(QPen(canvas.colour(item.line, item.opacity), item.width) if item.line else _NO_PEN)
    inner = rect.adjusted(0.5, 0.5, -0.5, -0.5) if item.line else rect
    if item.radius:
        painter.setRenderHint(_SMOOTH, True)
        painter.drawRoundedRect(inner, item.radius, item.radius)
        painter.setRenderHint(_SMOOTH, False)
    else:
        painter.drawRect(inner)


def _dots(item: Dots, canvas: Canvas) -> None:
    painter = canvas.painter
    pen = QPen(canvas.colour(item.colour), 2 * item.radius)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawPoints(QPolygonF([QPointF(x, y) for x, y in zip(item.x.tolist(), item.y.tolist(), strict=True)]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _hatch(item: Hatch, canvas: Canvas) -> None:
    canvas.painter.fillRect(_rect(item.rect), hatching(canvas.theme))


def _whole(x: float, y: float, w: float, h: float) -> QRect:
    """A rectangle of whole px, which is filled five times as fast, and alike at every place."""
    return QRect(round(x), round(y), max(1, round(w)), max(1, round(h)))


def _line(item: Line, canvas: Canvas) -> None:
    painter, colour, half = canvas.painter, canvas.colour(item.colour, item.opacity), item.width / 2
    if item.x0 == item.x1:
        painter.fillRect(_whole(item.x0 - half, min(item.y0, item.y1), item.width, abs(item.y1 - item.y0)), colour)
    elif item.y0 == item.y1:
        painter.fillRect(_whole(min(item.x0, item.x1), item.y0 - half, abs(item.x1 - item.x0), item.width), colour)
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


def _coloured(item: Cells, theme: Theme) -> QImage:
    rows, columns = item.index.shape
    pixels = _colour_table(item.colours, theme).take(item.index)
    return QImage(pixels.data, columns, rows, 4 * columns, _PIXELS)


def _kept_cells(item: Cells, theme: Theme, _ratio: float = 1.0) -> QImage:
    """The image of cells, made once. It has a pixel for each cell, however large they are painted."""
    return kept_image(item, theme, 1.0, partial(_coloured, item, theme))


def _cells(item: Cells, canvas: Canvas) -> None:
    painter = canvas.painter
    image = _kept_cells(item, canvas.theme)
    if item.opacity < 1:
        painter.setOpacity(item.opacity)
    painter.drawImage(_rect(item.rect), image)
    if item.opacity < 1:
        painter.setOpacity(1)


def _bands(item: Bands, canvas: Canvas) -> None:
    spans.paint_bands(canvas.painter, item, canvas.theme)


def _lanes(item: Lanes, canvas: Canvas) -> None:
    spans.paint_lanes(canvas.painter, item, canvas.theme)


def _curves(item: Curves, canvas: Canvas) -> None:
    spans.paint_curves(canvas.painter, item, canvas.theme)


_PAINT: Mapping[type, Callable[[Any, Canvas], None]] = {
    Label: _label,
    Sentence: _sentence,
    Box: _box,
    Dots: _dots,
    Hatch: _hatch,
    Line: _line,
    Cells: _cells,
    Bands: _bands,
    Lanes: _lanes,
    Curves: _curves,
}
"""How each item is painted."""
_IMAGES: Mapping[type, Callable[[Any, Theme, float], object]] = {
    Cells: _kept_cells,
    Bands: spans.kept_bands,
    Lanes: spans.kept_lanes,
    Curves: spans.kept_curves,
}
"""What makes the image of an item that is painted as one."""
