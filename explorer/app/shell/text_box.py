"""A box with a text to read, such as what the menu Help opens."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.views.controls.layouts import filled

_WIDTHS_PX = 600, 720, 840, 960
"""A text has the first width at which all of it is seen; one that is too long for any has the first, and scrolls."""
_MARGIN_PX = 40  # what stays to be seen of the window above and below, and at both sides


class TextBox(QDialog):
    """A text to read, which scrolls if it is longer than the window.

    `open()` shows it in front of `window`; Esc and its button close it, and it is gone then.
    """

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
        self._column = filled(QVBoxLayout(self), (self.text, 1), buttons)

    def tell(self, *, html: str = "", markdown: str = "") -> None:
        """Show rich text or Markdown."""
        if html:
            self.text.setHtml(html)
        else:
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
