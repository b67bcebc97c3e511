"""Where the parts of an EffectMap stand, and how it is drawn: cells of heads, and a bar for each row beside them."""

import math
from itertools import groupby

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.causal_kinds import EffectMap
from explorer.picture.cell_numbers import inks
from explorer.picture.layout.sketch import Measure, Sketch
from explorer.picture.marks import Rect
from explorer.picture.scales import LEVELS, Scale, indices, table
from explorer.trace.found.effects import LEAST

_TEXT, _SMALL = 12.0, 11.0  # px, sizes of letters
_HEAD_PX, _FOOT_PX, _GROUP_GAP_PX, _GAP_PX = 20.0, 46.0, 8.0, 14.0
_MOST_CELL_PX, _MOST_ROW_PX, _LEAST_ROW_PX = 60.0, 54.0, 0.5
_MOST_THICK_PX = 24.0  # of a bar
_SMALL_CELL_PX = 6.0  # Smaller cells are painted together, without gaps.
_BARS_SHARE, _LEAST_BARS_PX, _MOST_BARS_PX = 0.3, 90.0, 300.0
_NUMBER_PX = 44.0  # px, the column of the bars' numbers
_NUMBER_ROOM = 36.0, 15.0  # px, a smaller cell has no number
_LABEL_ROW_PX = 10.0  # px, lower rows have no name of their own
_HATCH_PX = 6.0
_RAMP_PX = 84.0
_LINE_PX = 16.0


@attrs.frozen(eq=False)
class EffectPlaces:
    """Where the cells and bars stand (px): the upper edge of each row, one height for all, and the columns."""

    tops: tuple[float, ...]
    high: float
    left: float  # of the first head's cell
    wide: float  # of one cell
    n_heads: int
    bars: Rect

    def cell(self, row: int, head: int) -> Rect:
        """The rectangle of a head's cell, with the gap to the next one."""
        return Rect(self.left + head * self.wide, self.tops[row], self.wide, self.high)

    def bar(self, row: int) -> Rect:
        """The rectangle in which a row's bar and its number stand."""
        return Rect(self.bars.x, self.tops[row], self.bars.wide, self.high)

    def at(self, x: float, y: float) -> tuple[int, int | None] | None:
        """The row and head at a point; head None beside the cells, where the row's bar is. None between the rows."""
        row = next((row for row, top in enumerate(self.tops) if top <= y < top + self.high), None)
        if row is None or not self.left <= x <= self.bars.right:
            return None
        head = int((x - self.left) // self.wide)
        return row, head if head < self.n_heads else None


def places(picture: EffectMap, area: Rect, measure: Measure) -> EffectPlaces:
    """The places of an EffectMap in a rectangle."""
    n_rows, n_heads = picture.values.shape
    labels = max(measure(row.group, _TEXT, False) for row in picture.rows)
    names = max(measure(row.name, _SMALL, False) for row in picture.rows)
    left = area.x + labels + names + 18
    bars = min(max(_BARS_SHARE * area.wide, _LEAST_BARS_PX), _MOST_BARS_PX)
    wide = min(max(1.0, (area.right - left - _GAP_PX - bars) / n_heads), _MOST_CELL_PX)
    n_gaps = sum(one.group != next_.group for one, next_ in zip(picture.rows, picture.rows[1:], strict=False))
    foot = _FOOT_PX + _line_px(picture, area, measure)
    room = area.high - _HEAD_PX - foot - n_gaps * _GROUP_GAP_PX
    high = min(max(room / n_rows, _LEAST_ROW_PX), _MOST_ROW_PX)
    high = float(int(high)) if high >= _SMALL_CELL_PX else high
    tops, y = [], area.y + _HEAD_PX
    for number, row in enumerate(picture.rows):
        y += _GROUP_GAP_PX if number and row.group != picture.rows[number - 1].group else 0.0
        tops.append(y)
        y += high
    begins = left + n_heads * wide + _GAP_PX
    beside = Rect(begins, tops[0], min(_MOST_BARS_PX, area.right - begins), y - tops[0])
    return EffectPlaces(tuple(tops), high, left, wide, n_heads, beside)


def _line_px(picture: EffectMap, area: Rect, measure: Measure) -> float:
    """The height of a second line of the sentence at the foot; 0 where one line has room for it."""
    return _LINE_PX if measure(picture.told, _TEXT, False) > area.wide else 0.0


def draw_effects(sketch: Sketch, picture: EffectMap, words: Words, area: Rect, at: EffectPlaces) -> None:
    """Draw the whole map; `at` are its places in the rectangle."""
    _names(sketch, picture, words, area, at)
    index = indices(picture.values, picture.scale)
    if min(at.wide, at.high) < _SMALL_CELL_PX:
        _small_cells(sketch, picture, at, index)
    else:
        _cells(sketch, picture, at, index)
    _bars(sketch, picture, at)
    if picture.chosen is not None:
        sketch.box(at.cell(*picture.chosen).inset(right=1, bottom=1), line=sketch.theme.accent, width=2)
    _foot(sketch, picture, words, area, at)


def _cells(sketch: Sketch, picture: EffectMap, at: EffectPlaces, index: NDArray[np.uint8]) -> None:
    """Cell by cell, each with its outline and its number."""
    ink_of = inks(picture.scale.colours, sketch.theme)
    for row in range(len(picture.rows)):
        if (picture.pending and picture.rows[row].has_heads) or np.isfinite(picture.values[row]).any():
            for head in range(at.n_heads):
                _cell(sketch, picture, at.cell(row, head), row, head, int(index[row, head]), ink_of)
        else:  # A feed-forward has no heads: a line leads from its name to its bar.
            y = at.tops[row] + round(at.high / 2)
            sketch.line(at.left, y, at.bars.x - 6, y, sketch.theme.pale)


def _small_cells(sketch: Sketch, picture: EffectMap, at: EffectPlaces, index: NDArray[np.uint8]) -> None:
    """The cells of each group as one image; a group whose numbers are still computed is an outline."""
    begin = 0
    for _group, rows in groupby(picture.rows, key=lambda row: row.group):
        end = begin + len(list(rows))
        area = Rect(at.left, at.tops[begin], at.wide * at.n_heads, (end - begin) * at.high)
        if picture.pending:
            sketch.box(area, line=sketch.theme.hairline)
        elif np.isfinite(picture.values[begin:end]).any():
            sketch.cells(area, index[begin:end], picture.scale.colours)
        begin = end


def _names(sketch: Sketch, picture: EffectMap, words: Words, area: Rect, at: EffectPlaces) -> None:
    """The groups and rows at the left, the heads above."""
    faint = sketch.theme.faint
    widest = sketch.measure(f"H{at.n_heads - 1}", _SMALL, False) + 4
    step = max(1, int(np.ceil(widest / at.wide)))
    for head in range(0, at.n_heads, step):
        sketch.write(at.left + (head + 0.5) * at.wide, at.tops[0] - 7, f"H{head}", _SMALL, faint, "middle")
    told = sketch.fitting(words("effects.whole"), _SMALL, at.bars.wide)
    sketch.write(at.bars.right, at.tops[0] - 7, told, _SMALL, faint, "end")
    begin = 0  # the first row of the group
    for number, row in enumerate(picture.rows):
        middle = at.tops[number] + at.high / 2 + 4
        if not number or row.group != picture.rows[number - 1].group:
            sketch.write(area.x, max(middle, at.tops[number] + 9), row.group, _TEXT)
            begin = number
        if (number - begin) % max(1, math.ceil(_LABEL_ROW_PX / at.high)) == 0:  # Low rows are named now and then.
            sketch.write(at.left - 7, middle, row.name, _SMALL, faint, "end")


def _cell(sketch: Sketch, picture: EffectMap, area: Rect, row: int, head: int, level: int, ink_of: tuple[str, ...]) -> None:
    """A head's cell: a hairline alone while its number is computed, then its colour, and its number where it matters."""
    gap = 1.0 if min(area.wide, area.high) > 4 else 0.0
    inner = area.inset(right=gap, bottom=gap)
    value = float(picture.values[row, head])
    if picture.pending or not np.isfinite(value):
        sketch.box(inner.inset(right=1, bottom=1), line=sketch.theme.hairline)
        return
    # A cell without an effect has nearly the card's colour, and keeps its outline.
    colour = "#{:02x}{:02x}{:02x}".format(*(int(each) for each in table(picture.scale.colours)[min(level, LEVELS - 1)]))
    sketch.box(inner, colour)
    if gap and abs(value) < 0.2 * picture.scale.high:
        sketch.box(inner.inset(right=1, bottom=1), line=sketch.theme.hairline)
    if picture.is_estimate(row):
        _hatch(sketch, inner)
    wide, high = _NUMBER_ROOM
    if abs(value) >= LEAST and area.wide >= wide and area.high >= high:
        sketch.write(area.x + area.wide / 2, area.y + area.high / 2 + 4, signed(value), _SMALL, ink_of[level], "middle")


def _hatch(sketch: Sketch, area: Rect) -> None:
    """Lines over a cell whose number is an estimate."""
    for start in np.arange(_HATCH_PX, area.wide + area.high, _HATCH_PX).tolist():
        low, high = max(0.0, start - area.high), min(area.wide, start)
        sketch.line(area.x + low, area.y + start - low, area.x + high, area.y + start - high, sketch.theme.card)


def _bars(sketch: Sketch, picture: EffectMap, at: EffectPlaces) -> None:
    """The bar of each row around zero, and its number at the right."""
    room = at.bars.inset(right=_NUMBER_PX)
    zero = round(room.x + room.wide / 2)
    sketch.line(zero, room.y, zero, room.bottom, sketch.theme.hairline)
    for row, value in enumerate(picture.whole.tolist()):
        if not np.isfinite(value):
            continue
        # length = |Δ| / reach · half of the room
        length = min(1.0, abs(value) / picture.bar_reach) * room.wide / 2
        thick = min(_MOST_THICK_PX, max(1.0, at.high - 8))
        if length >= 0.5:
            y = at.tops[row] + max(0.0, (at.high - thick) // 2)
            sketch.box(Rect(zero if value > 0 else zero - length, y, length, thick), sketch.sign(value))
        if at.high >= _LABEL_ROW_PX:
            colour = sketch.theme.text if abs(value) >= LEAST else sketch.theme.faint
            sketch.write(at.bars.right, at.tops[row] + at.high / 2 + 4, signed(value), _SMALL, colour, "end")


def _foot(sketch: Sketch, picture: EffectMap, words: Words, area: Rect, at: EffectPlaces) -> None:
    """What the picture shows in one sentence, and below it both scales."""
    second = _line_px(picture, area, sketch.measure)
    y = max(at.bars.bottom + 20, min(area.bottom - 26 - second, at.bars.bottom + 24))
    first, *more = sketch.lines(picture.told, _TEXT, area.wide) or [""]
    sketch.write(area.x, y, first, _TEXT)
    if more:
        y += _LINE_PX
        sketch.write(area.x, y, sketch.fitting(" ".join(more), _TEXT, area.wide), _TEXT)
    if picture.pending:
        return
    y += 18
    x = area.x
    faint = sketch.theme.faint
    for told in (words("effects.less"), "", words("effects.more")):
        if told:
            sketch.write(x, y, told, _SMALL, faint)
            x += sketch.measure(told, _SMALL, False) + 6
        else:
            ramp = np.arange(LEVELS, dtype=np.uint8)[None, :: LEVELS // 50]
            sketch.cells(Rect(x, y - 8, _RAMP_PX, 8), ramp, picture.scale.colours)
            x += _RAMP_PX + 6
    scales = words("effects.scales", cells=plain(picture.scale.high), bars=plain(picture.bar_reach))
    if x + 8 + sketch.measure(scales, _SMALL, False) <= area.right:
        sketch.write(area.right, y, scales, _SMALL, faint, "end")


def signed(value: float) -> str:
    """An effect with its sign and two decimals, "0" for one that has none."""
    told = f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")
    return told if float(f"{value:.2f}") else "0"


def plain(value: float) -> str:
    """The end of a scale: "0.4", "10"."""
    return f"{value:g}"


def scale_of(end: float, colours: str) -> Scale:
    """The zero-centred scale that ends at ±`end`."""
    return Scale(-end, end, colours)
