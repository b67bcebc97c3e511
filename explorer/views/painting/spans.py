"""Bands, lanes and curves as images, without a stroker.

An antialiased cubic stroke of QPainter takes 0.1 ms, so a hundred of them would take 10. A band is only a span of rows in each
pixel column; all spans are four weights a column in one `bincount` and one cumulative sum, with exact coverage. Ink adds up, so
the order does not matter.

Ink is counted in whole steps: NumPy sums whole numbers eight times as fast as floats, and what a span adds it takes away again
exactly. A table then tells the colour of so many steps.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from explorer.picture.river.scene import Bands, Curves, Lanes, curve
from explorer.picture.theme import Theme

_Floats = NDArray[np.float32]
_ALIKE = 4  # Lanes change so slowly that a few neighbouring columns of pixels may be alike.
STEPS = 2048  # of ink, in one unit of it: an eighth of a 255th of opacity
_FULL = 6.3  # units of ink from which nothing shines through: 255 · e^(−6.3) is less than a half


@lru_cache(maxsize=64)
def _shape(columns: int, bend: tuple[float, float], fade: float) -> tuple[_Floats, _Floats, _Floats]:
    """Of each column's middle: s of the cubic, its slope, and the share of ink that is left where bands fade at both ends."""
    x, s = curve(bend)
    middle = np.arange(columns) + 0.5
    at = np.interp(middle / columns, x, s).astype(np.float32)
    slope = np.gradient(at).astype(np.float32) if columns > 1 else np.zeros(1, np.float32)
    faded = np.clip(middle / max(fade, 1e-6), 0, 1).astype(np.float32)
    return at, slope, np.minimum(faded, faded[::-1])


def coverage(y: _Floats, half: _Floats, ink: _Floats, height: int) -> NDArray[np.int32]:
    """[row, column] the sum over spans of ink × covered share of each pixel, in steps of 1 / STEPS.

    `y` [span, column] are the middles, `half` half the heights, `ink` what a fully covered pixel gets; all in device pixels.
    """
    spans = _Spans(y.size)
    spans.add(y, half, ink, height)
    return spans.sums().reshape(y.shape[1], height + 2).T[:height]


class _Spans:
    """Spans of ink in pixel columns that lie one after the other, each column with two places more than its height.

    Where a span begins its ink is added, where it ends it is taken away, and between stands the running sum. As each column
    ends with nothing, one sum runs through all of them.
    """

    def __init__(self, count: int) -> None:
        self._edges = np.empty((2, count), np.float32)  # where spans begin and end in their columns
        self._ink = np.empty(count, np.float32)
        self._begins = np.empty(count, np.int32)  # of their columns
        self._filled = 0
        self.size = 0

    def add(self, y: _Floats, half: _Floats, ink: _Floats, height: int) -> None:
        """Add columns of a height with their spans [span, column]: middles, half heights and ink."""
        there = slice(self._filled, self._filled + y.size)
        edges = self._edges[:, there].reshape(2, *y.shape)
        np.subtract(y, half, out=edges[0])
        np.add(y, half, out=edges[1])
        np.clip(edges, 0, height, out=edges)
        self._ink[there].reshape(y.shape)[:] = ink
        self._begins[there].reshape(y.shape)[:] = np.arange(y.shape[1], dtype=np.int32) * (height + 2) + self.size
        self._filled = there.stop
        self.size += y.shape[1] * (height + 2)

    def sums(self) -> NDArray[np.int32]:
        """The ink at every place (steps)."""
        row = self._edges.astype(np.int32)
        whole = (self._ink * STEPS + np.float32(0.5)).astype(np.int32)
        beyond = ((self._edges - row) * whole + np.float32(0.5)).astype(np.int32)  # the share of the next pixel
        places = np.empty((4, len(whole)), np.intp)
        np.add(row, self._begins, out=places[::2])
        np.add(places[::2], 1, out=places[1::2])
        weights = np.empty(places.shape)
        np.subtract(whole, beyond[0], out=weights[0])
        weights[1] = beyond[0]
        np.subtract(beyond[1], whole, out=weights[2])
        np.negative(beyond[1], out=weights[3])
        changes = np.bincount(places.ravel(), weights.ravel(), minlength=self.size)
        return changes.astype(np.int32).cumsum(dtype=np.int32)


def pixels_a_px(painter: QPainter) -> float:
    """How many pixels of the device a px of the drawing has, also where the painter enlarges."""
    return painter.device().devicePixelRatioF() * painter.transform().m11()


def band_images(several: Sequence[Bands], theme: Theme, ratio: float) -> list[tuple[QPointF, QImage]]:
    """Where each of some Bands of one colour begin, and their images; those without a band are left out.

    All are made together, since of a few thousand pixels NumPy takes longer to begin than to finish.
    """
    drawn = [bands for bands in several if len(bands.y0)]
    if not drawn:
        return []
    fields = [_field(bands, ratio) for bands in drawn]
    spans = _Spans(sum(len(bands.y0) * columns for bands, (_corner, columns, _rows) in zip(drawn, fields, strict=True)))
    for bands, (corner, columns, rows) in zip(drawn, fields, strict=True):
        s, slope, fade = _shape(columns, bands.bend, bands.fade * ratio)
        y0, across = (bands.y0 - np.float32(corner.y()))[:, None] * ratio, (bands.y1 - bands.y0)[:, None] * ratio  # [band, 1]
        # A band keeps its width across its direction: the span of a column is width · √(1 + slope²).
        half = 0.5 * ratio * bands.width[:, None] * np.sqrt(1 + (across * slope) ** 2)
        spans.add(y0 + across * s, half, _ink(bands.opacity)[:, None] * fade, rows)
    pixels = _inked(spans.sums(), getattr(theme, several[0].colour, several[0].colour))
    made, start = [], 0
    for corner, columns, rows in fields:
        end = start + columns * (rows + 2)
        image = _image(np.ascontiguousarray(pixels[start:end].reshape(columns, rows + 2).T[:rows]))
        image.setDevicePixelRatio(ratio)
        made.append((corner, image))
        start = end
    return made


def _field(bands: Bands, ratio: float) -> tuple[QPointF, int, int]:
    """Where the image of some Bands begins (px), and its columns and rows (device pixels)."""
    margin = float(bands.width.max()) + 2
    top = math.floor(min(float(bands.y0.min()), float(bands.y1.min())) - margin)
    bottom = math.ceil(max(float(bands.y0.max()), float(bands.y1.max())) + margin)
    left, right = math.floor(bands.left), math.ceil(bands.right)
    return QPointF(left, top), max(1, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))


def _ink(opacity: _Floats) -> _Floats:
    """−ln(1 − opacity): one band alone shall have its own opacity."""
    ink: _Floats = -np.log1p(-np.minimum(opacity, 0.995))
    return ink


def _inked(sums: NDArray[np.int32], colour: str) -> NDArray[np.uint32]:
    """Premultiplied pixels of a colour under so much ink (steps), in the same shape."""
    return _inks(QColor(colour).rgb()).take(sums, mode="clip")


@lru_cache(maxsize=16)
def _inks(rgb: int) -> NDArray[np.uint32]:
    """[step of ink] a colour, premultiplied: its opacity is α = 1 − e^(−ink)."""
    opaque = 255 * (1 - np.exp(-np.arange(math.ceil(_FULL * STEPS)) / STEPS))
    made: NDArray[np.uint32] = _tints(rgb)[np.rint(opaque).astype(np.intp)]
    return made


@lru_cache(maxsize=16)
def _tints(rgb: int) -> NDArray[np.uint32]:
    """[256] a colour at each opacity, premultiplied."""
    opaque = np.arange(256, dtype=np.uint32)
    parts = [(opaque * (rgb >> shift & 255) + 127) // 255 << shift for shift in (16, 8, 0)]
    made: NDArray[np.uint32] = (opaque << 24 | parts[0] | parts[1] | parts[2]).astype(np.uint32)
    return made


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
    pixels = _tints(QColor(getattr(theme, lanes.colour)).rgb()).take(rounded)  # [lane, row, column]
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
    image = _image(np.ascontiguousarray(_inked(coverage(y, half, ink, rows), getattr(theme, lines.colour))))
    image.setDevicePixelRatio(ratio)
    painter.drawImage(QPointF(left, top), image)
