"""The parts of a logit difference as a waterfall: a row for each block, from the running sum to the next, down to the sum."""

import math
from collections.abc import Iterator

import attrs

from explorer.lang import Words, sentences
from explorer.picture.layout.follow_scene import tick_label, ticks
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.terms import TermSpot, both_sums, said_shortly
from explorer.picture.marks import Rect
from explorer.picture.sums import Group, SumRow, Sums, SumTerm, told

_LETTERS, _SMALL = 12.0, 11.0
_HEAD_PX, _SUM_PX, _KINDS_PX, _LEGEND_PX = 22.0, 26.0, 54.0, 22.0
_ROW_PX, _LEAST_ROW_PX = 56.0, 13.0
_KINDS_FROM_PX = 330.0  # Where the whole picture is lower, the kinds have no room below the sum.
_CORNER_HEAD_PX, _KIND_PX, _KIND_BAR_PX, _KIND_FIGURE_PX = 26.0, 23.0, 72.0, 48.0  # of the list of kinds, at least
_PAD_PX = 10.0
_FIGURE_PX = 56.0
_NAMED_PX = 22.0  # A segment as wide as this has the head's name on it.
_STRONG = 0.1  # the share of the range from which a row's number is bold
_INK = "#14171b"


@attrs.frozen
class _Plot:
    """Where values stand (px); `left` is where the names of rows end, `group` where those of groups do."""

    area: Rect
    low: float
    high: float
    names: float
    groups: float

    def x(self, value: float) -> float:
        """The place of a value."""
        return self.area.x + (value - self.low) / (self.high - self.low) * self.area.wide


STEP_MS = 40.0
"""While the parts are added one after the other, each takes so long."""


def n_added(sums: Sums, time_ms: float) -> int:
    """How many terms have been added after a time."""
    return min(n_terms(sums), int(max(0.0, time_ms) / STEP_MS))


def n_terms(sums: Sums) -> int:
    """How many terms the groups have."""
    return sum(len(row.terms) for group in sums.groups for row in group.rows)


def waterfall(sketch: Sketch, sums: Sums, words: Words, area: Rect, added: int | None = None) -> list[TermSpot]:
    """Draw the waterfall; returns the places that answer to the mouse.

    With `added`, only so many terms are drawn, in the order of computation; the places of all others stay as they will be.
    """
    foot = _LEGEND_PX
    body, groups, plot = _body(sketch, sums, area, foot)
    names = max((sketch.measure(name, _LETTERS, False) for name, _value in sums.kinds), default=0.0)
    corner = _corner(groups, plot, body, names, len(sums.kinds))
    if corner is None and area.high > _KINDS_FROM_PX:
        foot += _KINDS_PX
        body, groups, plot = _body(sketch, sums, area, foot)
    high = plot.area.high / max(1, _n_rows(groups))
    _axis(sketch, plot)
    places, running, y = [], 0.0, body.y
    left = n_terms(sums) if added is None else added
    for group in groups:
        sketch.line(body.x, y, body.right, y, sketch.theme.hairline)
        _group(sketch, group, sums, Rect(body.x, y, plot.groups - body.x, high * len(group.rows)))
        for row in group.rows:
            there = SumRow(row.name, _in_order(row)[: max(0, left)])
            left -= len(row.terms)
            places += _row(sketch, there, sums, plot, running, Rect(body.x, y, body.wide, high), single=len(row.terms) == 1)
            running += there.value
            y += high
    if left < 0:
        _so_far(sketch, running, sums, plot, Rect(body.x, y, body.wide, _SUM_PX))
    else:
        _sum(sketch, sums, words, plot, Rect(body.x, y, body.wide, _SUM_PX))
    end = Rect(area.x + 2, y + _SUM_PX, area.wide - 2, area.bottom - y - _SUM_PX)
    if foot > _LEGEND_PX:
        _kinds(sketch, sums, words, Rect(end.x, max(end.y + 6, end.bottom - foot), end.wide, _KINDS_PX))
    if corner is not None:
        _kinds_listed(sketch, sums, words, corner)
    _legend(sketch, sums, words, Rect(end.x, end.bottom - _LEGEND_PX, end.wide, _LEGEND_PX))
    return places


def _body(sketch: Sketch, sums: Sums, area: Rect, foot: float) -> tuple[Rect, tuple[Group, ...], _Plot]:
    """The room above the foot, the groups as they stand in it, and where values do."""
    body = area.inset(2, _HEAD_PX, 0, foot + _SUM_PX)
    groups = sums.groups
    if body.high / _n_rows(groups) < _LEAST_ROW_PX:  # Of a deep model, each layer is one row.
        groups = tuple(Group(each.name, (SumRow("", tuple(_terms(each))),)) for each in groups)
    high = min(_ROW_PX, body.high / max(1, _n_rows(groups)))
    return body, groups, _plot(sketch, groups, sums, Rect(body.x, body.y, body.wide, high * _n_rows(groups)))


def _corner(groups: tuple[Group, ...], plot: _Plot, body: Rect, names_px: float, n_kinds: int) -> Rect | None:
    """The upper right corner, where it is free of bars for a list of so many kinds; a sum that rises leaves it so."""
    bars = max(_KIND_BAR_PX, 0.3 * (body.wide - 400))
    wide, high = names_px + bars + _KIND_FIGURE_PX + 3 * _PAD_PX, _CORNER_HEAD_PX + n_kinds * max(_KIND_PX, 0.045 * body.high)
    corner = Rect(body.right - wide - 4, body.y + 6, wide, high)
    row_px = plot.area.high / max(1, _n_rows(groups))
    running, y = 0.0, body.y
    for row in (row for group in groups for row in group.rows):
        reached = running + math.fsum(term.value for term in row.terms if term.value > 0)
        if y < corner.bottom + 4 and plot.x(max(running, reached)) + _FIGURE_PX > corner.x:
            return None
        running, y = running + row.value, y + row_px
    return corner if corner.bottom + 4 < plot.area.bottom else None


def _in_order(row: SumRow) -> tuple[SumTerm, ...]:
    """The terms as they are drawn: those that add, the largest first, then those that take away."""
    adding = sorted((term for term in row.terms if term.value >= 0), key=lambda term: -term.value)
    taking = sorted((term for term in row.terms if not term.value >= 0), key=lambda term: term.value)
    return (*adding, *taking)


def _terms(group: Group) -> Iterator[SumTerm]:
    for row in group.rows:
        yield from row.terms


def _n_rows(groups: tuple[Group, ...]) -> int:
    return sum(len(group.rows) for group in groups)


def _plot(sketch: Sketch, groups: tuple[Group, ...], sums: Sums, area: Rect) -> _Plot:
    """The range has 0, the difference, and every lane of every row."""
    reached, running = [0.0, sums.difference], 0.0
    for group in groups:
        for row in group.rows:
            up = math.fsum(term.value for term in row.terms if term.value > 0)
            reached += [running, running + up, running + row.value]
            running += row.value
    low, high = min(reached), max(reached)
    room = (high - low) * 0.03 or 1.0
    names = max((sketch.measure(row.name, _LETTERS, False) for group in groups for row in group.rows), default=0.0)
    named = max((sketch.measure(group.name, _LETTERS, True) for group in groups), default=0.0)
    left = area.x + 10 + named + 10
    start = left + names + 10
    plot = Rect(start, area.y, max(40.0, area.right - start - _FIGURE_PX), area.high)
    return _Plot(plot, low - room, high + room, start - 8, left)


def _axis(sketch: Sketch, plot: _Plot) -> None:
    """Figures above the rows, hairlines down to the sum, and a stronger one at zero."""
    bottom = plot.area.bottom + _SUM_PX - 2
    for value in ticks(plot.low, plot.high, max(3, int(plot.area.wide / 70))):
        x = round(plot.x(value))
        sketch.line(x, plot.area.y - 3, x, bottom, sketch.theme.faint if value == 0 else sketch.theme.hairline)
        text = tick_label(value) if value <= 0 else f"+{tick_label(value)}"
        sketch.write(x, plot.area.y - 8, text, _SMALL, sketch.theme.faint, "middle")


def _group(sketch: Sketch, group: Group, sums: Sums, area: Rect) -> None:
    """The group's name with its total, beside a bar that holds its rows together."""
    theme = sketch.theme
    sketch.box(Rect(area.x, area.y + 3, 3, area.high - 6), theme.hairline)
    two_lines = area.high >= 32
    base = area.y + (15 if two_lines else area.high / 2 + 4)
    sketch.write(area.x + 10, base, group.name, _LETTERS, bold=True)
    if two_lines:
        sketch.write(area.x + 10, base + 15, told(group.value, sums.digits), _SMALL, theme.faint)


def _row(sketch: Sketch, row: SumRow, sums: Sums, plot: _Plot, running: float, area: Rect, *, single: bool) -> list[TermSpot]:
    """One bar from the running sum to the next. Heads that add stand in the upper lane, the others in the lower one.

    A `single` term stands in the middle. A row without terms has its name alone.
    """
    theme, middle = sketch.theme, area.y + area.high / 2
    sketch.write(plot.names, middle + 4, row.name, _LETTERS, theme.faint, "end")
    if not row.terms:
        return []
    upper = area.high * (0.6 if single else 0.42)
    lower = area.high * 0.28
    top = middle - (upper if single else upper + lower) / 2
    places, at = [], running
    for term in row.terms:
        lane = Rect(0, top, 0, upper) if single or term.value >= 0 else Rect(0, top + upper, 0, lower)
        from_x, to_x = sorted((plot.x(at), plot.x(at + term.value)))
        bar = Rect(from_x, lane.y, to_x - from_x, lane.high)
        _segment(sketch, term, bar, single=single)
        places.append(
            TermSpot(Rect(bar.x, area.y + 1, max(bar.wide, 1.5), area.high - 2) if single else bar, term.about, term.goes)
        )
        at += term.value
    end = plot.x(running + row.value)
    sketch.line(end, middle - area.high * 0.42, end, middle + area.high * 0.42, theme.text, 1.5)
    right = max(plot.x(running), plot.x(running + math.fsum(term.value for term in row.terms if term.value > 0)), end)
    strong = abs(row.value) >= _STRONG * (plot.high - plot.low)
    sketch.write(
        right + 6, middle + 4, told(row.value, sums.digits), _LETTERS, theme.text if strong else theme.faint, bold=strong
    )
    return places


def _segment(sketch: Sketch, term: SumTerm, bar: Rect, *, single: bool) -> None:
    gap = 1.0 if bar.wide >= 3 and not single else 0.0
    sketch.box(Rect(bar.x, bar.y, max(bar.wide - gap, 0.6), bar.high), sketch.sign(term.value))
    if term.short and bar.wide >= _NAMED_PX and bar.high >= 8:
        sketch.write(bar.x + bar.wide / 2, bar.y + bar.high / 2 + 3.5, term.short, 9.0, _INK, "middle")


def _so_far(sketch: Sketch, running: float, sums: Sums, plot: _Plot, area: Rect) -> None:
    """The sum of the terms that have been added, in grey."""
    middle = area.y + area.high / 2
    sketch.line(area.x, area.y, area.right, area.y, sketch.theme.hairline)
    zero, end = sorted((plot.x(0), plot.x(running)))
    sketch.box(Rect(zero, middle - 8, max(end - zero, 0.6), 16), sketch.theme.grey)
    sketch.write(end + 6, middle + 4, told(running, sums.digits), _LETTERS, sketch.theme.faint)


def _sum(sketch: Sketch, sums: Sums, words: Words, plot: _Plot, area: Rect) -> None:
    """The recorded difference, and the sum of the parts beside it."""
    theme, middle = sketch.theme, area.y + area.high / 2
    sketch.line(area.x, area.y, area.right, area.y, theme.hairline)
    sketch.write(plot.names, middle + 4, words("why.total"), _LETTERS, anchor="end", bold=True)
    zero, end = sorted((plot.x(0), plot.x(sums.difference)))
    bar = Rect(zero, middle - 8, max(end - zero, 0.6), 16)
    sketch.box(bar, theme.text)
    said = both_sums(sums, words)
    figure = told(sums.difference, sums.digits + 1)
    if sketch.measure(said, _SMALL, False) + 16 <= bar.wide:
        sketch.write(bar.x + 8, middle + 4, said, _SMALL, theme.card)
        sketch.write(bar.right + 6, middle + 4, figure, _LETTERS, bold=True)
        return
    # A short bar has no room for the two sums; they stand at the side that has more.
    after, before = area.right - bar.right - 12, bar.x - plot.names - 12
    x, anchor = (bar.right + 6, "start") if after >= before else (bar.x - 6, "end")
    for shorter in (said_shortly(sums), figure):
        if sketch.measure(said, _SMALL, True) > max(after, before):
            said = shorter
    sketch.write(x, middle + 4, said, _SMALL, anchor=anchor, bold=True)


def _kinds(sketch: Sketch, sums: Sums, words: Words, area: Rect) -> None:
    """The totals of the kinds of parts, each with a small bar."""
    theme = sketch.theme
    sketch.line(area.x, area.y, area.right, area.y, theme.hairline)
    sketch.write(area.x, area.y + 17, words("why.by_kind"), _LETTERS, bold=True)
    left = area.x + max(74.0, sketch.measure(words("why.by_kind"), _LETTERS, True) + 14)
    wide = (area.right - left) / max(1, len(sums.kinds))
    longest = max((abs(value) for _name, value in sums.kinds), default=0.0) or 1.0
    for place, (name, value) in enumerate(sums.kinds):
        x = left + place * wide
        sketch.write(x, area.y + 16, sketch.fitting(name, _SMALL, wide - 6), _SMALL, theme.faint)
        sketch.write(x, area.y + 34, told(value, sums.digits), 15, bold=abs(value) == longest)
        sketch.box(Rect(x, area.y + 40, max(1.0, abs(value) / longest * (wide - 14)), 4), sketch.sign(value))


def _kinds_listed(sketch: Sketch, sums: Sums, words: Words, area: Rect) -> None:
    """The same in a list: of each kind its name, a small bar, and its total."""
    sketch.box(area, sketch.theme.card, line=sketch.theme.hairline, radius=4)
    start, end = area.x + _PAD_PX, area.right - _PAD_PX
    sketch.write(start, area.y + 18, words("why.by_kind"), _LETTERS, bold=True)
    longest = max((abs(value) for _name, value in sums.kinds), default=0.0) or 1.0
    names = max(sketch.measure(name, _LETTERS, False) for name, _value in sums.kinds)
    bars, longest_px = start + names + _PAD_PX, end - _KIND_FIGURE_PX - start - names - _PAD_PX
    high = (area.high - _CORNER_HEAD_PX) / len(sums.kinds)
    for place, (name, value) in enumerate(sums.kinds):
        base = area.y + _CORNER_HEAD_PX + (place + 0.5) * high + 2
        sketch.write(start, base, name, _LETTERS, sketch.theme.faint)
        sketch.box(Rect(bars, base - 8, max(1.0, abs(value) / longest * longest_px), 8), sketch.sign(value))
        sketch.write(end, base, told(value, sums.digits), _LETTERS, anchor="end", bold=abs(value) == longest)


def _legend(sketch: Sketch, sums: Sums, words: Words, area: Rect) -> None:
    theme, x, base = sketch.theme, area.x, area.y + 15
    sketch.line(area.x, area.y, area.right, area.y, theme.hairline)
    for sign, word in ((1.0, sums.word), (-1.0, sums.rival)):
        said = words("why.toward", word=word)
        sketch.box(Rect(x, base - 8, 10, 8), sketch.sign(sign))
        sketch.write(x + 15, base, said, _SMALL, theme.faint)
        x += 15 + sketch.measure(said, _SMALL, False) + 16
    about, hint = words("why.segments"), words("why.hint")
    for said in (sentences(about, hint), words("why.short_hint")) if sketch.answers else (about,):
        if sketch.measure(said, _SMALL, False) <= area.right - x:
            sketch.write(x, base, said, _SMALL, theme.faint)
            return
