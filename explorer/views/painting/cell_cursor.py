"""The cell of a map that the arrow keys are at."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

_STEPS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}


def arrow(event: QKeyEvent) -> tuple[int, int] | None:
    """Rows and columns that an arrow key goes; None for all other keys."""
    return _STEPS.get(Qt.Key(event.key()))


class CellCursor(QObject):
    """A place in a field of cells; None until somebody puts it there. Signals: moved(row, column) by a key or a click."""

    moved = Signal(int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.place: tuple[int, int] | None = None

    def put(self, row: int, column: int) -> None:
        """Set the place by program: nothing is told."""
        self.place = row, column

    def go(self, row: int, column: int) -> None:
        """Set the place for a person, and tell it."""
        if self.place != (row, column):
            self.place = row, column
            self.moved.emit(row, column)

    def walk(self, step: tuple[int, int], rows: int, columns: int, start: tuple[int, int] = (0, 0)) -> None:
        """Go one cell on within a field of this size. The first step only shows the cursor, at `start`."""
        row, column = start if self.place is None else (self.place[0] + step[0], self.place[1] + step[1])
        self.go(min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))

    def keep_within(self, rows: int, columns: int) -> None:
        """Forget the place where a field of this size does not have it."""
        if self.place is not None and not (self.place[0] < rows and self.place[1] < columns):
            self.place = None
