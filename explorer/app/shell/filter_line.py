"""A line that filters a list: the arrows walk through the list while the line is typed into."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QTreeWidget, QTreeWidgetItem

_WALKING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class FilterLine(QLineEdit):
    """`shown` returns the list."""

    def __init__(self, shown: Callable[[], QTreeWidget]) -> None:
        super().__init__()
        self._shown = shown
        self.setClearButtonEnabled(True)

    def sift(self) -> None:
        """Leave the rows that have every word of the line in one of their columns. A row that is left is the chosen one."""
        shown, wanted = self._shown(), self.text().lower().split()
        first: QTreeWidgetItem | None = None
        for row in rows_of(shown):
            told = " ".join(row.text(column) for column in range(shown.columnCount())).lower()
            row.setHidden(not all(each in told for each in wanted))
            first = first or (None if row.isHidden() else row)
        current = shown.currentItem()
        if current is None or current.isHidden():
            shown.setCurrentItem(first)  # type: ignore[arg-type]  # None takes the choice away.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _WALKING:
            self._shown().keyPressEvent(event)
        else:
            super().keyPressEvent(event)


def rows_of(shown: QTreeWidget) -> list[QTreeWidgetItem]:
    """All rows of a list, hidden ones among them."""
    rows = (shown.topLevelItem(number) for number in range(shown.topLevelItemCount()))
    return [row for row in rows if row is not None]
