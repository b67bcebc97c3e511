"""Pictures of a training outside the window: as SVG, as tables and in words; and a film of its heads."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from explorer.lang import Words
from explorer.picture.figure.diary_film import film_of
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.answers import answer_rows, draw_answers, tell_answer
from explorer.picture.layout.head_diary import HEAD_PX, draw_diary, rows_of
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.step_axis import step_text
from explorer.picture.layout.step_curves import draw_step_curves, tell_step
from explorer.picture.marks import Rect
from explorer.picture.tables import Table
from explorer.picture.training_kinds import Answers, HeadDiary, StepCurve, StepCurves

_WIDE_PX, _LEAST_PX, _HIGH_PX = 900.0, 320.0, 300.0
_ROW_PX = 48.0  # px, a row of maps in a file
_ANSWERS_PX = 420.0
_MOST_TOLD = 12  # rows of answers in a description


def draw_curves(drawing: Drawing, picture: StepCurves, top: float) -> None:
    """Draw the curves."""
    sketch = Sketch(drawing.theme, "", measured)
    area = Rect(0, top, drawing.filling(_WIDE_PX, _LEAST_PX), _HIGH_PX)
    draw_step_curves(sketch, picture, drawing.words, area)
    write_marks(drawing, sketch.marks)
    drawing.reach(area.right, area.bottom)


def _curve_tables(picture: StepCurves) -> Iterator[Table]:
    """A table for each curve, with a row for each of its steps; curves of one kind at the same steps share one."""
    name = picture.caption.file_name
    for kind, curves in groupby(picture.curves, key=lambda curve: curve.kind):
        for group in _alike(list(curves)):
            if len(group[0].at):
                values = np.stack([curve.values for curve in group], axis=1)
                rows = Axis("step", tuple(f"{step:.0f}" for step in group[0].at))
                yield Table(f"{name}.{kind}", values, rows, Axis("of", tuple(curve.name for curve in group)))


def _alike(curves: list[StepCurve]) -> list[list[StepCurve]]:
    same = all(np.array_equal(curve.at, curves[0].at) for curve in curves)
    return [curves] if same else [[curve] for curve in curves]


def _curves_described(picture: StepCurves, words: Words) -> str:
    last = max((float(curve.at[-1]) for curve in picture.curves if len(curve.at)), default=0.0)
    told = tell_step(picture, last if picture.shown is None else picture.shown, words)
    lost = [
        words("training.curves.lost", name=each.name, step=step_text(each.lost))
        for each in picture.curves
        if each.lost is not None
    ]
    return "\n".join((f"{picture.caption.title}. {picture.caption.note}".strip(), told, *lost))


STEP_CURVES = Kind(draw_curves, _curve_tables, _curves_described)


def draw_head_diary(drawing: Drawing, picture: HeadDiary, top: float) -> None:
    """Draw the strips, all of them."""
    sketch = Sketch(drawing.theme, "", measured)
    high = HEAD_PX + _ROW_PX * (len(picture.strips) + len(picture.headings))
    area = Rect(0, top, drawing.filling(_WIDE_PX, _LEAST_PX), high)
    area = Rect(area.x, area.y, area.wide, max(high, rows_of(picture, area).bottom - top))
    made = draw_diary(sketch, picture, drawing.words, area)
    write_marks(drawing, sketch.marks, images=True)  # There are thousands of cells, and often as many maps as cells in one.
    drawing.reach(area.right, made.bottom)


def _diary_tables(picture: HeadDiary) -> Iterator[Table]:
    """A table of weights for each head and snapshot."""
    for strip in picture.strips:
        for step, weights in zip(picture.read, strip.maps, strict=True):
            yield Table(f"{strip.tap}.head{strip.head}.step{step}", weights, strip.rows, strip.columns, strip.head)


def _diary_described(picture: HeadDiary, words: Words) -> str:
    labels = (f"{picture.name(place)}: {label}" for place, strip in enumerate(picture.strips) for _step, label in strip.labels)
    return "\n".join((f"{picture.caption.title}. {picture.caption.note}".strip(), *labels))


HEAD_DIARY = Kind[HeadDiary](draw_head_diary, _diary_tables, _diary_described, film_of)


def draw_answer_rows(drawing: Drawing, picture: Answers, top: float) -> None:
    """Draw the rows, all of them."""
    sketch = Sketch(drawing.theme, "", measured)
    area = Rect(0, top, drawing.filling(_ANSWERS_PX), 0)
    draw_answers(sketch, picture, drawing.words, area)
    write_marks(drawing, sketch.marks)
    drawing.reach(area.right, top + answer_rows(sketch, picture, area).high)


def _answer_tables(picture: Answers) -> Iterator[Table]:
    """A row for each snapshot, labelled with its answer: the step, and 1 for a right answer, 0 for a wrong one."""
    right = [np.nan if each is None else float(each) for each in picture.right]
    values = np.stack([np.array(picture.steps, np.float64), np.array(right)], axis=1)
    yield Table(picture.caption.file_name, values, Axis("answer", picture.answers), Axis("of", ("step", "right")))


def _answers_described(picture: Answers, words: Words) -> str:
    rows = [tell_answer(picture, row, words) for row in range(len(picture.runs))]
    return "\n".join((f"{picture.caption.title}. {picture.caption.note}".strip(), *rows[-_MOST_TOLD:]))


ANSWERS = Kind(draw_answer_rows, _answer_tables, _answers_described)
