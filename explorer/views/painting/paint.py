"""Painting helpers of several views: images from colour indices, hatching, scales and labels."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QLinearGradient, QPainter, QPen

from explorer.picture.scales import GAP, LEVELS, palette
from explorer.picture.theme import Theme

_TILE = 6  # px, the side of the square that hatching repeats
_FEW = 24_576  # cells; of fewer, to hand Qt a palette takes as long as to look the colours up


def colour_image(index: NDArray[np.uint8], colours: str, theme: Theme) -> QImage:
    """An image with one pixel for each cell, in true colour, as enlarging a palette image takes ten times as long."""
    if index.size < _FEW:
        return _image(_colour_table(colours, theme).take(index))
    # Qt makes true colours of a palette's in half the time: NumPy widens each index to eight bytes before it looks it up.
    cells = np.ascontiguousarray(index)
    height, width = cells.shape
    image = QImage(cells.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable(_colour_table(colours, theme).tolist())
    return image.convertToFormat(QImage.Format.Format_RGB32)


def squeezed(image: QImage, seen: QRectF, size_px: QSizeF, *, across: bool, paired: bool = False) -> tuple[QImage, QRectF]:
    """An image whose cells are averaged in one direction, as they will be seen in so many pixels, and the part to be painted.

    `seen` is the part of the image that is to be seen; with `across` cells of a row are averaged, otherwise those of a column.
    Where columns are `paired`, every other one is averaged by itself: of a sine and the cosine beside it the mean is neither.
    """
    whole = seen.toAlignedRect().intersected(image.rect())
    wide, high = whole.width(), whole.height()
    if across:
        wide = max(1, round(size_px.width() * whole.width() / seen.width()))
    else:
        high = max(1, round(size_px.height() * whole.height() / seen.height()))
    part = image.copy(whole)
    made = _averaged_apart(part, wide) if across and paired and wide > 1 else _averaged(part, wide, high)
    by_x, by_y = wide / whole.width(), high / whole.height()
    corner = seen.topLeft() - whole.topLeft()
    return made, QRectF(corner.x() * by_x, corner.y() * by_y, seen.width() * by_x, seen.height() * by_y)


def _averaged(image: QImage, wide: int, high: int) -> QImage:
    return image.scaled(wide, high, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)


def _averaged_apart(image: QImage, wide: int) -> QImage:
    """The means of even columns in even pixels, and those of odd columns in odd ones."""
    cells = _pixels(image)
    made = np.empty((image.height(), wide), np.uint32)
    for first in (0, 1):
        half = np.ascontiguousarray(cells[:, first::2])
        made[:, first::2] = _pixels(_averaged(_image(half), len(range(first, wide, 2)), image.height()))
    return _image(made)


def _pixels(image: QImage) -> NDArray[np.uint32]:
    """[row, column] of an image in true colour."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    return (
        np.frombuffer(plain.constBits(), np.uint32)
        .reshape(plain.height(), plain.bytesPerLine() // 4)[:, : plain.width()]
        .copy()
    )


def _image(pixels: NDArray[np.uint32]) -> QImage:
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()  # The copy owns its memory.


@lru_cache(maxsize=32)  # A map, a wall and strips are painted in 4.0 ms, and in 4.5 without it.
def _colour_table(colours: str, theme: Theme) -> NDArray[np.uint32]:
    rgba: NDArray[Any] = palette(colours, theme).astype(np.uint32)
    rgba[GAP] = QColor(theme.card).getRgb()  # Gaps have the card's colour.
    argb: NDArray[Any] = (rgba[:, 3] << 24) | (rgba[:, 0] << 16) | (rgba[:, 1] << 8) | rgba[:, 2]
    return argb


@lru_cache(maxsize=8)  # A causal map of 14 tokens is painted in 0.9 ms, and in 1.2 without it.
def hatching(theme: Theme, *, over: bool = False) -> QBrush:
    """A brush of fine diagonal lines on the colour of closed cells; `over` has lines of the card's colour and no ground."""
    pixels = np.full((_TILE, _TILE), 0 if over else QColor(theme.closed).rgba(), np.uint32)
    pixels[range(_TILE), range(_TILE - 1, -1, -1)] = QColor(theme.card if over else theme.closed_line).rgba()
    return QBrush(QImage(pixels.data, _TILE, _TILE, 4 * _TILE, QImage.Format.Format_ARGB32_Premultiplied).copy())


def ramp(colours: str, theme: Theme) -> QImage:
    """An image of a scale's colours, one pixel wide, with the highest on top."""
    return _image(np.ascontiguousarray(_colour_table(colours, theme)[LEVELS - 1 :: -1, None]))


def elided(metrics: QFontMetricsF, label: str, width: float) -> str:
    return metrics.elidedText(label, Qt.TextElideMode.ElideRight, width)


def fade(painter: QPainter, edge: QRectF, side: Qt.Edge, theme: Theme) -> None:
    """Let what lies at the edge of a view fade into the card, more and more toward that side, where more of it is hidden."""
    across = {
        Qt.Edge.LeftEdge: (edge.topRight(), edge.topLeft()),
        Qt.Edge.RightEdge: (edge.topLeft(), edge.topRight()),
        Qt.Edge.TopEdge: (edge.bottomLeft(), edge.topLeft()),
        Qt.Edge.BottomEdge: (edge.topLeft(), edge.bottomLeft()),
    }
    gradient, clear = QLinearGradient(*across[side]), QColor(theme.card)
    clear.setAlpha(0)
    gradient.setColorAt(0.0, clear)
    gradient.setColorAt(0.5, QColor(theme.card))
    painter.fillRect(edge, gradient)


@lru_cache(maxsize=256)  # An image is drawn twenty times as fast as its path.
def frame_image(
    size: tuple[int, int], fill: str, line: str, width: float, radius: float, dash: tuple[float, ...], ratio: float
) -> QImage:
    """A filled frame with round corners, wide and high in px. Its image is drawn twenty times as fast as its path."""
    wide, high = size
    image = QImage(round(wide * ratio), round(high * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(fill) if fill else Qt.BrushStyle.NoBrush)
        pen = QPen(QColor(line), width)
        if dash:
            pen.setDashPattern([each / width for each in dash])  # Qt counts in widths of the pen.
        painter.setPen(pen if line else Qt.PenStyle.NoPen)
        half = width / 2 if line else 0.0
        painter.drawRoundedRect(QRectF(0, 0, wide, high).adjusted(half, half, -half, -half), radius, radius)
    return image
