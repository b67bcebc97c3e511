"""A combo box that shows its whole text."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

_SPARE_PX = 4  # px that styles leave free beside the text


class ChoiceBox(QComboBox):
    """A combo box that asks for the room of its present text, and whose list is as wide as its longest entry.

    Decision: the present text decides the width. Rejected: the longest entry, which would take room for what is not shown.
    A box that is made narrower all the same ends its text with an ellipsis and cuts no letter in half.
    """

    def __init__(self, n_letters: int = 1) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(n_letters)
        self.currentIndexChanged.connect(self._measure)

    def shown(self) -> str:
        """The visible part of the current text."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width() - _SPARE_PX)

    def minimumSizeHint(self) -> QSize:
        return self._wide_enough(super().minimumSizeHint())

    def sizeHint(self) -> QSize:
        return self._wide_enough(super().sizeHint())

    def setItemText(self, index: int, text: str) -> None:
        super().setItemText(index, text)
        self.updateGeometry()

    def setCurrentIndex(self, index: int) -> None:
        super().setCurrentIndex(index)
        self.updateGeometry()  # The program sets choices with its signals blocked.

    def showPopup(self) -> None:
        """Open the list, wide enough for its longest entry."""
        view = self.view()
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        view.setMinimumWidth(max(self.width(), view.sizeHintForColumn(0) + bar + 2 * _SPARE_PX))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown()  # type: ignore[attr-defined]  # Qt's stubs lack this field.
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _measure(self) -> None:
        self.updateGeometry()

    def _wide_enough(self, hint: QSize) -> QSize:
        """A size with room for the present text; the hint has the frame, the arrow and the least number of letters."""
        self.ensurePolished()
        metrics = self.fontMetrics()
        frame = hint.width() - self.minimumContentsLength() * metrics.horizontalAdvance("X")
        text = metrics.horizontalAdvance(self.currentText()) + 2 * _SPARE_PX
        return QSize(max(hint.width(), frame + text), hint.height())
