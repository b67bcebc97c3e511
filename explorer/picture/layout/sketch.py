"""A Sketch: marks under way, with what a layout asks of it: how wide a text is, what of it fits, where its lines break."""

import math
import re
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from explorer.picture.marks import BELOW_MIDDLE, DASHED, Box, Cells, Dots, Hatch, Label, Line, Mark, Rect
from explorer.picture.scales import LEVELS, level_colour
from explorer.picture.theme import Theme

Measure = Callable[[str, float, bool], float]
"""The width (px) of a text in a size (px), bold or not."""

LABEL = 12.0
"""The size of the letters of a file (px)."""
LINE = 16.0
"""From line to line of its texts (px)."""
USUAL_PX = 40 / 3
"""The usual size of a window's letters (px)."""
_SIGN_SHARE = 0.72  # Bars have the colours of ±0.72 on a signed scale, so that they are as strong as the accent.
_CLOSING, _OPENING = "，。；：、）」』”》！？,.;:)!?", "（「『“《("
_RAISED = re.compile(r"<(sub|sup)>(.*?)</\1>")
_SCRIPT = 9.0  # px, the letters of superscripts and subscripts
_SCRIPT_BASE = {"": 0.0, "sub": 3.0, "sup": -4.0}  # px, how far they stand below the line
_ALIGN = {"start": "left", "middle": "middle", "end": "right"}


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

    def box(self, rect: Rect, fill: str = "", *, line: str = "", width: float = 1, radius: float = 0) -> None:
        """Add a Box, unless it is empty."""
        if rect.wide > 0 and rect.high > 0:
            self.marks.append(Box(rect, fill, line, radius, width))

    def hatch(self, rect: Rect) -> None:
        """Add a rectangle of closed cells, unless it is empty."""
        if rect.wide > 0 and rect.high > 0:
            self.marks.append(Hatch(rect))

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: str, width: float = 1, *, dashed: bool = False) -> None:
        """Add a straight line."""
        self.marks.append(Line(x0, y0, x1, y1, colour, width, dash=DASHED if dashed else ()))

    def dot(self, x: float, y: float, radius: float, colour: str) -> None:
        """Add a dot around a point."""
        self.dots(np.array([[x, y]]), radius, colour)

    def dots(self, xy: NDArray[np.floating], radius: float, colour: str) -> None:
        """Add dots around points [dot, xy]."""
        if len(xy):
            x, y = np.asarray(xy, np.float32).T
            self.marks.append(Dots(x, y, radius, colour))

    def write(
        self,
        x: float,
        y: float,
        content: str,
        size: float,
        colour: str = "",
        anchor: str = "start",
        bold: bool = False,
        room: float = math.inf,
    ) -> None:
        """Add a line of text with its baseline at y; `anchor` is "start", "middle" or "end". It is cut short to `room` px."""
        self.marks.append(Label(x, y - BELOW_MIDDLE * size, content, size, colour or "text", bold, _ALIGN[anchor], room))

    def write_lines(self, x: float, y: float, content: str, room: float, colour: str = "faint") -> float:
        """Add a text in as many lines as the room asks for, which ends at x = `room`; returns the last one's baseline (px)."""
        lines = self.lines(content, LABEL, max(room - x, LABEL))
        for place, line in enumerate(lines):
            self.write(x, y + place * LINE, line, LABEL, colour)
        return y + (len(lines) - 1) * LINE

    def formula(self, x: float, y: float, rich: str) -> None:
        """Add a faint formula with its superscripts and subscripts, its baseline at y."""
        for kind, letters in runs(rich):
            size = _SCRIPT if kind else LABEL
            bare = letters.lstrip()  # An SVG drops blanks at the start of a text.
            x += self.measure(letters, size, False) - self.measure(bare, size, False)
            self.write(x, y + _SCRIPT_BASE[kind], bare, size, "faint")
            x += self.measure(bare, size, False)

    def cells(self, rect: Rect, index: NDArray[np.uint8], colours: str) -> None:
        """Add Cells, unless there are none."""
        if rect.wide > 0 and rect.high > 0 and index.size:
            self.marks.append(Cells(rect, index, colours))

    def struck(self, x: float, y: float, content: str, size: float, colour: str) -> None:
        """Add a line of text around x, with a line through it."""
        self.write(x, y, content, size, colour, "middle")
        half = self.measure(content, size, False) / 2 + 1
        self.line(x - half, y - 0.34 * size, x + half, y - 0.34 * size, colour)

    def sign(self, value: float) -> str:
        """The colour of a bar of this sign."""
        level = LEVELS // 2 + round(_SIGN_SHARE * (LEVELS // 2)) * (1 if value >= 0 else -1)
        return level_colour(self.signed, level)

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


def runs(rich: str) -> list[tuple[str, str]]:
    """Rich text as (kind, letters): "d<sub>head</sub>" is ("", "d"), ("sub", "head")."""
    parts = _RAISED.split(rich)  # letters, kind, letters, letters, kind, …
    pairs = [("", parts[0]), *(run for i in range(1, len(parts), 3) for run in ((parts[i], parts[i + 1]), ("", parts[i + 2])))]
    return [(kind, letters) for kind, letters in pairs if letters]
