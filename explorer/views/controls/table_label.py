"""A label for rich text with tables. Qt's own label lays its tables out a dozen times before each painting."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget


class TableLabel(QLabel):
    """A label as wide as its place and as high as its text needs then. The height is computed once for each width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heights_px: dict[int, int] = {}  # by width, for the present text
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)

    def setText(self, text: str) -> None:
        if text != self.text():
            self._heights_px.clear()
            super().setText(text)

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights_px:
            self._heights_px[width] = super().heightForWidth(width)
        return self._heights_px[width]

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.heightForWidth(self.width()))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._heights_px.clear()
        super().changeEvent(event)
