"""Where Removals stand: a row for each part, with a dot at its share, a ring at what switching it off costs, a line between."""

import math

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Removals
from explorer.picture.layout.follow_scene import tick_label, ticks
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.sums import told

_LETTERS, _SMALL = 12.0, 11.0
_HEAD_PX, _FOOT_PX, _MOST_ROW_PX, _LEAST_ROW_PX = 20.0, 22.0, 24.0, 14.0
_DOT_PX, _RING_PX, _RING_LINE_PX = 4.0, 5.0, 1.6
_FIGURES_PX = 92.0  # the column with both figures


@attrs.frozen
class RemovalRows:
    """The rows (px): where names end, the plot between the values `low` and `high`, and the height of each.

    Only the first `n_rows` have room.
    """

    n_rows: int
    plot: Rect
    high_px: float
    low: float
    high: float

    def x(self, value: float) -> float:
        """The place of a value."""
        return self.plot.x + (value - self.low) / (self.high - self.low) * self.plot.wide

    def row(self, index: int) -> Rect:
        """The rectangle of a row in the plot."""
        return Rect(self.plot.x, self.plot.y + index * self.high_px, self.plot.wide, self.high_px)


def rows_of(sketch: Sketch, picture: Removals, area: Rect) -> RemovalRows:
    """The places of the rows in an area. The range has 0, every share and every cost."""
    known = [0.0, *picture.shares.tolist(), *(each for each in picture.costs.tolist() if math.isfinite(each))]
    low, high = min(known), max(known)
    spare = (high - low) * 0.04 or 1.0
    named = max((sketch.measure(name, _LETTERS, False) for name in picture.names), default=0.0) + 12
    top = area.y + _HEAD_PX
    room = area.bottom - top - _FOOT_PX
    n_rows = min(len(picture.names), max(1, int(room / _LEAST_ROW_PX)))
    height = min(_MOST_ROW_PX, max(_LEAST_ROW_PX, room / max(1, n_rows)))
    plot = Rect(area.x + named, top, max(40.0, area.wide - named - _FIGURES_PX), height * n_rows)
    return RemovalRows(n_rows, plot, height, low - spare, high + spare)


def removals(sketch: Sketch, picture: Removals, words: Words, area: Rect) -> RemovalRows:
    """Draw all of it; returns the places of the rows."""
    at, theme = rows_of(sketch, picture, area), sketch.theme
    for value in ticks(at.low, at.high, max(3, int(at.plot.wide / 70))):
        x = round(at.x(value))
        sketch.line(x, at.plot.y - 3, x, at.plot.bottom, theme.faint if value == 0 else theme.hairline)
        label = tick_label(value) if value <= 0 else f"+{tick_label(value)}"
        sketch.write(x, at.plot.y - 8, label, _SMALL, theme.faint, "middle")
    for index, name in enumerate(picture.names[: at.n_rows]):
        _row(sketch, picture, index, name, at, area)
    _legend(sketch, picture, words, Rect(area.x, at.plot.bottom + 4, area.wide, _FOOT_PX))
    return at


def _row(sketch: Sketch, picture: Removals, index: int, name: str, at: RemovalRows, area: Rect) -> None:
    theme, row = sketch.theme, at.row(index)
    middle, share, cost = row.y + row.high / 2, float(picture.shares[index]), float(picture.costs[index])
    sketch.write(row.x - 10, middle + 4, name, _LETTERS, anchor="end")
    figures = told(share, 2)
    if math.isfinite(cost):
        sketch.line(at.x(share), middle, at.x(cost), middle, theme.grey, 1.5)
        sketch.dot(at.x(cost), middle, _RING_PX, theme.text)
        sketch.dot(at.x(cost), middle, _RING_PX - _RING_LINE_PX, theme.card)
        figures = f"{figures} → {told(cost, 2)}"
    sketch.dot(at.x(share), middle, _DOT_PX, sketch.sign(share))
    sketch.write(area.right, middle + 4, figures, _SMALL, theme.faint, "end")


def _legend(sketch: Sketch, picture: Removals, words: Words, area: Rect) -> None:
    """A dot and a ring with their meanings, as far as they are drawn; a meaning without room is left to the tooltip."""
    theme, x, middle = sketch.theme, area.x + 5, area.y + 11
    for key, values in (("share", picture.shares), ("cost", picture.costs)):
        if not np.isfinite(values).any():
            continue
        said = words(f"removals.{key}")
        if x + 12 + sketch.measure(said, _SMALL, False) > area.right:
            return
        if key == "share":
            sketch.dot(x, middle, _DOT_PX, sketch.sign(1.0))
        else:
            sketch.dot(x, middle, _RING_PX, theme.text)
            sketch.dot(x, middle, _RING_PX - _RING_LINE_PX, theme.card)
        sketch.write(x + 11, middle + 4, said, _SMALL, theme.faint)
        x += 11 + sketch.measure(said, _SMALL, False) + 20


def told_row(picture: Removals, index: int, words: Words) -> str:
    """One row in words: the share in the sum, what switching the part off does, and the tap."""
    share, cost = float(picture.shares[index]), float(picture.costs[index])
    lines = [words("removals.of_share", name=picture.names[index], value=told(share, 3))]
    if math.isfinite(cost):
        lines.append(words("removals.of_cost", value=told(-cost, 3)))
    lines.append(picture.taps[index])
    return "\n".join(lines)
