"""Where the maps of a HeadDiary stand: a row for each head, a frame for each snapshot that is drawn."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.axis import Axis
from explorer.picture.cell_text import number
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.step_axis import StepAxis, step_axis, step_text, write_steps
from explorer.picture.marks import Rect
from explorer.picture.scales import indices
from explorer.picture.training_kinds import HeadDiary, Strip

HEAD_PX = 20.0
"""The height of the line of steps above the rows."""
_LEAST_ROW_PX = 26.0
_HEADING_PX, _GAP_PX = 20.0, 5.0  # above the rows of an attention; between two rows
_LETTERS, _SMALL, _LINE_PX = 11.5, 10.5, 12.5
_MARK_PX = 2.0


@attrs.frozen(eq=False)
class DiaryRows:
    """Where a HeadDiary stands: the `axis` of its steps, the top of each strip's row (px), their height, and where all end.

    The middles of headings are at `headings` (px).
    """

    axis: StepAxis
    tops: tuple[float, ...]
    headings: tuple[float, ...]
    high: float
    bottom: float

    def row(self, strip: int) -> Rect:
        """The row of a strip's maps."""
        return Rect(self.axis.left, self.tops[strip], self.axis.right - self.axis.left, self.high)

    def map(self, strip: int, place: int) -> Rect:
        """A strip's map in one of the frames."""
        wide = self.axis.frame_px
        return Rect(self.axis.middle(place) - wide / 2, self.tops[strip], wide, self.high)

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """The strip and the frame whose map lies at a point."""
        place = int((x - self.axis.left) // self.axis.pitch)
        if not 0 <= place < len(self.axis.drawn):
            return None
        return next(((strip, place) for strip in range(len(self.tops)) if self.map(strip, place).holds(x, y)), None)

    def strip_at(self, y: float) -> int | None:
        """The strip whose row lies at a height (px)."""
        rows = enumerate(self.tops)
        return next((strip for strip, top in rows if top - _GAP_PX / 2 <= y < top + self.high + _GAP_PX / 2), None)


def rows_of(picture: HeadDiary, area: Rect) -> DiaryRows:
    """The rows in an area, below the line of steps. Rows that have no room any more reach below the area."""
    axis = step_axis(picture.steps, picture.shown, area)
    room = (area.high - HEAD_PX - len(picture.headings) * _HEADING_PX) / max(1, len(picture.strips))
    high = max(_LEAST_ROW_PX - _GAP_PX, min(room - _GAP_PX, axis.frame_px))
    tops, titles, y, before = [], [], area.y + HEAD_PX, ""
    for strip in picture.strips:
        if strip.attention != before:
            titles.append(y + _HEADING_PX / 2)
            y, before = y + _HEADING_PX, strip.attention
        tops.append(y)
        y += high + _GAP_PX
    return DiaryRows(axis, tuple(tops), tuple(titles), high, y)


def draw_diary(sketch: Sketch, picture: HeadDiary, words: Words, area: Rect) -> DiaryRows:
    """Draw all of it; returns where the rows stand."""
    at = rows_of(picture, area)
    draw_diary_head(sketch, picture, words, area, at)
    draw_diary_rows(sketch, picture, at, area)
    return at


def draw_diary_head(sketch: Sketch, picture: HeadDiary, words: Words, area: Rect, at: DiaryRows) -> None:
    """Draw the line of steps above the rows."""
    write_steps(sketch, at.axis, picture.shown, area.y + HEAD_PX / 2 - 2, words("training.curves.step"))


def draw_diary_rows(sketch: Sketch, picture: HeadDiary, at: DiaryRows, area: Rect) -> None:
    """Draw the rows that lie in the area, and the column of the snapshot that is looked at."""
    theme, frame = sketch.theme, at.axis.frame(picture.shown)
    columns = [] if frame is None else _columns(picture, at, frame)
    for column in columns:
        sketch.box(column, theme.soft, radius=3)
    for said, y in zip(_headings(picture), at.headings, strict=True):
        sketch.write(at.axis.left, y + 4, said, _LETTERS, theme.faint, room=area.right - at.axis.left)
    for index, strip in enumerate(picture.strips):
        row = at.row(index)
        if row.bottom + _GAP_PX > area.y and row.y - _GAP_PX < area.bottom:
            _draw_strip(sketch, picture, index, at)
            _draw_labels(sketch, picture, strip, at, row, area.right)
    for column in columns:
        sketch.box(column, line=theme.accent, width=2, radius=3)


def _columns(picture: HeadDiary, at: DiaryRows, frame: int) -> list[Rect]:
    """What goes around the frames of a snapshot: a rectangle for each attention, so that none lies over a heading."""
    made, start = [], 0
    for _attention, strips in groupby(picture.strips, attrgetter("attention")):
        end = start + len(list(strips))
        first, last = at.map(start, frame), at.map(end - 1, frame)
        made.append(Rect(first.x, first.y, first.wide, last.bottom - first.y).grown(3))
        start = end
    return made


def _headings(picture: HeadDiary) -> Iterator[str]:
    """Each attention with the tokens of its rows and of its columns."""
    for heading, (_attention, strips) in zip(picture.headings, groupby(picture.strips, attrgetter("attention")), strict=False):
        first = next(strips)
        yield " · ".join(
            (heading, f"{first.rows.name} ↓ {_tokens(first.rows)}", f"{first.columns.name} → {_tokens(first.columns)}")
        )


def _tokens(axis: Axis) -> str:
    """The tokens along an axis; those that are predicted without their arrows."""
    return " ".join(label.lstrip("→") for label in axis.labels)


def _draw_strip(sketch: Sketch, picture: HeadDiary, index: int, at: DiaryRows) -> None:
    """The name and the maps of one head."""
    theme, strip, row, chosen = sketch.theme, picture.strips[index], at.row(index), index == picture.chosen
    colour = theme.text if chosen else theme.faint
    sketch.write(row.x - 10, row.y + row.high / 2 + 4, strip.name, _LETTERS, colour, "end", bold=chosen, room=row.x - 14)
    for place, step in enumerate(at.axis.drawn):
        if step in picture.read:
            weights = strip.maps[picture.read.index(step)]
            sketch.cells(at.map(index, place), indices(weights, picture.scale, np.isnan(strip.maps[0])), picture.scale.colours)
        else:
            sketch.box(at.map(index, place), line=theme.hairline)


def _draw_labels(sketch: Sketch, picture: HeadDiary, strip: Strip, at: DiaryRows, row: Rect, right: float) -> None:
    """The patterns of a head at the right of its maps, faint before they appear; a line below the maps since the first."""
    theme = sketch.theme
    left, y = at.axis.right + 8, row.y + row.high / 2
    lines = [(step, line) for step, label in strip.labels for line in sketch.lines(label, _SMALL, right - left)]
    lines = lines[: max(1, int((row.high + _GAP_PX) / _LINE_PX))]
    for place, (step, line) in enumerate(lines):
        is_there = picture.shown is None or picture.shown >= step
        middle = y + (place - (len(lines) - 1) / 2) * _LINE_PX
        colour = theme.text if is_there else theme.faint
        sketch.write(left, middle + 3.8, line, _SMALL, colour, room=right - left)
    since = [step for step in at.axis.drawn if strip.labels and step >= min(each for each, _label in strip.labels)]
    if since:
        first = at.map(0, at.axis.drawn.index(since[0]))
        end = at.map(0, len(at.axis.drawn) - 1).right
        sketch.box(Rect(first.x, row.bottom + 1, end - first.x, _MARK_PX), theme.grey)


def tell_map(picture: HeadDiary, strip: int, step: int, words: Words) -> str:
    """A head at a snapshot, with its patterns so far."""
    made = picture.strips[strip]
    told = words("training.diary.map", name=picture.name(strip), step=step_text(step))
    return "\n".join((told, *(label for _step, label in made.labels)))


def tell_cell(picture: HeadDiary, strip: int, step: int, row: int, column: int, words: Words) -> str:
    """One weight of a head at a snapshot, with its tokens."""
    made = picture.strips[strip]
    if step not in picture.read:
        return tell_map(picture, strip, step, words)
    value = float(made.maps[picture.read.index(step), row, column])
    figure = words("legend.closed") if np.isnan(made.maps[0, row, column]) else number(value)
    where = f"{made.rows.label(row).lstrip('→')} → {made.columns.label(column)}"
    return f"{figure} · {where}\n{tell_map(picture, strip, step, words)}"
