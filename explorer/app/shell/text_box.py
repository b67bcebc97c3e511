"""A box with a text to read: the keys, what is new, and what the program is. A text longer than the window scrolls."""

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.lessons.glossary import Term, terms

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


class GlossaryBox(TextBox):
    """All terms; what is typed into the line leaves those that name or tell it, in either language."""

    def __init__(self, window: QWidget, words: Words) -> None:
        super().__init__(words("action.glossary"), window, words)
        self._words = words
        self.line = QLineEdit()
        self.line.setPlaceholderText(words("glossary.find"))
        self.line.setAccessibleName(words("glossary.find"))
        self.line.setClearButtonEnabled(True)
        self.line.textChanged.connect(self._find)
        self._column.insertWidget(0, self.line)
        self.tell_html(self._told(terms()))
        self.line.setFocus()

    def _find(self, asked: str) -> None:
        found = [term for term in terms() if asked.strip().lower() in self._all_of(term)]
        self.text.setHtml(self._told(tuple(found)) if found else escape(self._words("glossary.none", asked=asked)))

    def _all_of(self, term: Term) -> str:
        """Everything in which a term can be found."""
        return " ".join((*term.zh, *term.en, term.told.of(self._words.language))).lower()

    def _told(self, found: tuple[Term, ...]) -> str:
        other = "en" if self._words.language == "zh" else "zh"
        return "".join(
            f"<p><b>{escape(' · '.join(term.names(self._words.language)))}</b>　<i>{escape(term.names(other)[0])}</i><br>"
            f"{escape(term.told.of(self._words.language))}</p>"
            for term in found
        )
