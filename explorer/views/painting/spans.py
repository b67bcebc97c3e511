"""Bands, lanes and curves as images, without a stroker.

An antialiased cubic stroke of QPainter takes 0.1 ms, so a hundred of them would take 10. A band is only a span of rows in each
pixel column; all spans are four weights a column in one `bincount` and one cumulative sum, with exact coverage. Ink adds up, so
the order does not matter.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from explorer.picture.river.scene import Bands, Curves, Lanes, curve
from explorer.picture.theme import Theme

_Floats = NDArray[np.float32]
_ALIKE = 4  # Lanes change so slowly that a few neighbouring columns of pixels may be alike.


@lru_cache(maxsize=64)
def _shape(columns: int, bend: tuple[float, float], fade: float) -> tuple[_Floats, _Floats, _Floats]:
    """Of each column's middle: s of the cubic, its slope, and the share of ink that is left where bands fade at both ends."""
    x, s = curve(bend)
    middle = np.arange(columns) + 0.5
    at = np.interp(middle / columns, x, s).astype(np.float32)
    slope = np.gradient(at).astype(np.float32) if columns > 1 else np.zeros(1, np.float32)
    faded = np.clip(middle / max(fade, 1e-6), 0, 1).astype(np.float32)
    return at, slope, np.minimum(faded, faded[::-1])


def coverage(y: _Floats, half: _Floats, ink: _Floats, height: int) -> _Floats:
    """[row, column] the sum over spans of ink × covered share of each pixel.

    `y` [span, column] are the middles, `half` half the heights, `ink` what a fully covered pixel gets; all in device pixels.
    """
    columns, tall = y.shape[1], height + 2
    begins = np.broadcast_to(np.arange(columns, dtype=np.int32) * tall, y.shape)
    sums = _summed(y.ravel(), half.ravel(), ink.ravel(), begins.ravel(), np.float32(height), columns * tall)
    return sums.reshape(columns, tall).T[:height]


def _summed(
    y: _Floats, half: _Floats, ink: _Floats, begins: NDArray[np.int32], height: _Floats | np.float32, size: int
) -> _Floats:
    """The ink of spans [span] in pixel columns that lie one after the other, each with two places more than its height.

    Where a span begins its ink is added, where it ends it is taken away, and between stands the running sum. As each column
    ends with nothing, one sum runs through all of them.
    """
    places, weights = [], []
    for edge, sign in ((y - half, 1.0), (y + half, -1.0)):
        clipped = np.clip(edge, 0, height)
        row = clipped.astype(np.int32)
        beyond = ink * (clipped - row) * np.float32(sign)  # the share of the next pixel
        place = begins + row
        places += [place, place + 1]
        weights += [ink * np.float32(sign) - beyond, beyond]
    total = np.bincount(np.concatenate(places), np.concatenate(weights), minlength=size)
    sums: _Floats = np.cumsum(total).astype(np.float32)
    return sums


@attrs.frozen(eq=False)
class _Zone:
    """The image of some Bands: its left upper corner (px), its columns and rows (device pixels), and a span for each of its
    columns and each band [band, column]."""

    corner: QPointF
    columns: int
    rows: int
    y: _Floats
    half: _Floats
    ink: _Floats

    @property
    def size(self) -> int:
        """Its pixels, and two more in each column."""
        return self.columns * (self.rows + 2)


def _zone(bands: Bands, ratio: float) -> _Zone:
    margin = float(bands.width.max()) + 2
    top = math.floor(min(bands.y0.min(), bands.y1.min()) - margin)
    bottom = math.ceil(max(bands.y0.max(), bands.y1.max()) + margin)
    left, right = math.floor(bands.left), math.ceil(bands.right)
    columns, rows = max(1, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))
    s, slope, fade = _shape(columns, bands.bend, bands.fade * ratio)
    y0, across = (bands.y0 - top)[:, None] * ratio, (bands.y1 - bands.y0)[:, None] * ratio  # [band, 1]
    y = y0 + across * s  # [band, column]
    # A band keeps its width across its direction: the span of a column is width · √(1 + slope²).
    half = 0.5 * ratio * bands.width[:, None] * np.sqrt(1 + (across * slope) ** 2)
    return _Zone(QPointF(left, top), columns, rows, y, half, _ink(bands.opacity)[:, None] * fade)


def pixels_a_px(painter: QPainter) -> float:
    """How many pixels of the device a px of the drawing has, also where the painter enlarges."""
    return painter.device().devicePixelRatio() * painter.transform().m11()


def band_images(several: Sequence[Bands], theme: Theme, ratio: float) -> list[tuple[QPointF, QImage]]:
    """Where each of some Bands of one colour begin, and their images; those without a band are left out.

    All are made together, since of a few thousand pixels NumPy takes longer to begin than to finish.
    """
    zones = [_zone(bands, ratio) for bands in several if len(bands.y0)]
    if not zones:
        return []
    starts = np.concatenate([[0], np.cumsum([zone.size for zone in zones])]).tolist()
    begins, heights = [], []
    for zone, start in zip(zones, starts, strict=False):
        columns = np.arange(start, start + zone.size, zone.rows + 2, dtype=np.int32)
        begins.append(np.tile(columns, len(zone.y)))
        heights.append(np.full(zone.y.size, zone.rows, np.float32))
    y, half, ink = (
        np.concatenate([np.ravel(getattr(zone, name)) for zone in zones], dtype=np.float32) for name in ("y", "half", "ink")
    )
    sums = _summed(y, half, ink, np.concatenate(begins), np.concatenate(heights), starts[-1])
    pixels = _pixels(_opaque(sums), QColor(getattr(theme, several[0].colour, several[0].colour)))
    made = []
    for zone, start in zip(zones, starts, strict=False):
        columns_first = pixels[start : start + zone.size].reshape(zone.columns, zone.rows + 2)
        image = _image(np.ascontiguousarray(columns_first.T[: zone.rows]))
        image.setDevicePixelRatio(ratio)
        made.append((zone.corner, image))
    return made


def _ink(opacity: _Floats) -> _Floats:
    """−ln(1 − opacity): one band alone shall have its own opacity."""
    ink: _Floats = -np.log1p(-np.minimum(opacity, 0.995))
    return ink


def _opaque(ink: _Floats) -> NDArray[np.uint8]:
    """The opacity of so much ink, α = 1 − e^(−ink), in 255ths."""
    opaque = np.negative(ink)
    np.exp(opaque, out=opaque)
    np.multiply(opaque, -255, out=opaque)
    np.add(opaque, 255.5, out=opaque)  # 255 · (1 − e^(−ink)), to be rounded
    return opaque.astype(np.uint8)


def _pixels(opaque: NDArray[np.uint8], colour: QColor) -> NDArray[np.uint32]:
    """Premultiplied pixels of one colour with these opacities, in the same shape; Qt looks them up faster than NumPy."""
    indexed = QImage(opaque.data, opaque.size, 1, opaque.size, QImage.Format.Format_Indexed8)
    indexed.setColorTable(_tints(colour.rgb()))
    image = indexed.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    return np.frombuffer(image.constBits(), np.uint32).reshape(opaque.shape).copy()  # The image's memory ends with it.


@lru_cache(maxsize=16)
def _tints(rgb: int) -> list[int]:
    """[256] a colour at each opacity."""
    return [(opaque << 24) | (rgb & 0xFFFFFF) for opaque in range(256)]


def _image(pixels: NDArray[np.uint32]) -> QImage:
    """An image of premultiplied pixels [row, column]; it lives no longer than they do."""
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)


def paint_bands(painter: QPainter, several: Sequence[Bands], theme: Theme) -> None:
    """Paint Bands of one colour."""
    for corner, image in band_images(several, theme, pixels_a_px(painter)):
        painter.drawImage(corner, image)


def paint_lanes(painter: QPainter, lanes: Lanes, theme: Theme) -> None:
    """Paint lanes, whose thickness changes smoothly from point to point; each is an image a few rows high."""
    ratio = pixels_a_px(painter)
    left, right = math.floor(float(lanes.x[0])), math.ceil(float(lanes.x[-1]))
    columns = -(-round((right - left) * ratio) // _ALIKE)
    at = left + (np.arange(columns) + 0.5) * _ALIKE / ratio
    place = np.clip(np.searchsorted(lanes.x, at) - 1, 0, len(lanes.x) - 2)
    t = np.clip((at - lanes.x[place]) / np.maximum(lanes.x[place + 1] - lanes.x[place], 1e-6), 0, 1)
    s = (t * t * (3 - 2 * t)).astype(np.float32)
    half = 0.5 * ratio * (lanes.width[:, place] * (1 - s) + lanes.width[:, place + 1] * s)  # [lane, column]
    reach = math.ceil(float(half.max()) + 1)
    tops = np.floor(lanes.y * ratio) - reach  # [lane]
    rows = np.arange(2 * reach + 1, dtype=np.float32) + 0.5  # [row]
    away = (rows + (tops - lanes.y * ratio)[:, None])[:, :, None]  # [lane, row, 1] from the lane's middle
    thick = half[:, None]  # [lane, 1, column]
    # A pixel's covered share is how far the span reaches into it: of a lane thicker than a pixel, what lies before its edge.
    opaque = 255 * lanes.opacity[:, None, None]
    share = (thick + 0.5) * opaque - np.abs(away) * opaque
    np.minimum(share, np.minimum(2 * thick, 1) * opaque, out=share)
    np.maximum(share, 0, out=share)
    rounded = (share + np.float32(0.5)).astype(np.uint8)
    pixels = _pixels(rounded, QColor(getattr(theme, lanes.colour)))  # [lane, row, column]
    pixels = np.repeat(pixels, _ALIKE, axis=2)
    shown = QRectF(0, 0, round((right - left) * ratio), pixels.shape[1])  # of each image, in its own pixels
    for each, top in zip(pixels, tops.tolist(), strict=True):
        image = _image(each)
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(left, top / ratio), image, shown)


def paint_curves(painter: QPainter, lines: Curves, theme: Theme) -> None:
    """Paint lines through their points, all as one image."""
    if not len(lines.y):
        return
    ratio = pixels_a_px(painter)
    margin = float(lines.width.max()) + 1
    left, right = math.floor(float(lines.x[0])), math.ceil(float(lines.x[-1]))
    top, bottom = math.floor(float(lines.y.min()) - margin), math.ceil(float(lines.y.max()) + margin)
    columns, rows = max(2, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))
    at = left + (np.arange(columns) + 0.5) / ratio
    y = ((np.stack([np.interp(at, lines.x, line) for line in lines.y]) - top) * ratio).astype(np.float32)  # [line, column]
    half = 0.5 * ratio * lines.width[:, None] * np.sqrt(1 + np.gradient(y, axis=1) ** 2)
    ink = np.repeat(_ink(lines.opacity)[:, None], columns, axis=1)
    opaque = np.ascontiguousarray(_opaque(coverage(y, half, ink, rows)))
    pixels = _pixels(opaque, QColor(getattr(theme, lines.colour)))
    image = _image(pixels)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(QPointF(left, top), image)
