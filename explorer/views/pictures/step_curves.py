"""Draws StepCurves: what a training measured over its steps. The mouse tells all values at a step.

Decision: the view paints the marks of the exported figure. Rejected: pyqtgraph, which would draw the same a second time. Its
own axis would have to move the heads' diary below, whose columns are the steps of this one, and the wheel and a drag choose the
snapshot that all pages show, so that they cannot zoom.
"""

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QMouseEvent, QPainter

from explorer.lang import Words
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.step_curves import CurvePlane, draw_step_curves, tell_step
from explorer.picture.marks import Line, Rect
from explorer.picture.training_kinds import StepCurves
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.pictures.step_surface import StepSurface

_LEAST_PX = 110


class StepCurvesView(StepSurface):
    """Shows StepCurves. A click or a drag chooses the nearest snapshot."""

    def __init__(self) -> None:
        super().__init__(_LEAST_PX)
        self._plane: CurvePlane | None = None
        self._here: float | None = None  # where the mouse is (px)

    def draw(self, picture: StepCurves, words: Words) -> None:
        self.show_picture(picture, words, words("training.curves.keys"))

    def plane(self) -> CurvePlane:
        """Where steps and values stand (px of the drawing); the view must have a picture."""
        self.laid_out()
        assert self._plane is not None  # It is made with the layout.
        return self._plane

    def lay_out(self, sketch: Sketch) -> None:
        assert self.picture is not None and self.words is not None  # Callers have checked.
        self._plane = draw_step_curves(sketch, self.picture, self.words, Rect(0, 0, self.wide, self.high))

    def paint(self, painter: QPainter, part: QRect) -> None:
        sketch = self.laid_out()
        if sketch is not None:
            paint_marks(painter, sketch.marks, self.theme)
            plot = self.plane().plot
            if self._here is not None and plot.x <= self._here <= plot.right:
                paint_marks(painter, [Line(self._here, plot.y, self._here, plot.bottom, "faint", 0.8)], self.theme)
        self.paint_focus(painter)

    def about(self, place: QPointF) -> Pointed:
        plot = self.plane().plot
        if self.words is None or not plot.x <= place.x() <= plot.right:
            return NOTHING
        return Pointed(tell_step(self.picture, self.plane().axis.step(place.x()), self.words))

    def about_shown(self) -> Pointed:
        if self.words is None or self.picture.shown is None:
            return NOTHING
        return Pointed(tell_step(self.picture, self.picture.shown, self.words))

    def pressed(self, place: QPointF) -> None:
        self.go(self.plane().axis.step_at(place.x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._here = self.at(event).x()
        self.update()

    def left(self) -> None:
        self._here = None
