"""A drawing in progress: SVG elements, and how far they reach."""

import base64
import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.figure.png import encode
from explorer.picture.figure.text import REGULAR, runs, text, width
from explorer.picture.kinds import Axis, Caption
from explorer.picture.layout.sketch import LABEL, LINE, lines_of
from explorer.picture.marks import Rect
from explorer.picture.scales import palette
from explorer.picture.theme import Theme
from explorer.trace.arrays import Array

_LARGE_PX = 4096  # px; an image this wide needs no enlarging
_SMALL = 9.0  # px, letters of a superscript or subscript
_BASELINE = {"": 0.0, "sub": 3.0, "sup": -4.0}


@attrs.frozen(eq=False)
class AnsweringMap:
    """A map [row, column] that fills `cells` (px), where somebody can point at them. NaN is said as `reason`, if any."""

    values: Array
    rows: Axis
    columns: Axis
    caption: Caption
    cells: Rect
    reason: str = ""


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

    def image(
        self, index: NDArray[np.uint8], colours: str, x: float, y: float, wide: float, high: float, opacity: float = 1
    ) -> None:
        """Add [row, column] indices of a colour table as an image that fills a rectangle (px) and is not smoothed.

        Each cell is several pixels, since viewers blur a small image when they enlarge it.
        """
        down, across = (_repeats(size / n, n) for size, n in zip((high, wide), index.shape, strict=True))
        self.add_image(
            encode(index.repeat(down, axis=0).repeat(across, axis=1), palette(colours, self.theme)), x, y, wide, high, opacity
        )

    def add_image(self, png: bytes, x: float, y: float, wide: float, high: float, opacity: float, more: str = "") -> None:
        """Add a PNG file, stretched over a rectangle (px); `more` are further attributes."""
        opaque = "" if opacity >= 1 else f' opacity="{opacity:.3f}"'
        data = base64.b64encode(png).decode("ascii")
        self.body.append(
            f'<image x="{x:.2f}" y="{y:.2f}" width="{wide:.2f}" height="{high:.2f}" preserveAspectRatio="none"{opaque}{more} '
            f'xlink:href="data:image/png;base64,{data}"/>'
        )

    def answer(self, place: AnsweringMap) -> None:
        """Take note of a map whose cells can say their values. A figure that nobody points at has no use for it."""

    def write(
        self,
        x: float,
        y: float,
        content: str,
        *,
        anchor: str = "start",
        faint: bool = False,
        size: float = LABEL,
        weight: int = REGULAR,
        fill: str = "",
    ) -> None:
        """Add a line of text with its baseline at `y`. Without a `fill` it has a colour of the theme."""
        fill = fill or (self.theme.faint if faint else self.theme.text)
        share = {"start": 1.0, "middle": 0.5, "end": 0.0}[anchor]
        self.add(
            text(x, y, content, size=size, fill=fill, anchor=anchor, weight=weight),
            x + share * width(content, size, weight),
            y + 4,
        )

    def write_lines(self, x: float, y: float, content: str, *, faint: bool = False) -> float:
        """Write a text in as many lines as the room asks for; returns the baseline (px) of the last one."""
        lines = lines_of(content, LABEL, max(self.room - x, LABEL), lambda each, size, _bold: width(each, size))
        for number, line in enumerate(lines):
            self.write(x, y + number * LINE, line, faint=faint)
        return y + (len(lines) - 1) * LINE

    def write_rich(self, x: float, y: float, rich: str) -> None:
        """Add a formula with its superscripts and subscripts."""
        for kind, letters in runs(rich):
            size = _SMALL if kind else LABEL
            bare = letters.lstrip()  # An SVG drops blanks at the start of a text.
            x += width(letters, size) - width(bare, size)
            self.write(x, y + _BASELINE[kind], bare, faint=True, size=size)
            x += width(bare, size)


def largest(values: Array) -> float:
    """The largest finite magnitude, by which lengths are divided; 1 where there is none or it is zero."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0


def _repeats(cell_px: float, n_cells: int) -> int:
    return max(1, min(round(cell_px * 2), _LARGE_PX // n_cells))
