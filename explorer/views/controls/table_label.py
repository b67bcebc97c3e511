"""A label for rich text with tables. Qt's own asks for the layout of its tables a dozen times before it is painted once."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget


class TableLabel(QLabel):
    """As wide as it is given room, and as high as that makes it; each width is laid out once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heights_px: dict[int, int] = {}  # by width, of the text as it is
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
