"""The table of all taps: shape, smallest, largest, mean, share of NaN. Figures are computed when a row becomes visible."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.makers.taps import TapList

_Index = QModelIndex | QPersistentModelIndex
_COLUMNS = ("tap", "shape", "min", "max", "mean", "nan", "infinite")


class _Model(QAbstractTableModel):
    """The Qt model of a TapList."""

    def __init__(self) -> None:
        super().__init__()
        self._taps: TapList | None = None
        self._words: Words | None = None

    def put(self, taps: TapList, words: Words) -> None:
        same = self._taps is not None and self._taps.names == taps.names and self._words is words
        if same:
            self._taps = taps
            self.dataChanged.emit(self.index(0, 0), self.index(len(taps.names) - 1, len(_COLUMNS) - 1))
            return
        self.beginResetModel()
        self._taps, self._words = taps, words
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  This is Qt's own signature.
        return 0 if self._taps is None or parent.isValid() else len(self._taps.names)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  This is Qt's own signature.
        return len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal or self._words is None:
            return None
        if role == Qt.ItemDataRole.ToolTipRole and section > 1:
            return self._words("picture.origin.computed")
        return self._words(f"inspector.{_COLUMNS[section]}") if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: _Index, role: int = 0) -> Any:
        if self._taps is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self._taps.names[index.row()]} {self._taps.shapes[index.row()]}"
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() > 1:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return self._shown(index.row(), index.column()) if role == Qt.ItemDataRole.DisplayRole else None

    def _shown(self, row: int, column: int) -> str:
        assert self._taps is not None  # The caller has checked.
        if column == 0:
            return self._taps.names[row]
        if column == 1:
            return self._taps.sizes[row]
        about = self._taps.summary(row)
        if about is None:
            return "–"
        return (
            number(about.low),
            number(about.high),
            number(about.mean),
            f"{about.nan_share:.0%}",
            f"{about.infinite_share:.0%}",
        )[column - 2]


class TapTableView(QWidget):
    """Lists all taps, with a filter. Signals: chosen(name) for the row that the user goes to."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._model = _Model()
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setFilterKeyColumn(0)
        self.filter = QLineEdit()
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._sorted.setFilterFixedString)
        self.table = QTableView()
        self.table.setModel(self._sorted)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(24)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        self.table.selectionModel().currentRowChanged.connect(self._went)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.filter)
        layout.addWidget(self.table)
        for column, wide in enumerate((276, 80, 88, 76, 84, 52, 40)):
            self.table.setColumnWidth(column, wide)

    def draw(self, taps: TapList, words: Words) -> None:
        self._model.put(taps, words)
        self.filter.setPlaceholderText(words("inspector.filter"))
        self.filter.setAccessibleName(words("inspector.filter"))
        self.table.setAccessibleName(words("page.inspector"))

    def _went(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.chosen.emit(self._sorted.index(now.row(), 0).data())
