"""Small things that several views paint alike: images from colour indices, labels, hatching."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPixmap

from explorer.picture.png import palette
from explorer.picture.theme import Theme


def colour_image(index: NDArray[np.uint8], colours: str, theme: Theme) -> QImage:
    """A palette image that owns its memory: one byte a cell, no pass over the cells to colour them."""
    height, width = index.shape
    image = QImage(np.ascontiguousarray(index).data, width, height, width, QImage.Format.Format_Indexed8).copy()
    image.setColorTable(_colour_table(colours, theme))
    return image


def _colour_table(colours: str, theme: Theme) -> list[int]:
    rgba = palette(colours, theme).astype(np.uint32)
    argb: NDArray[Any] = (rgba[:, 3] << 24) | (rgba[:, 0] << 16) | (rgba[:, 1] << 8) | rgba[:, 2]
    return [int(each) for each in argb]


def hatching(theme: Theme) -> QBrush:
    """Fine diagonal lines over the plain colour of a closed cell."""
    tile = QPixmap(6, 6)
    tile.fill(QColor(theme.closed))
    painter = QPainter(tile)
    painter.setPen(QColor(theme.closed_line))
    painter.drawLine(0, 5, 5, 0)
    painter.end()
    return QBrush(tile)


def elided(metrics: QFontMetricsF, label: str, width: float) -> str:
    return metrics.elidedText(label, Qt.TextElideMode.ElideRight, width)


def label_step(n: int, room_px: float, needed_px: float) -> int:
    """Every how many labels there is room for one."""
    return max(1, math.ceil(needed_px * n / max(room_px, 1.0)))


def turned_text(painter: QPainter, x: float, y: float, label: str) -> None:
    """A label that climbs to the right from (x, y)."""
    painter.save()
    painter.translate(x, y)
    painter.rotate(-50)
    painter.drawText(QRectF(0, -9, 400, 18), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, label)
    painter.restore()
