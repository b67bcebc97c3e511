"""The cells of the table of all taps.

Decision: the table paints its cells itself. Rejected: Qt's own way by a style sheet, which takes 0.1 ms for each of 400 cells,
and a delegate, which is called with an option for each of them; both held the window's thread for more than a frame at a key.
"""

from PySide6.QtCore import QPointF, QRectF, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QTableView

from explorer.picture.theme import LIGHT, Theme
from explorer.views.painting.labels import advance
from explorer.views.pictures.tap_rows import COLUMNS, FIGURES, TapRows

_PAD, _GAP = 9.0, 2.0  # px at the side where texts of a column are flush; at least at the other one


class TapCells(QTableView):
    """Shows TapRows in an order. Figures of the last pass are faint; a chosen row is on the accent."""

    def __init__(self, rows: TapRows, order: QSortFilterProxyModel) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self._rows, self._order = rows, order
        self.setModel(order)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        first, last = self.rowAt(event.rect().top()), self.rowAt(event.rect().bottom())
        if first < 0:
            return
        shown = [column for column in range(len(COLUMNS)) if not self.isColumnHidden(column)]
        places = [(each, self.columnViewportPosition(each), self.columnWidth(each)) for each in shown]
        with QPainter(self.viewport()) as painter:
            painter.setFont(self.font())
            marks = _Marks(QFontMetricsF(self.font()))
            for row in range(first, (self._order.rowCount() if last < 0 else last + 1)):
                self._paint_row(painter, row, places, marks)

    def _paint_row(self, painter: QPainter, row: int, places: list[tuple[int, int, int]], marks: "_Marks") -> None:
        """Paint the cells of a row; `places` are its columns with their left edges and widths (px)."""
        theme, metrics, top, high = self.theme, marks.metrics, self.rowViewportPosition(row), self.rowHeight(row)
        baseline = top + (high + metrics.ascent() - metrics.descent()) / 2
        texts, is_known = self._rows.cells(self._order.mapToSource(self._order.index(row, 0)).row())
        text_colour, figure_colour = theme.text, theme.text if is_known else theme.faint
        if self.selectionModel().isRowSelected(row):
            painter.fillRect(QRectF(0, top, self.viewport().width(), high), QColor(theme.accent))
            text_colour = figure_colour = theme.on_accent
        font, pen = self.font(), ""
        for column, left, wide in places:
            text, room, is_figure = texts[column], wide - _PAD - _GAP, column in FIGURES
            colour = figure_colour if is_figure else text_colour
            if colour != pen:
                painter.setPen(QColor(colour))
                pen = colour
            needs = marks.width(text) if is_figure else advance(font, text)
            if needs > room:
                text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
                needs = metrics.horizontalAdvance(text)
            painter.drawText(QPointF(left + wide - _PAD - needs if is_figure else left + _PAD, baseline), text)


class _Marks(dict[str, float]):
    """The widths of single characters (px). Figures have no kerning, and those of a pass are new texts at each key."""

    def __init__(self, metrics: QFontMetricsF) -> None:
        super().__init__()
        self.metrics = metrics

    def __missing__(self, mark: str) -> float:
        found = self[mark] = self.metrics.horizontalAdvance(mark)
        return found

    def width(self, text: str) -> float:
        """The width of a text of figures."""
        return sum(map(self.__getitem__, text))
