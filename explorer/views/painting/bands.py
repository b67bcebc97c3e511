"""Bands between lanes as an image, without a stroker.

An antialiased cubic stroke of QPainter takes 0.1 ms, so a hundred of them would take 10. A band is only a span of rows in each
pixel column; all spans of a zone are four weights a column in one `bincount` and one cumulative sum, with exact coverage.
Ink adds up, so the order does not matter.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from explorer.picture.river.scene import Bands, curve
from explorer.picture.theme import Theme

_Floats = NDArray[np.float32]


@lru_cache(maxsize=64)
def _shape(columns: int, bend: tuple[float, float]) -> tuple[_Floats, _Floats]:
    """s [column] of the cubic at each column's middle, and its slope."""
    x, s = curve(bend)
    at = np.interp((np.arange(columns) + 0.5) / columns, x, s).astype(np.float32)
    return at, np.gradient(at).astype(np.float32) if columns > 1 else np.zeros(1, np.float32)


def coverage(bands: Bands, columns: int, top: float, height: int, ratio: float) -> _Floats:
    """[row, column] the sum over bands of ink × covered share, in device pixels; `top` and the bands are in px."""
    s, slope = _shape(columns, bands.bend)
    y0, y1 = (bands.y0 - top) * ratio, (bands.y1 - top) * ratio
    across = (y1 - y0)[:, None]  # [band, 1]
    y = y0[:, None] + across * s  # [band, column]
    # A band keeps its width across its direction: the span of a column is width · √(1 + slope²).
    half = 0.5 * ratio * bands.width[:, None] * np.sqrt(1 + (across * slope) ** 2)
    fade = np.clip((np.arange(columns) + 0.5) / max(bands.fade * ratio, 1e-6), 0, 1)
    # One band alone shall have its opacity: ink = −ln(1 − opacity), for α = 1 − e^(−Σ ink).
    ink = -np.log1p(-np.minimum(bands.opacity, 0.995))[:, None] * np.minimum(fade, fade[::-1])  # [band, column]
    column = np.arange(columns, dtype=np.int32)[None]
    places, weights = [], []
    for edge, sign in ((y - half, 1.0), (y + half, -1.0)):
        clipped = np.clip(edge, 0, height)
        row = clipped.astype(np.int32)
        part = clipped - row
        place = row * columns + column
        places += [place.ravel(), (place + columns).ravel()]
        weights += [(sign * ink * (1 - part)).ravel(), (sign * ink * part).ravel()]
    total = np.bincount(np.concatenate(places), np.concatenate(weights), minlength=(height + 2) * columns)
    sums: _Floats = np.cumsum(total.reshape(height + 2, columns), axis=0, dtype=np.float32)[:height]
    return sums


def image(bands: Bands, theme: Theme, ratio: float) -> tuple[QRectF, QImage] | None:
    """Where the bands stand and their image; None without bands."""
    if not len(bands.y0):
        return None
    margin = float(bands.width.max()) + 2
    top = math.floor(min(bands.y0.min(), bands.y1.min()) - margin)
    bottom = math.ceil(max(bands.y0.max(), bands.y1.max()) + margin)
    left, right = math.floor(bands.left), math.ceil(bands.right)
    columns, rows = max(1, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))
    # α = 1 − e^(−sum)
    alpha = 1 - np.exp(-coverage(bands, columns, top, rows, ratio))
    made = tinted(alpha, QColor(getattr(theme, bands.colour)))
    made.setDevicePixelRatio(ratio)
    return QRectF(left, top, columns / ratio, rows / ratio), made


def tinted(alpha: _Floats, colour: QColor) -> QImage:
    """An image of one colour with this opacity [row, column]."""
    a = (np.clip(alpha, 0, 1) * 255 + 0.5).astype(np.uint32)
    pixels = a << 24
    for shift, channel in ((16, colour.red()), (8, colour.green()), (0, colour.blue())):
        pixels |= (a * channel // 255) << shift  # premultiplied
    pixels = np.ascontiguousarray(pixels)
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied).copy()


def paint(painter: QPainter, bands: Bands, theme: Theme) -> None:
    """Paint the bands."""
    made = image(bands, theme, painter.device().devicePixelRatio())
    if made is not None:
        painter.drawImage(made[0].topLeft(), made[1])
