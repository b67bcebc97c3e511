"""The marks: what is drawn where, as data. The window paints them and a file writes them, so both show the same picture.

Lengths are px, colours are names of fields of a Theme, or hexadecimal. A mark that comes later is drawn over the earlier ones.

Decision: one list of marks for window and file. Rejected: a QPainter drawing beside an SVG drawing, which must then be kept
alike by hand.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.scales import Scale

Px = NDArray[np.float32]
Dash = tuple[float, ...]
"""Lengths (px) of strokes and gaps in turn; () for a line without gaps."""

DASHED: Dash = (3.0, 3.0)
BELOW_MIDDLE = 0.36
"""How far the baseline of a text lies below its middle, in sizes of its letters."""


@attrs.frozen
class Rect:
    """A rectangle (px)."""

    x: float
    y: float
    wide: float
    high: float

    @property
    def right(self) -> float:
        """Its right edge (px)."""
        return self.x + self.wide

    @property
    def bottom(self) -> float:
        """Its lower edge (px)."""
        return self.y + self.high

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def grown(self, by: float) -> "Rect":
        """The rectangle with all edges moved outward (px)."""
        return Rect(self.x - by, self.y - by, self.wide + 2 * by, self.high + 2 * by)

    def enlarged(self, factor: float) -> "Rect":
        """The rectangle, so many times as large, as seen from the origin."""
        return Rect(self.x * factor, self.y * factor, self.wide * factor, self.high * factor)

    def inset(self, left: float = 0, top: float = 0, right: float = 0, bottom: float = 0) -> "Rect":
        """The rectangle without strips at its edges (px); its sides are never negative."""
        wide, high = max(0.0, self.wide - left - right), max(0.0, self.high - top - bottom)
        return Rect(self.x + left, self.y + top, wide, high)


@attrs.frozen
class Label:
    """A line of text. `y` is its middle, `x` the end that `align` names: "left", "middle" or "right".

    It is cut short to `room`; a room of 0 leaves it out. `turn` is in degrees, clockwise about (x, y).
    """

    x: float
    y: float
    text: str
    px: float = 12
    colour: str = "text"
    bold: bool = False
    align: str = "left"
    room: float = math.inf
    opacity: float = 1
    turn: float = 0


@attrs.frozen
class Box:
    """A rectangle with a filling, a frame inside its edges, or both."""

    rect: Rect
    fill: str = ""
    line: str = ""
    radius: float = 0
    width: float = 1
    opacity: float = 1
    dash: Dash = ()


@attrs.frozen(eq=False)
class Dots:
    """Round dots around points `x`, `y` [dot]."""

    x: Px
    y: Px
    radius: float
    colour: str


@attrs.frozen
class Hatch:
    """A rectangle of closed cells; `over` has the hatching alone, which lies over the colours of estimates."""

    rect: Rect
    over: bool = False


@attrs.frozen
class Line:
    """A straight line."""

    x0: float
    y0: float
    x1: float
    y1: float
    colour: str
    width: float = 1
    opacity: float = 1
    dash: Dash = ()


@attrs.frozen
class Path:
    """A line through `points`. A curved one has the first point, then a cubic's two control points and its end, and so on."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1
    opacity: float = 1
    dash: Dash = ()
    curved: bool = False


@attrs.frozen(eq=False)
class Cells:
    """Colour indices [row, column] of a colour table, stretched over a rectangle; GAP is left empty."""

    rect: Rect
    index: NDArray[np.uint8]
    colours: str
    opacity: float = 1


@attrs.frozen
class Ramp:
    """All colours of a colour table in a rectangle, the highest at its top."""

    rect: Rect
    colours: str


@attrs.frozen(eq=False)
class Numbers:
    """The figures of values [row, column] in the cells that a rectangle is divided into.

    `index` [row, column] has the cells' colours on the scale, which decide the ink. A number that is wider than its cell has
    fewer decimals, or is left out.
    """

    rect: Rect
    values: NDArray[np.float32]
    index: NDArray[np.uint8]
    scale: Scale
    px: float


@attrs.frozen(eq=False)
class Lanes:
    """Lanes whose thickness changes on their way: `x` [point], `y` [lane], `width` [lane, point], `opacity` [lane]."""

    x: Px
    y: Px
    width: Px
    opacity: Px
    colour: str


@attrs.frozen(eq=False)
class Bands:
    """Bands from one lane to another between `left` and `right`: `y0`, `y1`, `width`, `opacity` [band].

    Each is a cubic whose control points lie at `bend` of the way from the left, and of the way from the right. At both ends it
    fades in over `fade`.
    """

    left: float
    right: float
    y0: Px
    y1: Px
    width: Px
    opacity: Px
    colour: str
    bend: tuple[float, float] = (0.5, 0.5)
    fade: float = 7

    def middle(self, share: float) -> Px:
        """The height of each band's middle [band] at this share of the way across."""
        return self.y0 + (self.y1 - self.y0) * float(np.interp(share, *curve(self.bend)))


@attrs.frozen(eq=False)
class Curves:
    """Lines over the same `x` [point]: `y` [line, point], `width` and `opacity` [line]."""

    x: Px
    y: Px
    width: Px
    opacity: Px
    colour: str


@attrs.frozen
class TextRun:
    """Some letters of a line; those that are about data have the accent's colour."""

    text: str
    accent: bool = False


@attrs.frozen
class AccentedLine:
    """A line of text in pieces, some of them in the accent's colour, cut short to `room`; `y` is its middle."""

    x: float
    y: float
    pieces: tuple[TextRun, ...]
    px: float
    room: float

    @property
    def text(self) -> str:
        """The line without its colours."""
        return "".join(piece.text for piece in self.pieces)


Mark = AccentedLine | Label | Box | Dots | Hatch | Line | Path | Cells | Ramp | Numbers | Lanes | Bands | Curves
Marks = tuple[Mark, ...]
"""What is drawn where, in this order."""


def curve(bend: tuple[float, float]) -> tuple[Px, Px]:
    """Points x(t), s(t) of the cubic from (0, 0) to (1, 1) that begins and ends level."""
    t = np.linspace(0, 1, 257, dtype=np.float32)
    first, second = bend[0], 1 - bend[1]
    # x(t) = 3 t (1 − t)² a + 3 t² (1 − t) b + t³;  s(t) = 3 t² (1 − t) + t³
    x = 3 * t * (1 - t) ** 2 * first + 3 * t * t * (1 - t) * second + t**3
    return x, 3 * t * t * (1 - t) + t**3


def framed(rect: Rect, colour: str, width: float) -> Box:
    """A frame whose line has the edges of a rectangle in its middle."""
    return Box(rect.grown(width / 2), line=colour, width=width)
