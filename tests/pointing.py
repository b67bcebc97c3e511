"""The mouse over a widget."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget


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
