"""Texts whose terms are explained where they stand: a label, and the explanation of a page from `assets/explain`."""

import math
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor, QResizeEvent, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QLabel, QTextBrowser, QToolTip

from explorer.lang import Words, told_text
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
        self.setText("".join(["<p style='margin:0'>", *made, _html(text[end:]), "</p>"]))
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
    """Part of a paragraph, or of several with half a line between them."""
    return escape(text).replace("\n\n", f"</p><p style='margin:{_PARAGRAPH_PX}px 0 0 0'>").replace("\n", "<br>")


_LEAST_PX, _SPARE_PX, _PARAGRAPH_PX = 60, 4, 8


class ExplanationView(QTextBrowser):
    """A text view; `tell(page, words)` shows the explanation of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenExternalLinks(True)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setMinimumHeight(_LEAST_PX)
        self._hugs = False

    def hug(self) -> None:
        """Be no higher than the text, so that what stands above gets the rest."""
        self._hugs = True

    def tell(self, page: str, words: Words) -> None:
        self.setMarkdown(told_text(f"explain/{words.language}/{page}.md"))
        mark_terms(self.document(), words.language)
        self.setAccessibleName(words("explanation"))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._hugs:
            self.setMaximumHeight(max(_LEAST_PX, math.ceil(self.document().size().height()) + _SPARE_PX))


def mark_terms(document: QTextDocument, language: str) -> None:
    """Give the first mention of each term a dotted line, and what it means as its tooltip."""
    for mention in mentions(document.toPlainText(), language):
        cursor = QTextCursor(document)
        cursor.setPosition(mention.start)
        cursor.setPosition(mention.end, QTextCursor.MoveMode.KeepAnchor)
        dotted = QTextCharFormat()
        dotted.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        dotted.setToolTip(told_html(mention.term.names(language)[0], mention.term.told.of(language)))
        cursor.mergeCharFormat(dotted)
