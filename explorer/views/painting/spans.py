"""Bands, lanes and curves as images, without a stroker.

An antialiased cubic stroke of QPainter takes 0.1 ms, so a hundred of them would take 10. A band is only a span of rows in each
pixel column; all spans of a zone are four weights a column in one `bincount` and one cumulative sum, with exact coverage.
Ink adds up, so the order does not matter.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from explorer.picture.river.scene import Bands, Curves, Lanes, curve
from explorer.picture.theme import Theme

_Floats = NDArray[np.float32]
_FINE, _MOST_INK = 1000, 6  # steps of ink; more than 6 is as dark as a colour can be


@lru_cache(maxsize=64)
def _shape(columns: int, bend: tuple[float, float]) -> tuple[_Floats, _Floats]:
    """s [column] of the cubic at each column's middle, and its slope."""
    x, s = curve(bend)
    at = np.interp((np.arange(columns) + 0.5) / columns, x, s).astype(np.float32)
    return at, np.gradient(at).astype(np.float32) if columns > 1 else np.zeros(1, np.float32)


def coverage(y: _Floats, half: _Floats, ink: _Floats, height: int) -> _Floats:
    """[row, column] the sum over spans of ink × covered share of each pixel.

    `y` [span, column] are the middles, `half` half the heights, `ink` what a fully covered pixel gets; all in device pixels.
    """
    columns = y.shape[1]
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


def band_image(bands: Bands, theme: Theme, ratio: float) -> tuple[QPointF, QImage] | None:
    """Where the bands begin and their image; None without bands."""
    if not len(bands.y0):
        return None
    margin = float(bands.width.max()) + 2
    top = math.floor(min(bands.y0.min(), bands.y1.min()) - margin)
    bottom = math.ceil(max(bands.y0.max(), bands.y1.max()) + margin)
    left, right = math.floor(bands.left), math.ceil(bands.right)
    columns, rows = max(1, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))
    s, slope = _shape(columns, bands.bend)
    y0, across = (bands.y0 - top)[:, None] * ratio, (bands.y1 - bands.y0)[:, None] * ratio  # [band, 1]
    y = y0 + across * s  # [band, column]
    # A band keeps its width across its direction: the span of a column is width · √(1 + slope²).
    half = 0.5 * ratio * bands.width[:, None] * np.sqrt(1 + (across * slope) ** 2)
    fade = np.clip((np.arange(columns) + 0.5) / max(bands.fade * ratio, 1e-6), 0, 1)
    ink = _ink(bands.opacity)[:, None] * np.minimum(fade, fade[::-1])  # [band, column]
    made = inked(coverage(y, half, ink, rows), QColor(getattr(theme, bands.colour)))
    made.setDevicePixelRatio(ratio)
    return QPointF(left, top), made


def _ink(opacity: _Floats) -> _Floats:
    """−ln(1 − opacity): one band alone shall have its own opacity."""
    ink: _Floats = -np.log1p(-np.minimum(opacity, 0.995))
    return ink


def inked(ink: _Floats, colour: QColor) -> QImage:
    """An image of one colour with so much ink [row, column]; its opacity is α = 1 − e^(−ink)."""
    place = np.minimum(ink * np.float32(_FINE), np.float32(_MOST_INK * _FINE - 1)).astype(np.uint16)
    pixels = _inks(colour.rgb()).take(place)
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied).copy()


@lru_cache(maxsize=16)
def _inks(rgb: int) -> NDArray[np.uint32]:
    """A colour for each amount of ink, premultiplied; the exponential of every pixel would take longer than all the rest."""
    alpha = 1 - np.exp(-np.arange(_MOST_INK * _FINE) / _FINE)
    inks: NDArray[np.uint32] = _tints(rgb)[np.rint(alpha * 255).astype(np.intp)]
    return inks


@lru_cache(maxsize=16)
def _tints(rgb: int) -> NDArray[np.uint32]:
    """[256] a colour at each opacity, premultiplied."""
    a = np.arange(256, dtype=np.uint32)
    pixels = a << 24
    for shift in (16, 8, 0):
        pixels |= (a * ((rgb >> shift) & 255) // 255) << shift
    return pixels.astype(np.uint32)


def paint_bands(painter: QPainter, bands: Bands, theme: Theme) -> None:
    """Paint bands."""
    made = band_image(bands, theme, painter.device().devicePixelRatio())
    if made is not None:
        painter.drawImage(*made)


def paint_lanes(painter: QPainter, lanes: Lanes, theme: Theme) -> None:
    """Paint lanes, whose thickness changes smoothly from point to point; each is an image a few rows high."""
    ratio = painter.device().devicePixelRatio()
    left, right = math.floor(float(lanes.x[0])), math.ceil(float(lanes.x[-1]))
    columns = round((right - left) * ratio)
    at = left + (np.arange(columns) + 0.5) / ratio
    place = np.clip(np.searchsorted(lanes.x, at) - 1, 0, len(lanes.x) - 2)
    t = np.clip((at - lanes.x[place]) / np.maximum(lanes.x[place + 1] - lanes.x[place], 1e-6), 0, 1)
    s = (t * t * (3 - 2 * t)).astype(np.float32)
    half = 0.5 * ratio * (lanes.width[:, place] * (1 - s) + lanes.width[:, place + 1] * s)  # [lane, column]
    reach = math.ceil(float(half.max()) + 1)
    tops = np.floor(lanes.y * ratio) - reach  # [lane]
    rows = np.arange(2 * reach + 1, dtype=np.float32) + 0.5  # [row]
    away = (rows + (tops - lanes.y * ratio)[:, None])[:, :, None]  # [lane, row, 1] from the lane's middle
    thick = half[:, None]  # [lane, 1, column]
    # A pixel's covered share: how far the span reaches into it.
    share = np.clip(np.minimum(thick, away + 0.5) - np.maximum(-thick, away - 0.5), 0, 1)
    opaque = (share * (255 * lanes.opacity[:, None, None]) + np.float32(0.5)).astype(np.uint8)
    pixels = _tints(QColor(getattr(theme, lanes.colour)).rgb()).take(opaque)  # [lane, row, column]
    for each, top in zip(pixels, tops.tolist(), strict=True):
        image = QImage(each.data, columns, len(rows), 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(left, top / ratio), image)


def paint_curves(painter: QPainter, lines: Curves, theme: Theme) -> None:
    """Paint lines through their points, all as one image."""
    if not len(lines.y):
        return
    ratio = painter.device().devicePixelRatio()
    margin = float(lines.width.max()) + 1
    left, right = math.floor(float(lines.x[0])), math.ceil(float(lines.x[-1]))
    top, bottom = math.floor(float(lines.y.min()) - margin), math.ceil(float(lines.y.max()) + margin)
    columns, rows = max(2, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))
    at = left + (np.arange(columns) + 0.5) / ratio
    y = ((np.stack([np.interp(at, lines.x, line) for line in lines.y]) - top) * ratio).astype(np.float32)  # [line, column]
    half = 0.5 * ratio * lines.width[:, None] * np.sqrt(1 + np.gradient(y, axis=1) ** 2)
    ink = np.repeat(_ink(lines.opacity)[:, None], columns, axis=1)
    image = inked(coverage(y, half, ink, rows), QColor(getattr(theme, lines.colour)))
    image.setDevicePixelRatio(ratio)
    painter.drawImage(QPointF(left, top), image)
