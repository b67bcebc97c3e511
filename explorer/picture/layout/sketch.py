"""A Sketch: marks with places and colours, before a toolkit draws them. Window and file draw the very same marks.

Decision: one list of marks for both. Rejected: a QPainter drawing beside an SVG drawing, as other pictures have them, because
a picture that moves would then have to be right at every moment twice.
"""

from collections.abc import Callable, Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.scales import LEVELS, table
from explorer.picture.theme import Theme

Measure = Callable[[str, float, bool], float]
"""The width (px) of a text in a size (px), bold or not."""

_SIGN_SHARE = 0.72  # Bars have the colours of ±0.72 on a signed scale, so that they are as strong as the accent.
_CLOSING, _OPENING = "，。；：、）」』”》！？,.;:)!?", "（「『“《("


@attrs.frozen
class Area:
    """A rectangle (px)."""

    x: float
    y: float
    wide: float
    high: float

    @property
    def right(self) -> float:
        """The right edge (px)."""
        return self.x + self.wide

    @property
    def bottom(self) -> float:
        """The lower edge (px)."""
        return self.y + self.high

    def enlarged(self, factor: float) -> "Area":
        """The rectangle, so many times as large, as seen from the origin."""
        return Area(self.x * factor, self.y * factor, self.wide * factor, self.high * factor)

    def inset(self, left: float = 0, top: float = 0, right: float = 0, bottom: float = 0) -> "Area":
        """The rectangle without strips at its edges (px); its sides are never negative."""
        wide, high = max(0.0, self.wide - left - right), max(0.0, self.high - top - bottom)
        return Area(self.x + left, self.y + top, wide, high)


@attrs.frozen
class Box:
    """A filled rectangle; with `edge`, outlined as well. A hatched one has the lines of closed cells on it."""

    area: Area
    fill: str = ""
    edge: str = ""
    edge_px: float = 1.0
    radius: float = 0.0
    hatched: bool = False


@attrs.frozen
class Line:
    """A straight line."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str
    px: float = 1.0
    dashed: bool = False


@attrs.frozen
class Dot:
    """A filled circle around a point."""

    x: float
    y: float
    radius: float
    fill: str


@attrs.frozen
class Letters:
    """A line of text with its baseline at y; `anchor` is "start", "middle" or "end"."""

    x: float
    y: float
    content: str
    size: float
    colour: str
    anchor: str = "start"
    bold: bool = False


@attrs.frozen(eq=False)
class Cells:
    """Colour indices [row, column] that fill a rectangle in equal cells."""

    area: Area
    index: NDArray[np.uint8]
    colours: str


Mark = Box | Line | Dot | Letters | Cells


class Sketch:
    """Marks under way. `theme` has the colours outside the data, `signed` names the colours of signed data.

    `answers` says that the marks are for a window, where a click on them does something: only there they may say so.
    """

    def __init__(self, theme: Theme, signed: str, measure: Measure, *, answers: bool = False) -> None:
        self.theme = theme
        self.answers = answers
        self.signed = signed
        self.measure = measure
        self.marks: list[Mark] = []

    def box(self, area: Area, fill: str = "", **more: object) -> None:
        """Add a Box, unless it is empty."""
        if area.wide > 0 and area.high > 0:
            self.marks.append(Box(area, fill, **more))  # type: ignore[arg-type]  # The fields of Box by name.

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str, px: float = 1.0, dashed: bool = False) -> None:
        """Add a Line."""
        self.marks.append(Line(x, y, to_x, to_y, colour, px, dashed))

    def dot(self, x: float, y: float, radius: float, fill: str) -> None:
        """Add a Dot."""
        self.marks.append(Dot(x, y, radius, fill))

    def write(
        self, x: float, y: float, content: str, size: float, colour: str = "", anchor: str = "start", bold: bool = False
    ) -> None:
        """Add a line of text; without a colour in the text's own."""
        self.marks.append(Letters(x, y, content, size, colour or self.theme.text, anchor, bold))

    def cells(self, area: Area, index: NDArray[np.uint8], colours: str) -> None:
        """Add Cells, unless there are none."""
        if area.wide > 0 and area.high > 0 and index.size:
            self.marks.append(Cells(area, index, colours))

    def enlarge(self, factor: float) -> None:
        """Make all marks so many times as large, as seen from the origin; lines stay as thin as they are."""
        self.marks = [_enlarged(mark, factor) for mark in self.marks]

    def struck(self, x: float, y: float, content: str, size: float, colour: str) -> None:
        """Add a line of text around x, with a line through it."""
        self.write(x, y, content, size, colour, "middle")
        half = self.measure(content, size, False) / 2 + 1
        self.line(x - half, y - 0.34 * size, x + half, y - 0.34 * size, colour)

    def sign(self, value: float) -> str:
        """The colour of a bar of this sign."""
        colours = table(self.signed)
        level = LEVELS // 2 + round(_SIGN_SHARE * (LEVELS // 2)) * (1 if value >= 0 else -1)
        return "#{:02x}{:02x}{:02x}".format(*(int(channel) for channel in colours[level]))

    def fitting(self, text: str, size: float, room: float, bold: bool = False) -> str:
        """The text, or its beginning and an ellipsis where it is wider than `room` (px)."""
        if self.measure(text, size, bold) <= room:
            return text
        while text and self.measure(f"{text}…", size, bold) > room:
            text = text[:-1]
        return f"{text}…"

    def lines(self, text: str, size: float, room: float) -> list[str]:
        """The text in lines of at most `room` px. A line breaks after blanks and beside Chinese characters."""
        return lines_of(text, size, room, self.measure)


def _enlarged(mark: Mark, factor: float) -> Mark:
    match mark:
        case Box():
            return attrs.evolve(mark, area=mark.area.enlarged(factor), radius=mark.radius * factor)
        case Cells():
            return attrs.evolve(mark, area=mark.area.enlarged(factor))
        case Line():
            places = {name: getattr(mark, name) * factor for name in ("x", "y", "to_x", "to_y")}
            return attrs.evolve(mark, **places)
        case Dot():
            return attrs.evolve(mark, x=mark.x * factor, y=mark.y * factor, radius=mark.radius * factor)
        case Letters():
            return attrs.evolve(mark, x=mark.x * factor, y=mark.y * factor, size=mark.size * factor)


def lines_of(text: str, size: float, room: float, measure: Measure) -> list[str]:
    """The text in lines of at most `room` px. A line breaks after blanks and beside Chinese characters."""
    made = [""]
    for piece in pieces(text):
        if made[-1] and measure((made[-1] + piece).rstrip(), size, False) > room:
            made.append("")
        made[-1] += piece
    return [line.rstrip() for line in made]


def pieces(text: str) -> Iterator[str]:
    """A text in parts that a line break must not divide: words with their blanks, and single Chinese characters.

    Punctuation that closes a clause stays with what stands before it, and an opening bracket with what follows it.
    """
    part = ""
    for letter in text:
        if part and _may_break(part[-1], letter):
            yield part
            part = ""
        part += letter
    if part:
        yield part


def _may_break(before: str, after: str) -> bool:
    if after in _CLOSING or after == " " or before in _OPENING:
        return False
    return before == " " or "\u2e80" <= after <= "\uffef" or "\u2e80" <= before <= "\uffef"
