"""Straight strands as one image: each is a span in every row or column of pixels (`views.painting.spans`).

A stroke of QPainter takes 0.06 ms, so that the two hundred strands of a short sentence held the window for longer than a frame.
"""

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from explorer.picture.layout.strands import Lines, Places
from explorer.views.painting.spans import coverage, ink_of, inked

_Floats = NDArray[np.float32]


@attrs.frozen(eq=False)
class Strokes:
    """Some strands: their rows and columns, widths (px) and opacities."""

    rows: Places
    columns: Places
    widths: _Floats
    opacities: _Floats


def lines_image(lines: Lines, strokes: Strokes, colour: str, left: float, width: float, ratio: float) -> tuple[QPointF, QImage]:
    """Where the image of some strands begins (px), and the image, as wide as the view; `left` is where the figure begins in it.

    A strand ends level with the tokens. One that runs down more than across is a span in each row of pixels, another one in
    each column: so neither is cut into steps.
    """
    top, bottom = round(lines.first * ratio), round(lines.last * ratio)
    high, wide = max(1, bottom - top), max(1, round(width * ratio))
    start = ((lines.above[strokes.columns] + left) * ratio).astype(np.float32)  # in device pixels, as all below
    across = ((lines.below[strokes.rows] + left) * ratio).astype(np.float32) - start
    half, opacity = (np.float32(0.5 * ratio) * strokes.widths).astype(np.float32), strokes.opacities.astype(np.float32)
    flat = np.abs(across) > high
    steep, slope = ~flat, across / np.float32(high)
    sums = _spans(start[steep], slope[steep], half[steep], opacity[steep], high, wide).T
    if flat.any():
        slope = np.float32(high) / across[flat]
        sums = np.add(sums, _spans(-start[flat] * slope, slope, half[flat], opacity[flat], wide, high))
    image = inked(sums, colour)
    image.setDevicePixelRatio(ratio)
    return QPointF(0, top / ratio), image


def _spans(first: _Floats, slope: _Floats, half: _Floats, opacity: _Floats, n_steps: int, most: int) -> NDArray[np.int32]:
    """[place, step] the ink of strands whose middles go from `first` by `slope` with each step; places end at `most`."""
    # middle = first + slope · step; half the span = half the width · √(1 + slope²)
    middle = first[:, None] + slope[:, None] * (np.arange(n_steps, dtype=np.float32) + np.float32(0.5))
    reach, shown = (half * np.sqrt(1 + slope * slope))[:, None], opacity[:, None]
    return coverage(middle, reach, np.broadcast_to(ink_of(shown), middle.shape), most, shown)
