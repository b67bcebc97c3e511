"""Draws CutRows: a row for each cut with its words, its map and the difference to the map of the cut on screen.

A click on the name of a row, or Enter, asks for its cut; the arrow keys walk the rows.
"""

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.cut_kinds import CutRows
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.cut_rows import Places, comfortable_height_px, cut_rows, enlargement, told_cell, told_piece
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.theme import Theme
from explorer.state.cut_intents import CutAs
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class CutRowsView(Surface):
    """Shows CutRows. Signals: wished(CutAs) for another cut of the sentence."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.picture: CutRows | None = None
        self.here: int | None = None  # the row whose name is under the mouse, or that the keys have reached
        self.places: Places | None = None
        self.comfortable_px = 240  # the height at which every id can be read
        self.sketch: Sketch | None = None
        self._times = 1.0  # how many times as large as it is laid out
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 240)

    def draw(self, picture: CutRows, words: Words) -> None:
        self.picture, self.words = picture, words
        if self.here is not None and self.here >= len(picture.rows):
            self.here = None
        measuring = Sketch(self.theme, picture.difference_scale.colours, self.measure)
        self.comfortable_px = int(comfortable_height_px(measuring, picture, self.width() - 4))
        self.setAccessibleName(picture.caption.title)
        self.setAccessibleDescription(f"{in_words(picture, words)}\n{words('cuts.keys_hint')}")
        self._place()
        self.tell_again(NOTHING)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._place()

    def _place(self) -> None:
        """Make the marks."""
        if self.picture is not None and self.words is not None:
            made = Sketch(self.theme, self.picture.difference_scale.colours, self.measure)
            area = Rect(2, 0, self.width() - 4, self.height())
            factor = enlargement(made, self.picture, area)
            places = cut_rows(made, self.picture, self.words, area.enlarged(1 / factor), self.here)
            self.places, self.sketch, self._times = places.enlarged(factor), made, factor
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.sketch is not None:
            painter.save()
            painter.scale(self._times, self._times)
            paint_marks(painter, self.sketch.marks, self.theme)
            painter.restore()
        self.paint_focus(painter)

    def about(self, place: QPointF) -> Pointed:
        """What is at a place: a token, a cell, or the name of a row."""
        picture, words, places = self.picture, self.words, self.places
        if picture is None or words is None or places is None:
            return NOTHING
        piece = places.piece_at(place.x(), place.y())
        if piece is not None:
            return Pointed(told_piece(picture, piece.row, piece.token, words))
        cell = places.cell_at(place.x(), place.y(), len(picture.units))
        if cell is not None:
            return Pointed(told_cell(picture, *cell, words))
        row = places.row_at(place.x(), place.y())
        return NOTHING if row is None else self._about_row(row)

    def _about_row(self, row: int) -> Pointed:
        assert self.picture is not None and self.words is not None  # Callers have checked.
        made = self.picture.rows[row]
        asked = self.words("cuts.shown" if row == self.picture.present else "cuts.use")
        return Pointed("\n".join(filter(None, (made.name, made.about, made.refused, made.said, asked))))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        self._point(None if self.places is None else self.places.row_at(place.x(), place.y()))
        self.setCursor(Qt.CursorShape.ArrowCursor if self.here is None else Qt.CursorShape.PointingHandCursor)
        self.tell(event.globalPosition().toPoint(), self.about(place))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        row = None if self.places is None else self.places.row_at(place.x(), place.y())
        if event.button() == Qt.MouseButton.LeftButton and row is not None:
            self._use(row)

    def _use(self, row: int) -> None:
        if self.picture is not None and row != self.picture.present:
            self.wished.emit(CutAs(self.picture.rows[row].way))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if self.picture is None:
            super().keyPressEvent(event)
        elif step is not None:
            last = len(self.picture.rows) - 1
            self._point((0 if step > 0 else last) if self.here is None else min(max(self.here + step, 0), last))
            assert self.here is not None  # It has just been set.
            self.tell_by_keys(self._about_row(self.here))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.here is not None:
            self._use(self.here)
        else:
            super().keyPressEvent(event)

    def left(self) -> None:
        self._point(None)

    def _point(self, row: int | None) -> None:
        if row != self.here:
            self.here = row
            self._place()
