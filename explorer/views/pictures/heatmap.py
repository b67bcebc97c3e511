"""Draws a Heatmap: cells, token labels on both axes, a colour bar, and a legend of closed cells."""

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from explorer.lang import Words
from explorer.picture.cell_text import cell, cell_tip, changeable, followable
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Heatmap
from explorer.picture.layout.map import MOST_LABEL_PX, STRETCH, MapRoom, draw_around, draw_over, has_unknown, is_square, margins
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.marks import framed
from explorer.picture.scales import GAP, indices
from explorer.state.offers import ChangePlace
from explorer.trace.tap_names import Cell
from explorer.views.painting.pencil import Pencil
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.walked_canvas import WalkedCanvas


class HeatmapView(WalkedCanvas):
    """Shows a Heatmap. Signals: chose(row, column) on a click; pencil_asked() on the key P.

    A `bare` map has cells alone, without labels, and always shows its cursor. `follows` is False where its cells are not
    those of the pass on screen, so that they cannot be followed. A row's label has at most `row_label_px` px.
    """

    chose = Signal(int, int)
    pencil_asked = Signal()

    def __init__(
        self, parent: QWidget | None = None, *, bar: bool = True, bare: bool = False, row_label_px: float = MOST_LABEL_PX
    ) -> None:
        super().__init__(parent)
        self._row_label_px = row_label_px
        self.follows = True
        self.pencil = Pencil(self, self.wished.emit, self.place_to_change, self._open_keys)
        self._bare = bare
        self.picture: Heatmap | None = None
        self._bar = bar
        self._unknown = False  # whether a cell is not a number, without being closed
        self.stretch = STRETCH

    def draw(self, picture: Heatmap, words: Words) -> None:
        self.picture, self.words = picture, words
        self.square = is_square(picture)
        self.paired = not picture.columns.labels  # Features have no labels.
        self._unknown = has_unknown(picture)
        if picture.levels is None:
            index = indices(picture.values, picture.scale, picture.closed)
            self.set_cells(np.full_like(index, GAP) if picture.pending else index, picture.scale.colours)
        else:
            self.set_size(*picture.levels.shape)
        self.tell_reader(in_words(picture, words))

    def paint_cells(self, painter: QPainter, field: QRectF) -> None:
        if self.picture is not None and self.picture.levels is not None:
            self.paint_part(painter, self.picture.levels, self.picture.scale)
        else:
            super().paint_cells(painter, field)

    def chosen_at(self, row: int, column: int) -> None:
        self.chose.emit(row, column)

    def describe(self, row: int, column: int) -> Pointed:
        if self.picture is None or self.words is None:
            return NOTHING
        picture = self.picture
        axes = (picture.rows, row), (picture.columns, column)
        tokens = {spot for axis, place in axes if axis.side for spot in axis.spots(place)}
        tip = cell_tip(picture, row, column, self.words, follows=self.cell_to_follow(row, column) is not None)
        return Pointed(cell(picture, row, column, self.words), frozenset(tokens), tip)

    def cell_to_follow(self, row: int, column: int) -> Cell | None:
        return None if self.picture is None or not self.follows else followable(self.picture, row, column)

    def place_to_change(self, row: int, column: int) -> ChangePlace | None:
        return None if self.picture is None or not self.follows else changeable(self.picture, row, column)

    # The pencil

    def _open_keys(self, row: int) -> frozenset[int]:
        """The columns that the row sees."""
        if self.picture is None:
            return frozenset()
        columns = range(self.picture.values.shape[1])
        closed = self.picture.closed
        return frozenset(columns if closed is None else np.flatnonzero(~closed[row]).tolist())

    def _draw_at(self, event: QMouseEvent) -> None:
        """Draw the cell under the pen, and say why if it must stay."""
        at = self.cell_at(event.position())
        if at is None or self.words is None:
            return
        sets = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not self.pencil.move_to(*at, sets=sets):
            self.tell(event.globalPosition().toPoint(), Pointed(self.words("change.last_open")))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.pencil.on and event.button() == Qt.MouseButton.LeftButton:
            self.setFocus()
            self.pencil.put_down()
            self._draw_at(event)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.pencil.is_down:
            self._draw_at(event)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.pencil.is_down:
            self.pencil.lift()
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_P and not event.modifiers():
            self.pencil_asked.emit()
        else:
            super().keyPressEvent(event)

    def draw_cursor(self, sketch: Sketch, field: CellField) -> None:
        if not self._bare:
            super().draw_cursor(sketch, field)
        elif self.cell_cursor.place is not None:
            sketch.marks.append(framed(field.cells(*self.cell_cursor.place), "accent", 2))

    def least_field_px(self) -> int:
        return 0 if self._bare else super().least_field_px()

    @property
    def _room(self) -> MapRoom:
        return MapRoom(self.width(), self.height(), self.letter_px, self.letters, self.measure, self._row_label_px, self._bar)

    def margins(self) -> tuple[float, float, float, float]:
        if self.picture is None or self._bare:
            return 4, 4, 4, 4
        return margins(self.picture, self._room, self.view, unknown=self._unknown)

    def draw_over(self, sketch: Sketch, field: CellField) -> None:
        if self.picture is not None:
            draw_over(sketch, self.picture, field, self.here, self.lit, self.letter_px, bare=self._bare)

    def draw_around(self, sketch: Sketch, field: CellField) -> None:
        if self.picture is not None and self.words is not None and not self._bare:
            draw_around(sketch, self.picture, self.words, self._room, field, self.lit, unknown=self._unknown)
