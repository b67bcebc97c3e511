"""A scene: what is drawn where, as data. The window paints it and a file writes it, so both show the same picture.

Lengths are px, colours are names of fields of a Theme, or hexadecimal. An item that comes later is drawn over the earlier ones.
"""

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Px = NDArray[np.float32]


@attrs.frozen
class Rect:
    """A rectangle."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.h

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def grown(self, by: float) -> "Rect":
        """The rectangle with all edges moved outward."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)


@attrs.frozen
class Label:
    """A line of text. `y` is its middle, `x` the end that `align` names: "left", "middle" or "right".

    It is cut short to `room`; a room of 0 leaves it out.
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


@attrs.frozen
class Box:
    """A rectangle with a filling, a frame, or both."""

    rect: Rect
    fill: str = ""
    line: str = ""
    radius: float = 0
    width: float = 1
    opacity: float = 1


@attrs.frozen(eq=False)
class Dots:
    """Round dots around points `x`, `y` [dot]."""

    x: Px
    y: Px
    radius: float
    colour: str


@attrs.frozen
class Hatch:
    """A rectangle of closed cells."""

    rect: Rect


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


@attrs.frozen(eq=False)
class Cells:
    """Colour indices [row, column] of a colour table, stretched over a rectangle; GAP is left empty."""

    rect: Rect
    index: NDArray[np.uint8]
    colours: str
    opacity: float = 1


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
class Piece:
    """Some letters of a sentence; those that are about data have the accent's colour."""

    text: str
    accent: bool = False


@attrs.frozen
class Sentence:
    """Pieces one after the other, cut short to `room`; `y` is their middle."""

    x: float
    y: float
    pieces: tuple[Piece, ...]
    px: float
    room: float

    @property
    def text(self) -> str:
        """The sentence without its colours."""
        return "".join(piece.text for piece in self.pieces)


Item = Sentence | Label | Box | Dots | Hatch | Line | Cells | Lanes | Bands | Curves
Scene = tuple[Item, ...]
"""What is drawn where, in this order."""


def about_width(text: str, px: float) -> float:
    """The width of a text (px), about: a Chinese character is a square, a letter about half of one."""
    return px * _squares(text)


@lru_cache(maxsize=4096)
def _squares(text: str) -> float:
    """About how many squares of its height a text is wide. A river asks some hundred times, mostly for the same texts."""
    return sum(1.0 if mark > "\u2e7f" else 0.54 for mark in text)


def fitting(texts: Iterable[str], px: float, room: float) -> str:
    """The first of some texts that fits into a room; "" where none does."""
    return next((text for text in texts if about_width(text, px) <= room), "")


def curve(bend: tuple[float, float]) -> tuple[Px, Px]:
    """Points x(t), s(t) of the cubic from (0, 0) to (1, 1) that begins and ends level."""
    t = np.linspace(0, 1, 257, dtype=np.float32)
    first, second = bend[0], 1 - bend[1]
    # x(t) = 3 t (1 − t)² a + 3 t² (1 − t) b + t³;  s(t) = 3 t² (1 − t) + t³
    x = 3 * t * (1 - t) ** 2 * first + 3 * t * t * (1 - t) * second + t**3
    return x, 3 * t * t * (1 - t) + t**3


@attrs.frozen(eq=False)
class Hot:
    """A place that answers: what lies there (`what` is an `explorer.picture.river.place.Place`)."""

    rect: Rect
    what: Any

    def at(self, _y: float) -> Any:
        """What lies at a height inside."""
        return self.what


@attrs.frozen(eq=False)
class HotRows:
    """`count` places of one height, one below the other: `what` tells of each by its number what lies there.

    They are asked when somebody points. To make some hundred of them for each picture took longer than to find one.
    """

    rect: Rect
    count: int
    what: Callable[[int], Any]

    def at(self, y: float) -> Any:
        """What lies at a height inside."""
        return self.what(min(int((y - self.rect.y) / self.rect.h * self.count), self.count - 1))


Answering = Hot | HotRows
"""What answers when somebody points at it."""


@attrs.frozen(eq=False)
class Drawn:
    """A scene with the places in it that answer; later ones lie over earlier ones.

    It begins with its `ground`, the part that is the very same object as long as it does not change.
    """

    scene: Scene
    hot: tuple[Answering, ...] = ()
    ground: Scene = ()

    def at(self, x: float, y: float) -> Any:
        """What lies at a point; None where nothing does."""
        return next((each.at(y) for each in reversed(self.hot) if each.rect.holds(x, y)), None)


def joined(parts: Iterable[Drawn]) -> Drawn:
    """Several parts as one, in this order."""
    scene: list[Item] = []
    hot: list[Answering] = []
    for part in parts:
        scene += part.scene
        hot += part.hot
    return Drawn(tuple(scene), tuple(hot))
