"""The mouse over a widget."""

import itertools

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from explorer.views.pictures.head_grid import HeadGridView


def hover(widget: QWidget, place: QPoint) -> None:
    """The mouse moves to a place of the widget, no button held.

    `QTest.mouseMove` moves the cursor instead, and who is told then depends on what earlier tests left on the screen: without
    a real one the oldest window under the cursor is, a tooltip for one. A drag does not, for the window that was pressed keeps
    the mouse.
    """
    assert widget.hasMouseTracking(), "Qt tells this widget of no move without a button"
    button, modifier = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(
        widget, QMouseEvent(QEvent.Type.MouseMove, QPointF(place), QPointF(widget.mapToGlobal(place)), button, button, modifier)
    )


def turn_wheel(widget: QWidget, place: QPointF, angle: int) -> None:
    """The wheel is turned over a place of the widget; one notch is 120, and away from the user is positive."""
    button, modifier, phase = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    where = widget.mapToGlobal(place)
    QApplication.sendEvent(widget, QWheelEvent(place, where, QPoint(), QPoint(0, angle), button, modifier, phase, False))


def cell_on_wall(wall: HeadGridView, layer: int, head: int, query: int, key: int) -> tuple[int, int]:
    """The row and column of a cell of a head, wherever the thumbnail of that head lies on the wall."""

    def is_it(row: int, column: int) -> bool:
        cell = wall.cell_to_follow(row, column)
        return cell is not None and (cell.layer, cell.head, cell.query, cell.key) == (layer, head, query, key)

    assert wall.picture is not None
    n_layers, n_heads, n_queries, n_keys = wall.picture.values.shape
    places = itertools.product(range(2 * n_layers * n_queries), range(2 * n_heads * n_keys))  # A gap is less than a thumbnail.
    return next(place for place in places if is_it(*place))
