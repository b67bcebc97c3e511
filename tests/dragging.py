"""Something that is dragged over a window."""

import warnings
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget


def entering(what: QMimeData, place: QPoint) -> QDragEnterEvent:
    """The event that a window gets first; nothing has taken it yet."""
    given = (Qt.DropAction.CopyAction, what, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Qt 6.12 has another way to make the event, older ones have not.
        made = QDragEnterEvent(place, *given)
    made.setAccepted(False)
    return made


def drop(window: QWidget, path: Path) -> None:
    """Drag a file over a window, which takes it, and let it go there."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    given = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = entering(data, QPoint(5, 5))
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPoint(5, 5), *given))
