"""Controls that the wheel turns only while they have the focus: otherwise it scrolls what they stand on.

Decision: each overrides `wheelEvent`. Rejected: an event filter, since Python is then asked about each event of each control;
with thirty knobs in sight that was a tenth of the GUI thread's work while a window is resized.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QLabel, QSlider

from explorer.views.controls.choice_box import ChoiceBox


class FocusedSlider(QSlider):
    """A horizontal slider."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class FocusedChoice(ChoiceBox):
    """A combo box."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ResettingSlider(FocusedSlider):
    """A slider that takes a double click for itself. Signals: double_clicked()."""

    double_clicked = Signal()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()


class ResettingName(QLabel):
    """A name that can be double-clicked. Signals: double_clicked()."""

    double_clicked = Signal()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()
