"""A text whose terms are explained where they stand."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QLabel, QToolTip

from explorer.lessons.glossary import mentions, terms


class TermLabel(QLabel):
    """Plain text; the first mention of each term has a dotted line, and the mouse over it, or a click, says what it means."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.plain = ""
        self._language = ""
        self.linkHovered.connect(self._explain)
        self.linkActivated.connect(self._explain)

    def tell(self, text: str, language: str) -> None:
        """Show a text. Its own mark-up is shown as it is written, since a stranger's could open files."""
        if (text, language) == (self.plain, self._language):
            return
        self.plain, self._language = text, language
        made, end, every = [], 0, terms()
        for mention in mentions(text, language):
            told = escape(text[mention.start : mention.end])
            number, style = every.index(mention.term), f"color:{self._colour()};text-decoration:underline"
            made += [_html(text[end : mention.start]), f"<a href='{number}' style='{style}'>{told}</a>"]
            end = mention.end
        self.setText("".join([*made, _html(text[end:])]))
        self.setAccessibleName(text)

    def again(self) -> None:
        """Show the text in the colours of another theme."""
        text, self.plain = self.plain, ""
        self.tell(text, self._language)

    def _colour(self) -> str:
        return self.palette().text().color().name()

    def _explain(self, link: str) -> None:
        """Say what a term means, beside the mouse."""
        if not link:
            QToolTip.hideText()
            return
        term = terms()[int(link)]
        QToolTip.showText(QCursor.pos(), told_html(term.names(self._language)[0], term.told.of(self._language)), self)


def told_html(name: str, told: str) -> str:
    """A term and what it means, for a tooltip."""
    return f"<p style='margin:0'><b>{escape(name)}</b>　{escape(told)}</p>"


def _html(text: str) -> str:
    return escape(text).replace("\n", "<br>")
