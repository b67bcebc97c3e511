"""A small matrix of a lesson, whose cells the reader can change."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLabel, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from explorer.lessons.check import one_number
from explorer.lessons.lesson import Cells
from explorer.picture.makers.lesson import figure
from explorer.views.controls.layouts import filled

_ROW_PX = 24


class MatrixEdit(QWidget):
    """A matrix with a cell for each number. A cell where no number was typed gets its old number back.

    Signals: changed(name, cells) after a cell was edited.
    """

    changed = Signal(str, object)

    def __init__(self, name: str, cells: Cells) -> None:
        super().__init__()
        self.name, self.cells = name, np.array(cells, np.float64)
        flat = self._flat()
        self.label = QLabel(f"{name} =")
        self.label.setObjectName("faint")
        self.table = QTableWidget(*flat.shape)
        self.table.horizontalHeader().hide()
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setFixedHeight(_ROW_PX * len(flat) + 2)
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(name)
        for row in range(flat.shape[0]):
            for column in range(flat.shape[1]):
                item = QTableWidgetItem(figure(float(flat[row, column])))
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(row, column, item)
        self.table.cellChanged.connect(self._edited)
        filled(QVBoxLayout(self), self.label, self.table, gap_px=2, margins_px=(0, 0, 0, 0))

    def _flat(self) -> Cells:
        return self.cells.reshape(-1, self.cells.shape[-1]) if self.cells.ndim else self.cells.reshape(1, 1)

    def _edited(self, row: int, column: int) -> None:
        flat, item = self._flat(), self.table.item(row, column)
        assert item is not None  # The constructor gave every cell an item.
        typed = one_number(item.text())
        if typed is not None and np.isfinite(typed):
            flat[row, column] = typed  # `flat` is a view, so this changes `cells`.
        with QSignalBlocker(self.table):
            item.setText(figure(float(flat[row, column])))
        self.changed.emit(self.name, self.cells.copy())
