"""A box with a text to read: the keys, what is new, and what the program is. A text longer than the window scrolls."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from explorer.lang import Words

_WIDTH_PX = 600
_MARGIN_PX = 40  # what stays to be seen of the window above and below, and at both sides


class TextBox(QDialog):
    """`open()` shows it in front of `window`; Esc and its button close it, and it is gone then."""

    def __init__(self, title: str, window: QWidget, words: Words) -> None:
        super().__init__(window)
        self._window = window
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QTextBrowser()
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName(title)
        buttons = QDialogButtonBox()
        buttons.addButton(words("export.close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.text, 1)
        self._column.addWidget(buttons)

    def tell_html(self, html: str) -> None:
        """Show rich text."""
        self.text.setHtml(html)
        self._fit()

    def tell_markdown(self, markdown: str) -> None:
        """Show Markdown."""
        self.text.setMarkdown(markdown)
        self._fit()

    def _fit(self) -> None:
        """As high as the text, at most as high as the window."""
        room = self._window.size() - QSize(2 * _MARGIN_PX, 2 * _MARGIN_PX)
        width = min(_WIDTH_PX, room.width())
        margins = self._column.contentsMargins()
        document = self.text.document()
        document.setTextWidth(width - margins.left() - margins.right() - self.text.verticalScrollBar().sizeHint().width())
        around = self.sizeHint().height() - self.text.sizeHint().height()
        self.resize(width, min(round(document.size().height()) + around + 1, room.height()))
