"""A followed cell outside the window: the sheet of its six beats as SVG, its numbers as tables, and its frames as a film."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.elements import document
from explorer.picture.figure.film import FRAMES_PER_SECOND, Film
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.follow_text import description, headline
from explorer.picture.kinds import Axis, Follow
from explorer.picture.layout.follow_sheet import beat_at, sheet
from explorer.picture.layout.follow_time import timetable
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.tables import Table
from explorer.picture.theme import Theme

_SHEET = Rect(0, 0, 1140, 560)
_LEAST = 900.0  # px; the sheet has three columns of beats
_FRAME = (960, 600)
_HEAD_PX, _BAR_PX = 44.0, 4.0


def draw_follow(drawing: Drawing, picture: Follow, top: float) -> None:
    """Draw the sheet: all six beats at their end."""
    sketch = Sketch(drawing.theme, picture.signed_colours, measured)
    wide = drawing.filling(_SHEET.wide, _LEAST)
    sheet(sketch, picture.followed, drawing.words, Rect(_SHEET.x, top, wide, _SHEET.high))
    write_marks(drawing, sketch.marks)
    drawing.reach(wide, top + _SHEET.high)


def film_of(picture: Follow, words: Words, theme: Theme) -> Film:
    """The frames of all beats. While a beat rests, one frame stays."""
    picture = on_ground(picture, theme)
    table, step = timetable(picture.followed), 1 / FRAMES_PER_SECOND
    times: list[float] = []
    for beat, move in enumerate(table.moves):
        start = table.start(beat)
        times += [start + place * step for place in range(int(np.ceil(move / step - 1e-9)))]
        times.append(start + move)
    return Film(tuple(times), table.total, lambda time: _frame(picture, words, theme, time))


def _frame(picture: Follow, words: Words, theme: Theme, time: float) -> str:
    """One moment as an SVG: what is followed, the beat, and how much of the time has gone."""
    wide, high = _FRAME
    sketch = Sketch(theme, picture.signed_colours, measured)
    sketch.write(16, 28, headline(picture.followed, words), 15, bold=True)
    sketch.write(wide - 16, 28, picture.caption.tap, 12, theme.faint, "end")
    sketch.line(16, _HEAD_PX - 4, wide - 16, _HEAD_PX - 4, theme.hairline)
    beat_at(sketch, picture.followed, words, Rect(0, _HEAD_PX, wide, high - _HEAD_PX - 14), time)
    gone = min(time / timetable(picture.followed).total, 1.0)
    sketch.box(Rect(0, high - _BAR_PX, wide * gone, _BAR_PX), theme.accent)
    drawing = Drawing(theme, words)
    write_marks(drawing, sketch.marks)
    return document(wide, high, drawing.body, theme.card, "", with_fonts=False)


def _tables(picture: Follow) -> Iterator[Table]:
    """The products of the cell, a row for each feature; and the row of its query, a row for each key."""
    followed = picture.followed
    cell = followed.cell
    made = np.stack([followed.query, followed.key, followed.products, followed.running], axis=1)  # [feature, column]
    name = f"{cell.tap('scores')}.products.query{cell.query}.key{cell.key}"
    yield Table(name, made, Axis("feature"), Axis("of", ("query", "key", "product", "sum")), cell.head)
    columns = {
        "score": followed.scores,
        "scaled": followed.scaled,
        **({} if followed.bias is None else {"bias": followed.bias}),
        "masked": followed.masked,
        "weight": followed.weights,
        "after_dropout": followed.passed,
        "weight_without_mask": followed.unmasked,
        "share_of_output": followed.output_shares,
    }
    row = np.stack([np.asarray(column, np.float64) for column in columns.values()], axis=1)  # [key, column]
    yield Table(f"{cell.tap('weights')}.row.query{cell.query}", row, followed.keys, Axis("of", tuple(columns)), cell.head)


def _described(picture: Follow, words: Words) -> str:
    return description(picture.followed, words)


FOLLOW = Kind[Follow](draw_follow, _tables, _described, film_of)
