"""Something that is dragged over a window."""

import warnings

from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QDragEnterEvent


def entering(what: QMimeData, place: QPoint) -> QDragEnterEvent:
    """The event that a window gets first; nothing has taken it yet."""
    given = (Qt.DropAction.CopyAction, what, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Qt 6.12 has another way to make the event, older ones have not.
        made = QDragEnterEvent(place, *given)
    made.setAccepted(False)
    return made
