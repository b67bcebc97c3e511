"""The film of a HeadDiary: a frame for each snapshot, with the maps of all heads and the patterns that have appeared so far."""

import math
from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby

import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.elements import document
from explorer.picture.figure.film import Film
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.step_axis import step_text
from explorer.picture.marks import Rect
from explorer.picture.scales import indices
from explorer.picture.theme import Theme
from explorer.picture.training_kinds import HeadDiary

_FRAME = (960, 600)
_FRAME_S, _LAST_S = 0.25, 3.0  # seconds of a frame, and of the last one
_EDGE_PX, _HEAD_PX, _BAR_PX, _NAME_PX, _LABEL_PX, _GAP_PX = 16.0, 52.0, 4.0, 18.0, 15.0, 12.0
_HEADING_PX, _MOST_LABELS = 20.0, 2
_AROUND_PX = _NAME_PX + _MOST_LABELS * _LABEL_PX + 4  # above and below a map


def film_of(picture: HeadDiary, words: Words, theme: Theme) -> Film:
    """The frames of all snapshots, in their order; the last one stays longer."""
    picture = on_ground(picture, theme)
    n = len(picture.read)
    times = tuple(place * _FRAME_S for place in range(n))
    return Film(
        times,
        max(0, n - 1) * _FRAME_S + _LAST_S,
        lambda time: _frame(picture, words, theme, max(0, bisect_right(times, time + 1e-9) - 1)),
    )


def _frame(picture: HeadDiary, words: Words, theme: Theme, place: int) -> str:
    """One snapshot as an SVG: its step, all heads, and how much of the training has gone."""
    wide, high = _FRAME
    sketch, step = Sketch(theme, "", measured), picture.read[place]
    sketch.write(_EDGE_PX, 32, words("training.curves.at_step", step=step_text(step)), 20, bold=True)
    sketch.write(wide - _EDGE_PX, 32, picture.caption.title, 13, theme.faint, "end")
    sketch.line(_EDGE_PX, _HEAD_PX - 8, wide - _EDGE_PX, _HEAD_PX - 8, theme.hairline)
    area = Rect(_EDGE_PX, _HEAD_PX, wide - 2 * _EDGE_PX, high - _HEAD_PX - _BAR_PX - _GAP_PX)
    for index, cells in enumerate(_places(sketch, picture, area)):
        _head(sketch, picture, index, place, cells)
    share = place / max(1, len(picture.read) - 1)
    sketch.box(Rect(0, high - _BAR_PX, wide * share, _BAR_PX), theme.accent)
    drawing = Drawing(theme, words)
    write_marks(drawing, sketch.marks, images=True)
    return document(wide, high, drawing.body, theme.card, "", with_fonts=False)


def _places(sketch: Sketch, picture: HeadDiary, area: Rect) -> Iterator[Rect]:
    """Where the map of each head stands, as large as it can be; each attention begins a line, below its name."""
    groups = [len(list(group)) for _attention, group in groupby(picture.strips, key=lambda strip: strip.attention)]

    def n_lines(across: int) -> int:
        return sum(math.ceil(n / across) for n in groups)

    def side(across: int) -> float:
        rows = (area.high - _HEADING_PX * len(groups)) / n_lines(across)
        return max(4.0, min((area.wide + _GAP_PX) / across - _GAP_PX, rows - _AROUND_PX))

    across = max(range(1, max(groups, default=1) + 1), key=side)
    px = side(across)
    left = area.x + (area.wide - across * (px + _GAP_PX) + _GAP_PX) / 2
    y = area.y + (area.high - _HEADING_PX * len(groups) - n_lines(across) * (px + _AROUND_PX)) / 2
    for heading, n in zip(picture.headings, groups, strict=True):
        sketch.write(left, y + 14, heading, 12, sketch.theme.faint)
        y += _HEADING_PX
        for place in range(n):
            line, column = divmod(place, across)
            yield Rect(left + column * (px + _GAP_PX), y + line * (px + _AROUND_PX) + _NAME_PX, px, px)
        y += math.ceil(n / across) * (px + _AROUND_PX)


def _head(sketch: Sketch, picture: HeadDiary, index: int, place: int, cells: Rect) -> None:
    """The name of a head, its map at a snapshot, and its patterns so far."""
    theme, strip = sketch.theme, picture.strips[index]
    sketch.write(cells.x, cells.y - 6, strip.name, 12, theme.text, bold=True, room=cells.wide)
    sketch.cells(cells, indices(strip.maps[place], picture.scale, np.isnan(strip.maps[0])), picture.scale.colours)
    labels = [label for step, label in strip.labels if step <= picture.read[place]]
    lines = [line for label in labels for line in sketch.lines(label, 11, cells.wide)]
    for number, line in enumerate(lines[:_MOST_LABELS]):
        sketch.write(cells.x, cells.bottom + (number + 1) * _LABEL_PX - 2, line, 11, theme.faint, room=cells.wide)
