"""The mark beside a sentence that the model can hardly know: the reasons in one line, at length under the mouse."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton

from explorer.lang import Words
from explorer.picture.doubt_text import doubt_line, doubt_text
from explorer.trace.trace import Trace


class DoubtMark(QToolButton):
    """Signals: clicked() for the page with the cuts of the sentence. It is hidden where nothing is doubted."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("doubt")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # By keyboard, the tokens page says the same.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.line = ""
        self.hide()

    def draw(self, trace: Trace, words: Words) -> None:
        """Show what is doubted of a sentence."""
        self.line = doubt_line(trace, words)
        self.setToolTip(doubt_text(trace, words))
        self.setAccessibleName(self.toolTip())
        self._elide()
        self.setVisible(bool(self.line))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        wide = self.fontMetrics().horizontalAdvance(self.line) + 18
        return QSize(wide, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def _elide(self) -> None:
        room = max(0, self.width() - 14)
        self.setText(self.fontMetrics().elidedText(self.line, Qt.TextElideMode.ElideRight, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()
