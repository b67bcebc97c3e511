"""Where the tokens of an Alignment stand: plain geometry, the same in the window and in a file.

Labels are horizontal where there is room. Otherwise they are turned upward, and Chinese ones are written downward.
A turned label always gets the height of a line; if that is too much, the figure becomes wider than its room.
"""

import itertools
import math
import unicodedata
from collections.abc import Callable

import attrs

Measure = Callable[[str], float]
"""A function that gives the width of a label (px)."""

_PAD_PX, _NARROWEST_PX = 6.0, 24.0  # px of a horizontal label: margin on each side, least width
_ROOMY_PX = 110.0  # px from token to token; more would only make the lines longer


@attrs.frozen
class Side:
    """The tokens of one sentence from left to right: the middle and the width (px) of each token's place."""

    middles: tuple[float, ...]
    widths: tuple[float, ...]
    turned: bool  # True: labels are vertical
    reach: float  # px that the labels go up or down

    def at(self, x: float) -> int | None:
        """The token whose place contains x; None outside all places."""
        for index, (middle, width) in enumerate(zip(self.middles, self.widths, strict=True)):
            if abs(x - middle) <= width / 2:
                return index
        return None


@attrs.frozen
class AlignmentLayout:
    """Both sides of an Alignment, laid out over the same width (px)."""

    above: Side
    below: Side
    width: float


def stacked(label: str) -> bool:
    """Whether a turned label is written downward, letter under letter: True where all its letters are Chinese."""
    return all(unicodedata.east_asian_width(letter) in "WF" for letter in label)


def lay_out(
    above: tuple[str, ...],
    below: tuple[str, ...],
    measure: Measure,
    room_px: float,
    line_px: float,
    widest_px: float = math.inf,
    longest_px: float = math.inf,
) -> AlignmentLayout:
    """Give each token its place within `room_px`; `line_px` is the height of a line.

    A horizontal label takes at most `widest_px`, a turned one at most `longest_px`; the caller shortens longer labels.
    """
    lying = [
        [min(max(measure(label) + 2 * _PAD_PX, _NARROWEST_PX), widest_px) for label in labels] for labels in (above, below)
    ]
    needs = [sum(widths) if sum(widths) <= room_px else line_px * len(widths) for widths in lying]
    roomy = _ROOMY_PX * max(len(above), len(below))
    width = max(*needs, min(room_px, roomy))
    sides = []
    for labels, widths in zip((above, below), lying, strict=True):
        turned = sum(widths) > width + 0.01
        reach = max((length_px(label, measure) for label in labels), default=0.0) if turned else line_px
        more = (width - sum(widths)) / max(1, len(widths))
        fitted = [width / len(labels)] * len(labels) if turned else [each + more for each in widths]
        sides.append(_side(fitted, turned, min(reach, longest_px)))
    return AlignmentLayout(sides[0], sides[1], width)


def _side(widths: list[float], turned: bool, reach: float) -> Side:
    ends = list(itertools.accumulate(widths))
    middles = tuple(end - width / 2 for end, width in zip(ends, widths, strict=True))
    return Side(middles, tuple(widths), turned, reach)


def line_px(px: float) -> float:
    """The height of a line of letters of `px`: less than the font's own, which has room for letters higher than any used."""
    return 1.16 * px + 3


def letter_px(measure: Measure) -> float:
    """The distance of letters (px) in a label written downward: small enough that a word is seen as one."""
    return 1.1 * measure("中")


def length_px(label: str, measure: Measure) -> float:
    """The length (px) of a turned label."""
    return letter_px(measure) * len(label) if stacked(label) else measure(label)


def shortened(label: str, fits: int) -> str:
    """A label written downward, shortened to `fits` letters."""
    return label if len(label) <= fits else label[: max(0, fits - 1)] + "…"
