"""The table of all taps: shape, least, largest, mean, deviation and how far another pass is from this one, with a filter."""

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.makers.taps import TapList
from explorer.picture.theme import Theme
from explorer.trace.measures.tap_figures import TapFigures
from explorer.views.pictures.tap_cells import TapCells
from explorer.views.pictures.tap_rows import DIFFERENCE, SORTED_BY, TapRows

_WIDTHS_PX = (260, 80, 76, 84, 70, 86, 72, 42, 34, 40)


class TapTableView(QWidget):
    """Lists all taps, with a filter. A click on a column's head sorts by it, a third one goes back to the order of the flow.

    Signals: chosen(name) for the row that the user goes to; lacks(names) for taps whose figures are on screen and not known.
    """

    chosen = Signal(str)
    lacks = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self._rows = TapRows()
        self._rows.lacks.connect(self.lacks)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._rows)
        self._sorted.setFilterKeyColumn(0)
        self._sorted.setSortRole(SORTED_BY)
        self.filter = QLineEdit()
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._sorted.setFilterFixedString)
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
        self.table.selectionModel().currentRowChanged.connect(self._went)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.filter)
        layout.addWidget(self.table)
        for column, wide in enumerate(_WIDTHS_PX):
            self.table.setColumnWidth(column, wide)

    def draw(self, taps: TapList, words: Words) -> None:
        """Show the taps of a pass; `lacks` then asks for the figures of those on screen."""
        if not taps.compares and self._sorted.sortColumn() == DIFFERENCE:
            self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.table.setColumnHidden(DIFFERENCE, not taps.compares)
        self._rows.put(taps, words)
        self._ask_for_shown()
        self.filter.setPlaceholderText(words("inspector.filter"))
        self.filter.setAccessibleName(words("inspector.filter"))
        self.table.setAccessibleName(words("page.inspector"))

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

    def _went(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.chosen.emit(self._sorted.index(now.row(), 0).data())
