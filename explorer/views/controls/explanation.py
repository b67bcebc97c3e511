"""The explanation of a page, from `assets/explain/<language>/<page>.md`."""

import math

from PySide6.QtGui import QResizeEvent, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser

from explorer.lang import Words
from explorer.lessons.glossary import mentions
from explorer.resources import asset_text
from explorer.views.controls.term_label import told_html

_LEAST_PX, _SPARE_PX = 60, 4


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
        self.setMarkdown(asset_text(f"explain/{words.language}/{page}.md"))
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
