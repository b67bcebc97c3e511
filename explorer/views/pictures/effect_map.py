"""Draws an EffectMap: a cell for each head, a bar for each row. Click or Enter looks at a head; arrow keys walk the cells."""

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.causal_kinds import EffectMap
from explorer.picture.figure.causal_figures import tell_effect
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.effect_map import EffectPlaces, draw_effects, places
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.views.painting.cell_cursor import CellCursor, arrow
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_MARGIN_PX = 4.0


class EffectMapView(Surface):
    """Shows an EffectMap. Signals: chose(row, head) for the head to look at; a feed-forward's row has none."""

    draws_in_px = True

    chose = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.picture: EffectMap | None = None
        self.cell_cursor = CellCursor(self)
        self.cell_cursor.moved.connect(self._walked)
        self._here: tuple[int, int | None] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)

    def draw(self, picture: EffectMap, words: Words) -> None:
        self.picture, self.words = picture, words
        self.cell_cursor.keep_within(*picture.values.shape)
        if self._here is not None and self._here[0] >= len(picture.rows):
            self._here = None
        self.setAccessibleDescription(in_words(picture, words))
        self.tell_again(NOTHING if self._here is None else self._about(*self._here))
        self.update()

    def area(self) -> Rect:
        """The rectangle of the drawing (px)."""
        return Rect(_MARGIN_PX, 0, self.wide - 2 * _MARGIN_PX, self.high)

    def places(self) -> EffectPlaces:
        """Where the cells stand; the view must have a picture."""
        assert self.picture is not None  # Callers have checked.
        return places(self.picture, self.area(), self.measure)

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None or self.words is None:
            return
        at = self.places()
        sketch = Sketch(self.theme, self.picture.scale.colours, self.measure)
        draw_effects(sketch, self.picture, self.words, self.area(), at)
        if self.hasFocus() and self.cell_cursor.place is not None:
            sketch.box(at.cell(*self.cell_cursor.place).inset(right=1, bottom=1), line=self.theme.text, width=2)
        elif self._here is not None:
            row, head = self._here
            frame = at.bar(row) if head is None else at.cell(row, head)
            sketch.box(frame.inset(right=1, bottom=1), line=self.theme.text)
        paint_marks(painter, sketch.marks, self.theme)
        self.paint_focus(painter)

    def _at(self, place: QPointF) -> tuple[int, int | None] | None:
        """The row and head at a point; a feed-forward is its bar everywhere."""
        found = None if self.picture is None else self.places().at(place.x(), place.y())
        if found is None or self.picture is None:
            return None
        return found if self.picture.rows[found[0]].has_heads else (found[0], None)

    def _about(self, row: int, head: int | None) -> Pointed:
        if self.picture is None or self.words is None:
            return NOTHING
        return Pointed(tell_effect(self.picture, row, head, self.words))

    def _walked(self, row: int, head: int) -> None:
        self.tell_by_keys(self._about(row, head))

    def _choose(self, row: int, head: int) -> None:
        if self.picture is not None and self.picture.rows[row].has_heads:
            self.chose.emit(row, head)

    def left(self) -> None:
        self._here = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = self._at(self.at(event))
        if here != self._here:
            self._here = here
            self.update()
        self.tell(event.globalPosition().toPoint(), NOTHING if here is None else self._about(*here))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        here = self._at(self.at(event))
        if event.button() == Qt.MouseButton.LeftButton and here is not None and here[1] is not None:
            self.cell_cursor.put(here[0], here[1])
            self._choose(here[0], here[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = arrow(event)
        if step is not None and self.picture is not None:
            n_rows, n_heads = self.picture.values.shape
            self.cell_cursor.walk(step, n_rows, n_heads, start=self.picture.chosen or (0, 0))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.cell_cursor.place is not None:
            self._choose(*self.cell_cursor.place)
        else:
            super().keyPressEvent(event)
