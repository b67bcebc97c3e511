"""Draws a HeadDiary: a strip of maps for each head. Keys: up and down choose the head, left and right the snapshot."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter

from explorer.lang import Words
from explorer.picture.layout.head_diary import (
    HEAD_PX,
    DiaryRows,
    draw_diary_head,
    draw_diary_rows,
    rows_of,
    tell_cell,
    tell_map,
)
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.training_kinds import HeadDiary
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.pictures.step_surface import StepSurface

_LEAST_PX = 110
_TURNS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class HeadDiaryView(StepSurface):
    """Shows a HeadDiary. Signals: chose(strip) for the head to look at, besides stepped(step)."""

    scrolls_to = "chosen"
    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__(_LEAST_PX)
        self._rows: DiaryRows | None = None
        self._head: Sketch | None = None

    def draw(self, picture: HeadDiary, words: Words) -> None:
        self.show_picture(picture, words, words("training.diary.keys"))

    def rows(self) -> DiaryRows:
        """Where the rows stand (px of the drawing, after scrolling); the view must have a picture."""
        self.laid_out()
        assert self._rows is not None  # They are made with the layout.
        return self._rows

    def content_px(self) -> float:
        return 0.0 if self._rows is None else self._rows.bottom + self.shift

    def lay_out(self, sketch: Sketch) -> None:
        assert self.picture is not None and self.words is not None  # Callers have checked.
        area = Rect(0, 0, self.wide, self.high)
        self._rows = rows_of(self.picture, Rect(0, -self.shift, self.wide, self.high))
        self._head = Sketch(self.theme, "", self.measure)
        draw_diary_head(self._head, self.picture, self.words, area, self._rows)
        draw_diary_rows(sketch, self.picture, self._rows, area)

    def paint(self, painter: QPainter, part: QRect) -> None:
        sketch = self.laid_out()
        if sketch is not None and self._head is not None:
            painter.save()
            painter.setClipRect(QRectF(0, HEAD_PX - 4, self.wide, self.high))
            paint_marks(painter, sketch.marks, self.theme)
            painter.restore()
            paint_marks(painter, self._head.marks, self.theme)
            self.paint_scroll_bar(painter)
        self.paint_focus(painter)

    def chosen_part(self) -> tuple[float, float, float] | None:
        rows = self.rows()
        if self.picture.chosen >= len(rows.tops):
            return None
        row = rows.row(self.picture.chosen)
        return row.y, row.bottom + 6, HEAD_PX

    def about(self, place: QPointF) -> Pointed:
        found = self.rows().at(place.x(), place.y())
        if self.words is None or found is None:
            return NOTHING
        strip, frame = found
        made, area, step = self.picture.strips[strip], self.rows().map(strip, frame), self.rows().axis.drawn[frame]
        _n, n_queries, n_keys = made.maps.shape
        row = min(int((place.y() - area.y) / area.high * n_queries), n_queries - 1)
        column = min(int((place.x() - area.x) / area.wide * n_keys), n_keys - 1)
        return Pointed(
            tell_cell(self.picture, strip, step, row, column, self.words), made.rows.spots(row) | made.columns.spots(column)
        )

    def about_shown(self) -> Pointed:
        if self.words is None or self.picture.shown is None or not self.picture.strips:
            return NOTHING
        return Pointed(tell_map(self.picture, self.picture.chosen, self.picture.shown, self.words))

    def pressed(self, place: QPointF) -> None:
        """Choose the head and the snapshot at a place; beside the maps a head alone."""
        strip, axis = self.rows().strip_at(place.y()), self.rows().axis
        step = axis.step_at(place.x()) if axis.left <= place.x() < axis.right else None
        if strip is not None:
            self.choose(strip)
        self.go(step)

    def choose(self, strip: int) -> None:
        """Look at another head."""
        if strip != self.picture.chosen:
            self.change(chosen=strip)
            self.chose.emit(strip)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = _TURNS.get(Qt.Key(event.key()))
        if by is None or self.picture is None or not self.picture.strips:
            super().keyPressEvent(event)
            return
        self.choose(min(max(self.picture.chosen + by, 0), len(self.picture.strips) - 1))
        self.tell_by_keys(self.about_shown())
