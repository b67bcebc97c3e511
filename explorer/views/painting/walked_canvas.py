"""The WalkedCanvas: a Canvas with a cursor, which arrow keys move from cell to cell (Home and End: to
the ends of a row), and with a menu for attention cells."""

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.marks import framed
from explorer.state.offers import ChangePlace
from explorer.trace.tap_names import Cell
from explorer.views.painting.canvas import Canvas
from explorer.views.painting.cell_cursor import CellCursor, arrow
from explorer.views.painting.change_menu import ChangeMenu
from explorer.views.painting.pointed import NOTHING, Pointed


class WalkedCanvas(Canvas):
    """What is said of the cursor's cell stands in the status line, and is read by screen readers.

    Signals: followed(Cell) on Enter at the cursor and from the menu of a cell, where the cells are those of an attention;
    wished(Intent) from the menu, for a change at a place of the picture.
    """

    followed = Signal(object)
    wished = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cell_cursor = CellCursor(self)
        self.cell_cursor.moved.connect(self._cursor_moved)
        self.change_menu = ChangeMenu(self, self.wished.emit)

    # Methods that a subclass overrides

    def cell_to_follow(self, row: int, column: int) -> Cell | None:
        """The attention cell at a place of the canvas; None for other cells."""
        return None

    def place_to_change(self, row: int, column: int) -> ChangePlace | None:
        """Where a change would be made that is asked for at a place of the canvas; None where none can be made."""
        return None

    def cursor_field(self) -> tuple[int, int]:
        """Rows and columns of the field in which the cursor moves."""
        return self.view.rows, self.view.columns

    def moves_cursor(self, event: QKeyEvent) -> bool:
        """Whether this arrow key moves the cursor, and has no other meaning here."""
        return not event.modifiers() & Qt.KeyboardModifier.ShiftModifier

    def begins(self) -> tuple[int, int]:
        """Where the cursor first appears: under the mouse, or at the first visible cell."""
        return self.here or (int(self.view.top), int(self.view.left))

    def under_cursor(self, row: int, column: int) -> tuple[int, int]:
        """The place of the canvas that a place of the cursor stands for."""
        return row, column

    # Methods that a subclass calls

    def tell_reader(self, about: str) -> None:
        """Describe a new picture to a screen reader; while the cursor is in use, its cell first."""
        self.cell_cursor.keep_within(*self.cursor_field())
        cell = self._cursor_told().text if self.hasFocus() else ""
        self.setAccessibleDescription(f"{cell}\n{about}" if cell else about)

    # The cursor

    def _cursor_told(self) -> Pointed:
        """What is said of the cursor's cell."""
        return NOTHING if self.cell_cursor.place is None else self.describe(*self.under_cursor(*self.cell_cursor.place))

    def _cursor_moved(self) -> None:
        """Bring the cursor's cell into sight, and tell it."""
        assert self.cell_cursor.place is not None  # A cursor that has moved has a place.
        row, column = self.under_cursor(*self.cell_cursor.place)
        seen = self.view
        right, down = column + 1 - seen.right, row + 1 - seen.bottom
        self.view = seen.moved(min(0.0, column - seen.left) or max(0.0, right), min(0.0, row - seen.top) or max(0.0, down))
        if self.here is not None:  # One cell is pointed at, and not a second one where the mouse happens to be.
            self.here = None
            self.tell_again()
        self.tell_by_keys(self._cursor_told())  # A tooltip would cover the cells below.

    def draw_cursor(self, sketch: Sketch, field: CellField) -> None:
        """Draw a frame around the cursor's cell while the view has the focus."""
        if self.cell_cursor.place is None or not self.hasFocus():
            return
        cell = field.cells(*self.under_cursor(*self.cell_cursor.place))
        # A line of the card's colour inside keeps the frame visible on cells of a colour like the accent.
        sketch.marks += [framed(cell.grown(-1.5), "card", 1), framed(cell, "accent", 2)]

    # Qt's events

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = self.cell_at(event.position())
        if self._grabbed is not None and not self._moved and at is not None:
            self.clicked_at(int(at[0]), int(at[1]))
        super().mouseReleaseEvent(event)

    def clicked_at(self, row: int, column: int) -> None:
        """Put the cursor where somebody has clicked."""
        self.cell_cursor.put(row, column)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:  # Keys with Ctrl are the window's shortcuts.
            super().keyPressEvent(event)
            return
        step = arrow(event)
        if step is not None and self.moves_cursor(event):
            self.cell_cursor.walk(step, *self.cursor_field(), start=self.begins())
            return
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and self.moves_cursor(event):
            row = (self.cell_cursor.place or self.begins())[0]
            self.cell_cursor.go(row, 0 if event.key() == Qt.Key.Key_Home else self.cursor_field()[1] - 1)
            return
        cell = self._at_cursor() if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) else None
        if cell is None:
            super().keyPressEvent(event)
        else:
            self.followed.emit(cell)

    def _at_cursor(self) -> Cell | None:
        return None if self.cell_cursor.place is None else self.cell_to_follow(*self.under_cursor(*self.cell_cursor.place))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to follow the cell that the menu was asked for, and to change something there."""
        menu = self.asked_menu(event)
        if menu is None:
            super().contextMenuEvent(event)
        else:
            menu.popup(event.globalPos())

    def asked_menu(self, event: QContextMenuEvent) -> QMenu | None:
        """The menu for the place that the event is about; None where there is nothing to offer."""
        at = self._asked_at(event)
        cell = None if at is None else self.cell_to_follow(*at)
        place = None if at is None else self.place_to_change(*at)
        return None if self.words is None or (cell is None and place is None) else self.menu(cell, place)

    def asked_cell(self, event: QContextMenuEvent) -> Cell | None:
        """The attention cell under the mouse, or that of the cursor where the menu key was pressed."""
        at = self._asked_at(event)
        return None if at is None else self.cell_to_follow(*at)

    def _asked_at(self, event: QContextMenuEvent) -> tuple[int, int] | None:
        """The place of the canvas that a menu is asked for: under the mouse, or at the cursor for the menu key."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            return None if self.cell_cursor.place is None else self.under_cursor(*self.cell_cursor.place)
        under = self.cell_at(QPointF(event.pos()))
        return None if under is None else (int(under[0]), int(under[1]))

    def menu(self, cell: Cell | None, place: ChangePlace | None = None) -> QMenu:
        """The menu of an attention cell, or of another place where something can be changed."""
        assert self.words is not None  # The caller has checked.
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if cell is not None:
            action = menu.addAction(self.words("follow.this"))
            action.setData(cell)
            action.triggered.connect(self._follow_by_menu)
        if place is not None:
            self.change_menu.add_to(menu, place, self.words)
        return menu

    def _follow_by_menu(self) -> None:
        self.followed.emit(self.sender().data())  # type: ignore[attr-defined]  # The sender is the menu's QAction.
