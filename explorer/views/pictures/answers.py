"""Draws Answers: what a model answered at its snapshots. Keys: up and down go from answer to answer."""

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from explorer.lang import Words
from explorer.picture.layout.answers import AnswerRows, draw_answers, run_of, tell_answer
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.training_kinds import Answers
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed, told_plainly
from explorer.views.pictures.step_surface import StepSurface

_LEAST_PX = 60
_TURNS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class AnswersView(StepSurface):
    """Shows Answers. A click looks at the first snapshot with an answer."""

    def __init__(self) -> None:
        super().__init__(_LEAST_PX)
        self._rows: AnswerRows | None = None

    def draw(self, picture: Answers, words: Words) -> None:
        self.show_picture(picture, words, words("training.answers.keys"))

    def rows(self) -> AnswerRows:
        """Where the rows stand (px of the drawing, after scrolling); the view must have a picture."""
        self.laid_out()
        assert self._rows is not None  # They are made with the layout.
        return self._rows

    def content_px(self) -> float:
        return 0.0 if self._rows is None else self._rows.high

    def lay_out(self, sketch: Sketch) -> None:
        assert self.picture is not None and self.words is not None  # Callers have checked.
        self._rows = draw_answers(sketch, self.picture, self.words, Rect(0, -self.shift, self.wide, self.high))

    def paint(self, painter: QPainter, part: QRect) -> None:
        sketch = self.laid_out()
        if sketch is not None:
            paint_marks(painter, sketch.marks, self.theme)
            self.paint_scroll_bar(painter)
        self.paint_focus(painter)

    def chosen_part(self) -> tuple[float, float, float] | None:
        row = run_of(self.picture, self.picture.shown)
        if row is None:
            return None
        area = self.rows().row(row)
        return area.y, area.bottom, 0.0

    def about(self, place: QPointF) -> Pointed:
        return self._told(self.rows().at(place.y()))

    def about_shown(self) -> Pointed:
        return self._told(run_of(self.picture, self.picture.shown))

    def _told(self, row: int | None) -> Pointed:
        if self.words is None or row is None:
            return NOTHING
        return told_plainly(tell_answer(self.picture, row, self.words))

    def pressed(self, place: QPointF) -> None:
        row = self.rows().at(place.y())
        if row is not None and row != run_of(self.picture, self.picture.shown):
            self.go(self.picture.steps[self.picture.runs[row][0]])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = _TURNS.get(Qt.Key(event.key()))
        if by is None or self.picture is None or not self.picture.runs:
            super().keyPressEvent(event)
            return
        row, runs = run_of(self.picture, self.picture.shown), self.picture.runs
        self.go(self.picture.steps[runs[min(max((0 if row is None else row + by), 0), len(runs) - 1)][0]])
        self.tell_by_keys(self.about_shown())
