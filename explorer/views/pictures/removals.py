"""Draws Removals: the shares of the largest parts as dots, what switching them off costs as rings."""

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.causal_kinds import Removals
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.removals import RemovalRows, removals, rows_of, told_row
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_LEAST_PX = 64  # the ticks, some rows and the legend; a view that needed more would reach over the edge of a low card
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class RemovalsView(Surface):
    """Shows Removals. The arrow keys walk the rows."""

    draws_in_px = True

    def __init__(self) -> None:
        super().__init__()
        self.picture: Removals | None = None
        self.here: int | None = None  # the row under the mouse, or that the keys have reached
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, _LEAST_PX)

    def draw(self, picture: Removals, words: Words) -> None:
        self.picture, self.words = picture, words
        if self.here is not None and self.here >= len(picture.names):
            self.here = None
        self.setAccessibleDescription(in_words(picture, words))
        self.tell_again(self._about(self.here))
        self.update()

    def _sketch(self, picture: Removals) -> Sketch:
        return Sketch(self.theme, picture.signed_colours, self.measure)

    def _area(self) -> Rect:
        return Rect(2, 0, self.wide - 4, self.high)

    def rows(self) -> RemovalRows:
        """Where the rows stand; the view must have a picture."""
        assert self.picture is not None  # Callers have checked.
        return rows_of(self._sketch(self.picture), self.picture, self._area())

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None or self.words is None:
            return
        sketch = self._sketch(self.picture)
        if self.here is not None and self.here < self.rows().n_rows:
            row = self.rows().row(self.here)
            sketch.box(Rect(self._area().x, row.y, self._area().wide, row.high), self.theme.window)
        removals(sketch, self.picture, self.words, self._area())
        paint_marks(painter, sketch.marks, self.theme)
        self.paint_focus(painter)

    def _about(self, index: int | None) -> Pointed:
        if index is None or self.picture is None or self.words is None:
            return NOTHING
        return Pointed(told_row(self.picture, index, self.words))

    def _at(self, place: QPointF) -> int | None:
        if self.picture is None:
            return None
        rows = self.rows()
        index = int((place.y() - rows.plot.y) // rows.high_px)
        return index if 0 <= index < rows.n_rows else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = self._at(self.at(event))
        if here != self.here:
            self.here = here
            self.update()
        self.tell(event.globalPosition().toPoint(), self._about(here))

    def left(self) -> None:
        self.here = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self.picture is None or not self.picture.names:
            super().keyPressEvent(event)
            return
        last = self.rows().n_rows - 1
        self.here = (0 if step > 0 else last) if self.here is None else min(max(self.here + step, 0), last)
        self.tell_by_keys(self._about(self.here))
