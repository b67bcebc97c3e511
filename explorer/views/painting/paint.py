"""Small things that several views paint alike: images from colour indices, labels, hatching."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage

from explorer.picture.figure.png import palette
from explorer.picture.scales import GAP, LEVELS, table
from explorer.picture.theme import Theme


def colour_image(index: NDArray[np.uint8], colours: str, theme: Theme) -> QImage:
    """A pixel for each cell, in its colour. Painted enlarged, a palette image takes ten times as long as this one."""
    height, width = index.shape
    pixels = _colour_table(colours, theme).take(index)
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()  # with memory of its own


@lru_cache(maxsize=32)
def _colour_table(colours: str, theme: Theme) -> NDArray[np.uint32]:
    rgba: NDArray[Any] = palette(colours, theme).astype(np.uint32)
    rgba[GAP] = QColor(theme.card).getRgb()  # a gap shows what lies behind
    argb: NDArray[Any] = (rgba[:, 3] << 24) | (rgba[:, 0] << 16) | (rgba[:, 1] << 8) | rgba[:, 2]
    return argb


@lru_cache(maxsize=8)
def hatching(theme: Theme) -> QBrush:
    """Fine diagonal lines over the plain colour of a closed cell."""
    tile = QImage(6, 6, QImage.Format.Format_RGB32)
    tile.fill(QColor(theme.closed))
    for step in range(6):
        tile.setPixelColor(step, 5 - step, QColor(theme.closed_line))
    return QBrush(tile)


@lru_cache(maxsize=32)
def ramp(colours: str) -> QImage:
    """The colours of a scale, one pixel wide, the highest on top."""
    image = QImage(1, LEVELS, QImage.Format.Format_RGB32)
    for level, (red, green, blue) in enumerate(table(colours).tolist()):
        image.setPixelColor(0, LEVELS - 1 - level, QColor(red, green, blue))
    return image


def elided(metrics: QFontMetricsF, label: str, width: float) -> str:
    return metrics.elidedText(label, Qt.TextElideMode.ElideRight, width)


def label_step(n: int, room_px: float, needed_px: float) -> int:
    """Every how many labels there is room for one."""
    return max(1, math.ceil(needed_px * n / max(room_px, 1.0)))
