"""Draws a Heatmap: cells, token labels on both axes, a colour bar, and a legend of closed cells."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from explorer.lang import Words
from explorer.picture.cell_numbers import has_room
from explorer.picture.cell_text import cell, cell_tip, changeable, followable, told_closed
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Axis, Closed, Heatmap
from explorer.picture.scales import GAP, indices
from explorer.state.offers import ChangePlace
from explorer.trace.tap_names import Cell
from explorer.views.painting.labels import advance, centred_label, right_label, turned_label, widest
from explorer.views.painting.numbers import Region, paint_numbers
from explorer.views.painting.paint import estimate_hatching, hatching, label_step
from explorer.views.painting.pencil import Pencil
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.walked_canvas import WalkedCanvas
from explorer.views.pictures.map_legends import (
    bar_labels,
    has_unknown,
    paint_axis_names,
    paint_bar,
    paint_legend,
    paint_unknown,
)

_MOST_LABEL = 92.0  # px; longer labels are elided, and the tooltip has the whole one
_TURNED = 1.3  # = 1 / sin 50°, the factor by which turned labels need to stand further apart
_HATCHED_CELL = 5.0  # px; smaller closed cells are not hatched
_STRETCH = 2.6  # A cell may be so many times as wide as high; then its number has room.
_MOST_NUMBERS = 300  # numbers of one map; more take too long to paint, and nobody reads them


class HeatmapView(WalkedCanvas):
    """Shows a Heatmap. Signals: chose(row, column) on a click; pencil_asked() on the key P.

    A `bare` map has cells alone, without labels, and always shows its cursor. `follows` is False where its cells are not
    those of the pass on screen, so that they cannot be followed. A row's label has at most `row_label_px` px.
    """

    chose = Signal(int, int)
    pencil_asked = Signal()

    def __init__(
        self, parent: QWidget | None = None, *, bar: bool = True, bare: bool = False, row_label_px: float = _MOST_LABEL
    ) -> None:
        super().__init__(parent)
        self._row_label_px = row_label_px
        self.follows = True
        self.pencil = Pencil(self, self.wished.emit, self.place_to_change, self._open_keys)
        self._bare = bare
        self.picture: Heatmap | None = None
        self._bar = bar
        self._named = False  # whether the axes' names stand below the map
        self._unknown = False  # whether a cell is not a number, without being closed
        self.stretch = _STRETCH

    def draw(self, picture: Heatmap, words: Words) -> None:
        self.picture, self.words = picture, words
        self._named = bool(picture.rows.labels and picture.columns.labels)
        self.square = self._named and picture.rows.numbered  # Maps between tokens have square cells, maps of heads do not.
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

    def paint_cursor(self, painter: QPainter) -> None:
        if self._bare and self.cell_cursor.place is not None:
            painter.setPen(QPen(QColor(self.theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.cell_rect(*self.cell_cursor.place))
        else:
            super().paint_cursor(painter)

    def margins(self) -> tuple[float, float, float, float]:
        if self.picture is None or self._bare:
            return 4, 4, 4, 4
        left = 10 + min(self._row_label_px * self.letters, self._longest(self.picture.rows))
        top, right = 6.0, self._bar_px() if self._bar else 6.0
        if self.picture.columns.labels:
            longest = min(_MOST_LABEL * self.letters, self._longest(self.picture.columns))
            upright = self._upright(left)
            top = 24.0 * self.letters if upright else 14 + longest * 0.77
            if not upright:  # The last label rises beyond the last column.
                last = min(_MOST_LABEL * self.letters, advance(self.font(), self.picture.columns.labels[-1]))
                right = max(right, 6 + 0.5 * last)
        bottom = 22.0 * self.letters if self._named or self._unknown or self.picture.closed is not None else 6.0
        return left, top, right, bottom

    def _bar_px(self) -> float:
        """The width of the colour bar with its longest figure (px)."""
        assert self.picture is not None  # Callers have a picture.
        font = self.font()
        return 28 + max(advance(font, label) for _share, label in bar_labels(self.picture.scale))

    def _upright(self, left: float) -> bool:
        """Whether every column's label fits above its column without turning."""
        assert self.picture is not None  # Callers have a picture.
        across = max(1.0, self.view.right - self.view.left)
        down = max(1.0, self.view.bottom - self.view.top)
        wide = (self.width() - left - (self._bar_px() if self._bar else 6.0)) / across
        if self.square:
            wide = min(wide, self.stretch * (self.height() - 46) / down)
        return self._longest(self.picture.columns) < wide - 2

    def _longest(self, axis: Axis) -> float:
        """The width of the longest label (px)."""
        font = self.font()
        return max((advance(font, label) for label in widest(axis.labels)), default=0.0)

    def paint_over(self, painter: QPainter, field: QRectF) -> None:
        picture = self.picture
        if picture is None:
            return
        if picture.closed is not None and min(self.cell_size()) >= _HATCHED_CELL:
            self._hatch(painter, picture.closed, hatching(self.theme))
        if picture.estimated is not None and min(self.cell_size()) >= _HATCHED_CELL:
            self._hatch(painter, picture.estimated, estimate_hatching(self.theme))
        if picture.pending or self._nothing_matters(picture):
            self._outline_cells(painter)
        if self._bare:
            return
        if has_room(*self.cell_size()) and picture.levels is None and picture.scale.colours != "open":
            self._write_numbers(painter, picture)
        painter.setPen(QPen(QColor(self.theme.accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        rows, columns = self._lit_lines(picture)
        for row in rows:
            painter.drawRect(self.cell_rect(row, 0, 1, self.view.columns))
        for column in columns:
            painter.drawRect(self.cell_rect(0, column, self.view.rows, 1))

    def _nothing_matters(self, picture: Heatmap) -> bool:
        """Whether no value is as large as the least that counts: without outlines such a map would be one empty field."""
        return bool(picture.least) and min(self.cell_size()) >= _HATCHED_CELL and not np.isfinite(picture.written).any()

    def _lit_lines(self, picture: Heatmap) -> tuple[list[int], list[int]]:
        """The rows and columns to outline: a cross under the mouse, or otherwise those of lit tokens."""
        if self.here is not None and picture.columns.labels:
            return [self.here[0]], [self.here[1]]
        chosen = [] if picture.chosen_row is None else [picture.chosen_row]
        rows = picture.rows.indices(self.lit, self.view.rows) or chosen
        return rows, picture.columns.indices(self.lit, self.view.columns)

    def _outline_cells(self, painter: QPainter) -> None:
        """Cells whose numbers are still computed are outlines; a row or column of a large map is one."""
        painter.setPen(QPen(QColor(self.theme.hairline), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for row in range(self.view.rows):
            painter.drawRect(self.cell_rect(row, 0, 1, self.view.columns))
        for column in range(self.view.columns):
            painter.drawRect(self.cell_rect(0, column, self.view.rows, 1))

    def _hatch(self, painter: QPainter, cells: Closed, brush: QBrush) -> None:
        """Hatch some cells, one rectangle for each run in a row; a causal mask has one run in each row."""
        for row in range(int(self.view.top), min(self.view.rows, int(self.view.bottom) + 1)):
            edges = np.flatnonzero(np.diff(cells[row], prepend=False, append=False))
            for start, end in zip(edges[::2], edges[1::2], strict=True):
                painter.fillRect(self.cell_rect(row, int(start), 1, int(end - start)), brush)

    def _write_numbers(self, painter: QPainter, picture: Heatmap) -> None:
        """Write the value into every visible cell that is not closed."""
        view = self.view
        row, column = int(view.top), int(view.left)
        rows, columns = min(view.rows, int(view.bottom + 0.999)) - row, min(view.columns, int(view.right + 0.999)) - column
        if rows * columns <= _MOST_NUMBERS:
            first = self.cell_rect(row, column)
            block = Region(row, column, rows, columns, first.left(), first.top(), first.width(), first.height())
            paint_numbers(painter, picture.written, self._index, picture.scale, self.theme, block)

    def paint_around(self, painter: QPainter, field: QRectF) -> None:
        if self.picture is None or self._bare:
            return
        self._row_labels(painter, field, self.picture.rows)
        self._column_labels(painter, field, self.picture.columns)
        if self._bar:
            bar = QRectF(field.right() + 10, field.top(), 8, min(field.height(), 160))
            paint_bar(painter, bar, self.picture.scale, self.theme)
        place = QPointF(field.left(), field.bottom() + 6)
        if self._named:
            place = paint_axis_names(
                painter, place, self.width(), self.picture.rows.name, self.picture.columns.name, self.theme
            )
        self._legends(painter, place)

    def _legends(self, painter: QPainter, place: QPointF) -> None:
        """Say what the colours of closed and of unknown cells mean."""
        assert self.picture is not None  # The caller has checked.
        if self.words is None:
            return
        right: float = self.width()
        if self._unknown:
            right = paint_unknown(painter, place, right, self.words("legend.nan"), self.theme)
        if self.picture.closed is not None:
            paint_legend(painter, place, right, told_closed(self.picture, self.words), self.theme)

    def _row_labels(self, painter: QPainter, field: QRectF, axis: Axis) -> None:
        metrics = QFontMetricsF(painter.font())
        first, last = int(self.view.top), min(len(axis.labels), int(self.view.bottom + 0.999))
        step = label_step(last - first, field.height(), metrics.ascent())
        shown = list(range(first, last, step))
        if not axis.numbered and last > first and shown[-1] != last - 1:  # Always show the last label, which is the mean's.
            shown[-1 if len(shown) > 1 else 0 :] = [last - 1]
        for row in shown:
            middle = self.cell_rect(row, 0).center().y()
            if not field.top() <= middle <= field.bottom():
                continue
            colour = self.theme.accent if axis.spots(row) & self.lit else self.theme.text
            right_label(painter, field.left() - 6, middle, axis.labels[row], colour, self._row_label_px * self.letters)

    def _column_labels(self, painter: QPainter, field: QRectF, axis: Axis) -> None:
        metrics = QFontMetricsF(painter.font())
        first, last = int(self.view.left), min(len(axis.labels), int(self.view.right + 0.999))
        upright = bool(axis.labels) and self._upright(field.left())
        step = 1 if upright else label_step(last - first, field.width(), _TURNED * metrics.ascent())
        for column in range(first, last, step):
            middle = self.cell_rect(0, column).center().x()
            if not field.left() <= middle <= field.right():
                continue
            colour = self.theme.accent if axis.spots(column) & self.lit else self.theme.text
            if upright:  # Every label fits above its column.
                centred_label(painter, middle, field.top() - 12, axis.labels[column], colour)
            else:  # A turned label rises to the right, so it has less room near the border.
                room = min(_MOST_LABEL * self.letters, max(0.0, (self.width() - middle - 8) // 0.65))
                turned_label(painter, middle, field.top() - 6, axis.labels[column], colour, room)
