"""A button whose text wraps. Qt's own is at least as wide as its text."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget

_FLAGS = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_PROBE_PX = 1000  # as wide and high as a button from which the margins of the style are read


class WrappedButton(QPushButton):
    """As wide as its place and as high as its text needs then."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        margins = self._margins()
        return self._text_size(width - margins.width()).height() + margins.height()

    def minimumSizeHint(self) -> QSize:
        """As wide as the longest word."""
        return self._text_size(1) + self._margins()

    def sizeHint(self) -> QSize:
        return self._text_size(_PROBE_PX) + self._margins()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = self._option(self.rect())
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        contents = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self)
        painter.setPen(self.palette().buttonText().color())
        painter.drawText(contents, _FLAGS, self.text())
        painter.end()

    def _option(self, rect: QRect) -> QStyleOptionButton:
        """What the style draws: the button without its text."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text, option.rect = "", rect  # type: ignore[attr-defined]  # Qt's stubs lack these fields.
        return option

    def _margins(self) -> QSize:
        """What the style takes around the text, both sides together."""
        option = self._option(QRect(0, 0, _PROBE_PX, _PROBE_PX))
        contents = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self)
        return QSize(_PROBE_PX - contents.width(), _PROBE_PX - contents.height())

    def _text_size(self, width: int) -> QSize:
        return self.fontMetrics().boundingRect(QRect(0, 0, max(1, width), _PROBE_PX), _FLAGS, self.text()).size()
