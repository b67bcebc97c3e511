"""Where the bars of Bars stand, and their marks: a label, the bar, and its value behind it."""

from collections.abc import Sequence

import attrs
import numpy as np

from explorer.picture.cell_text import number
from explorer.picture.kinds import Bars
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Box, Rect
from explorer.picture.scales import bar_colour

_GAP = 8.0  # px between label and bar
_SHARE = 0.65  # of a row's height
_BEHIND = 6.0  # px between a bar and its value
_LEAST_PX = 10.0  # of the longest bar
_OUTLINE = 1.5  # px


@attrs.frozen
class BarRow:
    """One bar, by its index in the picture: its whole row, and the bar itself (px)."""

    index: int
    row: Rect
    bar: Rect


def bar_rows(
    picture: Bars, shown: Sequence[int], area: Rect, row_px: float, labels_px: float, figures_px: float
) -> tuple[BarRow, ...]:
    """The shown bars below each other from the top of an area, with room for labels at the left and for values (px)."""
    left = area.x + labels_px + _GAP
    room = max(_LEAST_PX, area.right - left - _BEHIND - figures_px)
    longest = float(np.nanmax(np.abs(picture.values), initial=1e-30))
    made = []
    for line, index in enumerate(shown):
        value, row = float(picture.values[index]), Rect(area.x, area.y + line * row_px, area.wide, row_px)
        size = room * value / longest if np.isfinite(value) else 0.0
        made.append(BarRow(index, row, Rect(left, row.y + row_px * (1 - _SHARE) / 2, size, row_px * _SHARE)))
    return tuple(made)


def draw_bar(sketch: Sketch, picture: Bars, made: BarRow, px: float) -> None:
    """Draw one bar with letters of `px`. One that sampling cuts away is hatched; the chosen one is outlined."""
    theme, middle, right = sketch.theme, made.row.y + made.row.high / 2 + 0.36 * px, made.bar.x - _GAP
    away = picture.cut is not None and bool(picture.cut[made.index])
    label = sketch.fitting(picture.labels[made.index], px, right - made.row.x)
    sketch.write(right, middle, label, px, theme.faint if away else theme.text, "end")
    if away:
        sketch.hatch(made.bar)
    else:
        sketch.box(made.bar, bar_colour(picture.scale.colours))
    sketch.write(made.bar.right + _BEHIND, middle, number(float(picture.values[made.index])), px, theme.faint)
    if made.index == picture.chosen:
        sketch.marks.append(outline(made.bar))


def outline(rect: Rect) -> Box:
    """The frame around the bar that was taken."""
    return Box(rect.grown(2), line="accent", width=_OUTLINE)
