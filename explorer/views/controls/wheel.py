"""Controls that the wheel turns only while they have the focus: otherwise it scrolls what they stand on.

Decision: each overrides `wheelEvent`. Rejected: an event filter, since Python is then asked about each event of each control;
with thirty knobs in sight that was a tenth of the GUI thread's work while a window is resized.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QLabel, QSlider, QStyle, QStyleOptionSlider, QWidget

from explorer.views.controls.choice_box import ChoiceBox

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # A class of Qt's has one base of Qt's.


class TurnsInFocus(_Widget):
    """A control that leaves the wheel to what it stands on, unless it has the focus."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class FocusedChoice(TurnsInFocus, ChoiceBox):
    """A combo box."""


class FocusedSlider(TurnsInFocus, QSlider):
    """A horizontal slider. Its handle goes to where the mouse is pressed, and follows it from there."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        option, style = QStyleOptionSlider(), self.style()
        self.initStyleOption(option)
        parts = QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle
        handle, x = style.subControlRect(*parts, self), round(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and not handle.left() <= x <= handle.right():
            place, room = x - handle.width() // 2, self.width() - handle.width()
            self.setValue(style.sliderValueFromPosition(self.minimum(), self.maximum(), place, room))
        super().mousePressEvent(event)


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
