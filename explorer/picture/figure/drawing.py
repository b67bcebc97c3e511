"""A drawing in progress: SVG elements, and how far they reach."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.figure.elements import image
from explorer.picture.figure.png import encode
from explorer.picture.kinds import Axis, Caption
from explorer.picture.marks import Rect
from explorer.picture.scales import palette
from explorer.picture.theme import Theme
from explorer.trace.arrays import Array

_LARGE_PX = 4096  # px; an image this wide needs no enlarging


@attrs.frozen(eq=False)
class AnsweringMap:
    """A map [row, column] that fills `cells` (px), where somebody can point at them. NaN is said as `reason`, if any."""

    values: Array
    rows: Axis
    columns: Axis
    caption: Caption
    cells: Rect
    reason: str = ""
    head: int | None = None


class Drawing:
    """SVG elements in `body`; `width` and `height` (px) grow with them.

    `room` is the width (px) that a picture shall keep to where it is set for print; each kind lays itself out for it as well
    as it can. `only_images` says that cells become images however few they are.
    """

    only_images = False

    def __init__(self, theme: Theme, words: Words, room: float = math.inf) -> None:
        self.theme = theme
        self.words = words
        self.room = room
        self.cramped = False  # whether so little room was left that labels were given up
        self.body: list[str] = []
        self.width = 0.0
        self.height = 0.0

    def add(self, element: str, right: float = 0, bottom: float = 0) -> None:
        """Add one element, which reaches to `right` and `bottom` (px)."""
        self.body.append(element)
        self.reach(right, bottom)

    def reach(self, right: float, bottom: float) -> None:
        """Make the drawing at least this wide and high (px)."""
        self.width, self.height = max(self.width, right), max(self.height, bottom)

    def filling(self, natural: float, least: float = 0.0) -> float:
        """The width (px) of a picture that can have any width from `least`: the room, or its natural one without that."""
        return natural if math.isinf(self.room) else max(self.room, least)

    def within(self, natural: float) -> float:
        """The width (px) that a picture may have at most."""
        return min(natural, self.room)

    def image(self, index: NDArray[np.uint8], colours: str, cells: Rect, opacity: float = 1) -> None:
        """Add [row, column] indices of a colour table as an image that fills a rectangle (px) and is not smoothed.

        Each cell is several pixels, since viewers blur a small image when they enlarge it.
        """
        down, across = (_repeats(size / n, n) for size, n in zip((cells.high, cells.wide), index.shape, strict=True))
        png = encode(index.repeat(down, axis=0).repeat(across, axis=1), palette(colours, self.theme))
        self.add(image(png, cells, opaque(opacity)), cells.right, cells.bottom)

    def answer(self, place: AnsweringMap) -> None:
        """Take note of a map whose cells can say their values. A figure that nobody points at has no use for it."""


def opaque(opacity: float) -> str:
    """The attribute of this opacity, with a blank before it; "" for what is wholly opaque."""
    return "" if opacity >= 1 else f' opacity="{opacity:.4g}"'


def largest(values: Array) -> float:
    """The largest finite magnitude, by which lengths are divided; 1 where there is none or it is zero."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0


def _repeats(cell_px: float, n_cells: int) -> int:
    return max(1, min(round(cell_px * 2), _LARGE_PX // n_cells))
