"""A box with a text to read: the keys, what is new, and what the program is. A text longer than the window scrolls."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from explorer.lang import Words

_WIDTHS_PX = 600, 720, 840, 960
"""A text has the first width at which all of it is seen; one that is too long for any has the first, and scrolls."""
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
        """As high as the text, at most as high as the window, and as wide as it has to be."""
        self.text.ensurePolished()  # Before, its letters are of another size.
        self.text.document().setDefaultFont(self.text.font())
        room = self._window.size() - QSize(2 * _MARGIN_PX, 2 * _MARGIN_PX)
        widths = [width for width in _WIDTHS_PX if width <= room.width()] or [room.width()]
        fitting = (width for width in widths if self._height(width) <= room.height())
        width = next(fitting, widths[0])
        self.resize(width, min(self._height(width), room.height()))

    def _height(self, width: int) -> int:
        """The height (px) of a box of this width in which all of the text is seen."""
        margins = self._column.contentsMargins()
        document = self.text.document()
        document.setTextWidth(width - margins.left() - margins.right() - self.text.verticalScrollBar().sizeHint().width())
        around = self.sizeHint().height() - self.text.sizeHint().height()
        return round(document.size().height()) + around + 1
