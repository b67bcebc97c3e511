"""Bands, lanes and curves as images, without a stroker.

An antialiased cubic stroke of QPainter takes 0.1 ms, so a hundred of them would take 10. A band is only a span of rows in each
pixel column; all spans are four weights a column in one `bincount` and one cumulative sum, with exact coverage. Ink adds up, so
the order does not matter.

Ink is counted in whole steps: NumPy sums whole numbers eight times as fast as floats, and what a span adds it takes away again
exactly. A table then tells the colour of so many steps.

Decision: one image of bands for each zone. Rejected: all bands of a colour as one image, because fewer calls save nothing when
3.7 MB go through a cache of 1 MB.
"""

import math
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from explorer.picture.marks import Bands, Curves, Lanes, curve
from explorer.picture.theme import Theme
from explorer.views.painting.kept_images import kept_image

_Floats = NDArray[np.float32]
_PIXELS = QImage.Format.Format_ARGB32_Premultiplied
_ALIKE = 4  # Lanes change so slowly that a few neighbouring columns of pixels may be alike.
STEPS = 2048  # of ink, in one unit of it: an eighth of a 255th of opacity
_FULL = 6.3  # units of ink from which nothing shines through: 255 · e^(−6.3) is less than a half


@lru_cache(maxsize=64)  # A river's next head takes a tenth longer without it and `_tints`.
def _shape(columns: int, bend: tuple[float, float], fade: float) -> tuple[_Floats, _Floats, _Floats]:
    """Of each column's middle: s of the cubic, its slope, and the share of ink that is left where bands fade at both ends."""
    x, s = curve(bend)
    middle = np.arange(columns) + 0.5
    at = np.interp(middle / columns, x, s).astype(np.float32)
    slope = np.gradient(at).astype(np.float32) if columns > 1 else np.zeros(1, np.float32)
    faded = np.clip(middle / max(fade, 1e-6), 0, 1).astype(np.float32)
    return at, slope, np.minimum(faded, faded[::-1])


def coverage(y: _Floats, half: _Floats, ink: _Floats, height: int, opacity: _Floats | None = None) -> NDArray[np.int32]:
    """[row, column] the sum over spans of ink × covered share of each pixel, in steps of 1 / STEPS.

    `y` [span, column] are the middles, `half` half the heights, `ink` what a fully covered pixel gets; all in device pixels.
    With the spans' `opacity` a pixel that is covered in part gets the ink of its share of that, which is less: edges of strong
    spans are then as sharp as a painter's. Such spans must be a pixel high.

    Where a span begins its ink is added, where it ends it is taken away, and between stands the running sum. The columns lie
    one after the other, each with two places more than its height; as each ends with nothing, one sum runs through all of them.
    """
    columns, tall = y.shape[1], height + 2
    edge = np.empty((2, *y.shape), np.float32)  # where each span begins and ends in its column
    np.subtract(y, half, out=edge[0])
    np.add(y, half, out=edge[1])
    np.maximum(edge, 0, out=edge)
    np.minimum(edge, height, out=edge)
    row = edge.astype(np.int32)
    edge -= row
    change = np.empty(edge.shape, np.int32)  # of the ink, at both ends
    np.rint(ink * np.float32(STEPS), out=change[0], casting="unsafe")
    np.negative(change[0], out=change[1])
    if opacity is None:
        edge *= change
        beyond = np.rint(edge, out=edge).astype(np.int32)  # the share of the next pixel
    else:
        np.subtract(1, edge[0], out=edge[0])  # the covered share of the first pixel, as of the last one
        edge *= opacity
        beyond = np.rint(ink_of(edge) * np.float32(STEPS)).astype(np.int32)
        np.subtract(change[0], beyond[0], out=beyond[0])
        np.negative(beyond[1], out=beyond[1])
    change -= beyond
    row += np.arange(0, columns * tall, tall, dtype=np.int32)
    sums = np.zeros(columns * tall, np.int32)
    place = row.ravel()
    np.add.at(sums, place, change.ravel())
    np.add.at(sums[1:], place, beyond.ravel())
    np.cumsum(sums, out=sums)
    return sums.reshape(columns, tall).T[:height]


def pixels_a_px(painter: QPainter) -> float:
    """How many pixels of the device a px of the drawing has, also where the painter enlarges."""
    return painter.device().devicePixelRatioF() * painter.transform().m11()


def band_image(bands: Bands, theme: Theme, ratio: float) -> tuple[QPointF, QImage] | None:
    """Where some Bands begin, and their image; None without a band.

    Made for several Bands at once it takes as long: there are fewer calls of NumPy, but all that they read and write is then
    too much for the fast memory of a core.
    """
    if not len(bands.y0):
        return None
    corner, columns, rows = _field(bands, ratio)
    s, slope, fade = _shape(columns, bands.bend, bands.fade * ratio)
    y0, across = bands.y0[:, None] - np.float32(corner.y()), (bands.y1 - bands.y0)[:, None]  # [band, 1]
    # A band keeps its width across its direction: the span of a column is width · √(1 + slope²).
    half = across * (ratio * slope)  # [band, column]
    half *= half
    half += 1
    np.sqrt(half, out=half)
    half *= (np.float32(0.5 * ratio) * bands.width)[:, None]
    y = across * s
    y += y0
    y *= np.float32(ratio)
    image = inked(coverage(y, half, ink_of(bands.opacity)[:, None] * fade, rows), getattr(theme, bands.colour, bands.colour))
    image.setDevicePixelRatio(ratio)
    return corner, image


def _field(bands: Bands, ratio: float) -> tuple[QPointF, int, int]:
    """Where the image of some Bands begins (px), and its columns and rows (device pixels)."""
    ends = bands.y0.tolist() + bands.y1.tolist()  # Of some dozens Python finds the largest sooner than NumPy.
    margin = max(bands.width.tolist()) + 2
    top, bottom = math.floor(min(ends) - margin), math.ceil(max(ends) + margin)
    left, right = math.floor(bands.left), math.ceil(bands.right)
    return QPointF(left, top), max(1, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))


def ink_of(opacity: _Floats) -> _Floats:
    """−ln(1 − opacity): one band alone shall have its own opacity."""
    ink: _Floats = -np.log1p(-np.minimum(opacity, 0.995))
    return ink


def inked(sums: NDArray[np.int32], colour: str) -> QImage:
    """The image of a colour under so much ink [row, column] (steps)."""
    return _image(_inks(QColor(colour).rgb()).take(sums, mode="clip"))


@lru_cache(maxsize=16)  # The river of another sentence takes 17.5 ms, and 20.4 without it.
def _inks(rgb: int) -> NDArray[np.uint32]:
    """[step of ink] a colour, premultiplied: its opacity is α = 1 − e^(−ink)."""
    opaque = 255 * (1 - np.exp(-np.arange(math.ceil(_FULL * STEPS)) / STEPS))
    made: NDArray[np.uint32] = _tints(rgb)[np.rint(opaque).astype(np.intp)]
    return made


@lru_cache(maxsize=16)  # as `_shape`
def _tints(rgb: int) -> NDArray[np.uint32]:
    """[256] a colour at each opacity, premultiplied."""
    opaque = np.arange(256, dtype=np.uint32)
    parts = [(opaque * (rgb >> shift & 255) + 127) // 255 << shift for shift in (16, 8, 0)]
    made: NDArray[np.uint32] = (opaque << 24 | parts[0] | parts[1] | parts[2]).astype(np.uint32)
    return made


def _image(pixels: NDArray[np.uint32]) -> QImage:
    """An image of premultiplied pixels [row, column]; it lives no longer than they do."""
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, _PIXELS)


def kept_bands(bands: Bands, theme: Theme, ratio: float) -> tuple[QPointF, QImage] | None:
    """The image of some Bands, made once."""
    return kept_image(bands, theme, ratio, partial(band_image, bands, theme, ratio))


def kept_lanes(lanes: Lanes, theme: Theme, ratio: float) -> list[tuple[QPointF, QImage, QRectF]]:
    """The images of lanes, made once."""
    return kept_image(lanes, theme, ratio, partial(_lane_images, lanes, theme, ratio))


def kept_curves(lines: Curves, theme: Theme, ratio: float) -> tuple[QPointF, QImage] | None:
    """The image of some lines, made once; None without a line."""
    return kept_image(lines, theme, ratio, partial(_curve_image, lines, theme, ratio)) if len(lines.y) else None


def paint_bands(painter: QPainter, bands: Bands, theme: Theme) -> None:
    """Paint Bands."""
    made = kept_bands(bands, theme, pixels_a_px(painter))
    if made is not None:
        painter.drawImage(*made)


def paint_lanes(painter: QPainter, lanes: Lanes, theme: Theme) -> None:
    """Paint lanes, whose thickness changes smoothly from point to point; each is an image a few rows high."""
    for corner, image, shown in kept_lanes(lanes, theme, pixels_a_px(painter)):
        painter.drawImage(corner, image, shown)


def _lane_images(lanes: Lanes, theme: Theme, ratio: float) -> list[tuple[QPointF, QImage, QRectF]]:
    """Where each lane's image begins (px), the image, and the part of it that is shown (its own pixels)."""
    left, columns, place, s = _stretch(lanes.x.tobytes(), ratio)
    before, after = lanes.width.take(place, axis=1), lanes.width.take(place + 1, axis=1)
    thick = (before + (after - before) * s)[:, None] * np.float32(0.5 * ratio)  # [lane, 1, column]
    reach = math.ceil(float(thick.max()) + 1)
    middles = lanes.y * np.float32(ratio)  # [lane]
    tops = np.floor(middles) - reach
    rows = np.arange(0.5, 2 * reach + 1, dtype=np.float32)  # [row]
    away = np.abs(rows + (tops - middles)[:, None])[:, :, None]  # [lane, row, 1] from the lane's middle
    # A pixel's covered share is how far the span reaches into it: of a lane thicker than a pixel, what lies before its edge.
    opaque = 255 * lanes.opacity[:, None, None]
    share = (thick + np.float32(0.5)) * opaque - away * opaque
    np.minimum(share, np.minimum(2 * thick, 1) * opaque, out=share)
    np.maximum(share, 0, out=share)
    rounded = (share + np.float32(0.5)).astype(np.uint8)
    pixels = _tints(QColor(getattr(theme, lanes.colour)).rgb()).take(rounded)  # [lane, row, column]
    pixels = np.repeat(pixels, _ALIKE, axis=2)
    shown = QRectF(0, 0, columns, pixels.shape[1])
    made = []
    for each, top in zip(pixels, tops.tolist(), strict=True):
        image = _image(each)
        image.setDevicePixelRatio(ratio)
        made.append((QPointF(left, top / ratio), image, shown))
    return made


@lru_cache(maxsize=16)  # The river of another sentence takes 16.9 ms, and 19.7 without it.
def _stretch(points: bytes, ratio: float) -> tuple[int, int, NDArray[np.intp], _Floats]:
    """Of lanes with these points x (float32): the left edge (px), the columns of pixels, and of each _ALIKE columns the point
    before their middle, and the share of the way to the next one, eased."""
    x = np.frombuffer(points, np.float32)
    left, right = math.floor(float(x[0])), math.ceil(float(x[-1]))
    columns = round((right - left) * ratio)
    at = left + (np.arange(-(-columns // _ALIKE)) + 0.5) * _ALIKE / ratio
    place = np.clip(np.searchsorted(x, at) - 1, 0, len(x) - 2)
    t = np.clip((at - x[place]) / np.maximum(x[place + 1] - x[place], 1e-6), 0, 1)
    return left, columns, place, (t * t * (3 - 2 * t)).astype(np.float32)


def paint_curves(painter: QPainter, lines: Curves, theme: Theme) -> None:
    """Paint lines through their points, all as one image."""
    made = kept_curves(lines, theme, pixels_a_px(painter))
    if made is not None:
        painter.drawImage(*made)


def _curve_image(lines: Curves, theme: Theme, ratio: float) -> tuple[QPointF, QImage]:
    """Where the image of some lines begins (px), and the image."""
    margin = float(lines.width.max()) + 1
    left, right = math.floor(float(lines.x[0])), math.ceil(float(lines.x[-1]))
    top, bottom = math.floor(float(lines.y.min()) - margin), math.ceil(float(lines.y.max()) + margin)
    columns, rows = max(2, round((right - left) * ratio)), max(1, round((bottom - top) * ratio))
    at = left + (np.arange(columns) + 0.5) / ratio
    y = ((np.stack([np.interp(at, lines.x, line) for line in lines.y]) - top) * ratio).astype(np.float32)  # [line, column]
    half = 0.5 * ratio * lines.width[:, None] * np.sqrt(1 + np.gradient(y, axis=1) ** 2)
    ink = np.repeat(ink_of(lines.opacity)[:, None], columns, axis=1)
    image = inked(coverage(y, half, ink, rows), getattr(theme, lines.colour))
    image.setDevicePixelRatio(ratio)
    return QPointF(left, top), image
