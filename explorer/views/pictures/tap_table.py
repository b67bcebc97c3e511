"""The table of all taps: shape, least, largest, mean, deviation and how far another pass is from this one, with a filter.

Decision: the table paints its cells itself. Rejected: Qt's own way by a style sheet, which takes 0.1 ms for each of 400 cells,
a delegate, which is called with an option for each of them, and marks, which keep an image of each text: at a key all figures
are new ones.
"""

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QPointF, QRectF, QSignalBlocker, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.makers.taps import TapList
from explorer.picture.theme import LIGHT, Theme
from explorer.trace.measures.tap_figures import TapFigures
from explorer.views.painting.labels import advance
from explorer.views.pictures.tap_rows import COLUMNS, DIFFERENCE, DTYPE, FIGURES, PRODUCT, SORTED_BY, TapRows

_WIDTHS_PX = (252, 78, 76, 76, 84, 70, 86, 78, 42, 40, 48)
_SHAPE_OF_WEIGHTS_PX = 104  # Their shapes are longer than those of taps.
_OF_PASSES = (DIFFERENCE, PRODUCT, COLUMNS.index("nan"), COLUMNS.index("infinite"))
"""Columns that parameters do not have: no other model's are compared, and all of them are finite."""
_FILTER_PX = 200
_LEAST_NAME_PX = 164  # px of the first column, which gives way before one of the others is out of sight
_PAD, _GAP = 9.0, 2.0  # px at the side where texts of a column are flush; at least at the other one


class TapCells(QTableView):
    """Shows TapRows in an order. Figures of the last pass are faint; a chosen row is on the accent.

    Signals: resized() when there is more or less room for the columns.
    """

    resized = Signal()

    def __init__(self, rows: TapRows, order: QSortFilterProxyModel) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self._rows, self._order = rows, order
        self.setModel(order)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        first, last = self.rowAt(event.rect().top()), self.rowAt(event.rect().bottom())
        if first < 0:
            return
        shown = [column for column in range(len(COLUMNS)) if not self.isColumnHidden(column)]
        places = [(each, self.columnViewportPosition(each), self.columnWidth(each)) for each in shown]
        with QPainter(self.viewport()) as painter:
            painter.setFont(self.font())
            widths = _Widths(QFontMetricsF(self.font()))
            for row in range(first, (self._order.rowCount() if last < 0 else last + 1)):
                self._paint_row(painter, row, places, widths)

    def _paint_row(self, painter: QPainter, row: int, places: list[tuple[int, int, int]], widths: "_Widths") -> None:
        """Paint the cells of a row; `places` are its columns with their left edges and widths (px)."""
        theme, metrics, top, high = self.theme, widths.metrics, self.rowViewportPosition(row), self.rowHeight(row)
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
            needs = widths.width(text) if is_figure else advance(font, text)
            if needs > room:
                text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)  # Names differ at their end.
                needs = metrics.horizontalAdvance(text)
            painter.drawText(QPointF(left + wide - _PAD - needs if is_figure else left + _PAD, baseline), text)


class _Widths(dict[str, float]):
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


class TapTableView(QWidget):
    """Lists all taps; its owner finds a place for the `filter`. A click on a column's head sorts by it, a third one goes back
    to the order of the flow.

    Signals: chosen(name) for the row that the user goes to; lacks(names) for taps whose figures are on screen and not known;
    filtered() when another filter is typed.
    """

    chosen = Signal(str)
    lacks = Signal(tuple)
    filtered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._kind, self._marked = "taps", ""
        self._rows = TapRows()
        self._rows.lacks.connect(self.lacks)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._rows)
        self._sorted.setFilterKeyColumn(0)
        self._sorted.setSortRole(SORTED_BY)
        self.filter = QLineEdit()
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(_FILTER_PX)
        self.filter.textChanged.connect(self._narrow)
        self.table = TapCells(self._rows, self._sorted)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(24)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self.table.resized.connect(self._fit_columns)
        self.table.selectionModel().currentRowChanged.connect(self._went)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        self._fit_columns()

    def draw(self, taps: TapList, words: Words) -> None:
        """Show the taps of a pass; `lacks` then asks for the figures of those on screen."""
        there = {DIFFERENCE: taps.compares, PRODUCT: taps.has_gradients}
        if not there.get(self._sorted.sortColumn(), True):
            self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._kind = taps.kind
        self.table.setColumnHidden(DTYPE, taps.has_gradients)  # It is float32 for every tap.
        for column in _OF_PASSES:
            self.table.setColumnHidden(column, taps.kind != "taps" or not there.get(column, True))
        self._fit_columns()
        self._rows.put(taps, words)
        self._ask_for_shown()
        self.filter.setPlaceholderText(words("inspector.filter"))
        self.filter.setAccessibleName(words("inspector.filter"))
        self.table.setAccessibleName(words("page.inspector"))

    def _fit_columns(self) -> None:
        """Let the columns fill the table: all share in what is left, and the names alone give way where it is too narrow."""
        usual = {each: wide for each, wide in enumerate(_WIDTHS_PX) if each and not self.table.isColumnHidden(each)}
        if self._kind != "taps":
            usual[1] = _SHAPE_OF_WEIGHTS_PX
        room = self.table.viewport().width()
        grows = max(1.0, room / (_WIDTHS_PX[0] + sum(usual.values())))
        wides = {column: int(grows * wide) for column, wide in usual.items()}
        for column, wide in {0: max(_LEAST_NAME_PX, room - sum(wides.values())), **wides}.items():
            self.table.setColumnWidth(column, wide)

    def mark(self, name: str) -> None:
        """Mark the row of what is shown beside the table, without emitting `chosen`."""
        self._marked = name
        found = self._sorted.match(self._sorted.index(0, 0), Qt.ItemDataRole.DisplayRole, name, 1, Qt.MatchFlag.MatchExactly)
        if found:
            self.table.setCurrentIndex(found[0])

    def n_found(self, names: tuple[str, ...]) -> int:
        """How many of these names the filter lets through."""
        return sum(self.filter.text() in name for name in names)

    @property
    def awaits(self) -> bool:
        """Whether figures that are on screen are still to come."""
        return self._rows.awaits

    def _ask_for_shown(self) -> None:
        first, last = self.table.rowAt(0), self.table.rowAt(self.table.viewport().height() - 1)
        n_rows = self._sorted.rowCount()
        shown = range(max(0, first), n_rows if last < 0 else last + 1)
        self._rows.ask(self._sorted.mapToSource(self._sorted.index(row, 0)).row() for row in shown)

    def tell(self, figures: Mapping[str, TapFigures]) -> None:
        """Show the figures of some taps."""
        self._rows.tell(figures)

    def set_theme(self, theme: Theme) -> None:
        self.table.set_theme(theme)

    def _narrow(self, text: str) -> None:
        """List what the filter lets through. Qt goes to another row where the present one is left out; nobody has chosen it."""
        with QSignalBlocker(self.table.selectionModel()):
            self._sorted.setFilterFixedString(text)
            self.table.setCurrentIndex(QModelIndex())
        self.mark(self._marked)
        self.filtered.emit()

    def _went(self, now: QModelIndex, _before: QModelIndex) -> None:
        name = self._sorted.index(now.row(), 0).data() if now.isValid() else self._marked
        if name != self._marked:
            self.chosen.emit(name)
