"""How a figure is set for print: its width on paper, the size of its letters, its caption, and the letters (a), (b) … of its
parts.

A picture is drawn in px, in which its labels have LABEL px. Print says how large these are on paper, and from that follows
how many px the width has: a picture is laid out anew for that room and is never scaled, so letters have the size asked for.
"""

import re

import attrs

from explorer.errors import NotAWidth
from explorer.knobs import Knob, Range
from explorer.picture.layout.sketch import LABEL

MM_PER_INCH, PT_PER_INCH = 25.4, 72.0
_UNITS_MM = {"mm": 1.0, "cm": 10.0, "in": MM_PER_INCH, "pt": MM_PER_INCH / PT_PER_INCH}
_TOLD = re.compile(r"([0-9]*\.?[0-9]+)\s*(mm|cm|in|pt)")
SMALLEST_PT = 5.0
"""Smaller labels, such as indices, are smaller than the asked size, but never than this."""

_MARGIN, _MARGIN_ON_SCREEN = 4.0, 16.0  # px

COLUMNS_MM = {"one_column": 88.0, "two_columns": 180.0}
"""Widths that fit the pages of most journals: 3.5 and 7.1 inches."""

WIDTH = Knob(name="width_mm", kind="float", default=88.0, group="figure", applies="draw", valid=Range(20, 600), unit="mm")
FONT = Knob(name="font_pt", kind="float", default=8.0, group="figure", applies="draw", valid=Range(SMALLEST_PT, 24), unit="pt")


def _checked_width(value: object) -> float:
    return float(WIDTH.check(value))


def _checked_font(value: object) -> float:
    return float(FONT.check(value))


def width_of(told: str) -> float:
    """A width on paper in mm, from "88mm", "3.5in", "250pt" or "8.8cm", or the name of a column with a dash for its blank.

    Raises NotAWidth, KnobOutOfRange.
    """
    named = {name.replace("_", "-"): width for name, width in COLUMNS_MM.items()}
    if told in named:
        return named[told]
    found = _TOLD.fullmatch(told.strip().lower())
    if found is None:
        raise NotAWidth(got=told)
    return _checked_width(float(found[1]) * _UNITS_MM[found[2]])


@attrs.frozen(kw_only=True)
class Print:
    """How a figure is set. `width_mm` is its exact width on paper, `font_pt` the size of its labels there.

    `caption` stands below it: None is what the pictures say of themselves, "" none. `letters` names the parts (a), (b) … where
    there are several. A figure that `grows` becomes wider than that where one of its pictures needs more, since no paper ends
    there. Raises KnobOutOfRange, KnobNotANumber.
    """

    width_mm: float = attrs.field(default=COLUMNS_MM["one_column"], converter=_checked_width)
    font_pt: float = attrs.field(default=8.0, converter=_checked_font)
    caption: str | None = None
    letters: bool = True
    grows: bool = False

    @property
    def mm_per_px(self) -> float:
        """How large (mm) a px of the drawing is on paper."""
        return self.font_pt / LABEL / PT_PER_INCH * MM_PER_INCH

    @property
    def width_px(self) -> float:
        """The width of the figure (px of the drawing)."""
        return self.width_mm / self.mm_per_px

    @property
    def margin_px(self) -> float:
        """The room (px of the drawing) around everything: on paper just so much that no outline ends at the edge."""
        return _MARGIN_ON_SCREEN if self.grows else _MARGIN

    @property
    def smallest_px(self) -> float:
        """The smallest letters (px of the drawing)."""
        return SMALLEST_PT / self.font_pt * LABEL


ON_SCREEN = Print(width_mm=315, font_pt=9, grows=True)
"""For several pictures that are not for paper: at least 1190 px wide, letters of 12 px, as a window of 1440 px shows them."""
