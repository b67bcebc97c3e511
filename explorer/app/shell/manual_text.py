"""The text of the manual: one chapter, in lines of a length that can be read, with what was searched for marked."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QPalette, QResizeEvent, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from explorer.manual.chapter import Chapter
from explorer.manual.search import asked_words
from explorer.manual.style import sheet
from explorer.picture.theme import Theme
from explorer.views.controls.explanation import mark_terms

_LINE_PX = 720  # the longest line
_LEAST_PX = 20  # beside the text
_MOST_MARKS = 400  # Marking more places takes longer than a reader waits, and helps nobody.


class ManualText(QTextBrowser):
    """`tell` shows a chapter, `mark` marks words and says at how many places, `go_on` goes to the next. It follows no link."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("manual")
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self._found: list[QTextCursor] = []

    def tell(self, chapter: Chapter, theme: Theme, language: str) -> None:
        self.document().setDefaultStyleSheet(sheet(theme))
        self.setHtml(chapter.html)
        self.setAccessibleName(chapter.title)
        if chapter.name != "glossary":  # There every term is explained beside itself.
            mark_terms(self.document(), language)

    def show_section(self, anchor: str) -> None:
        if anchor:
            self.scrollToAnchor(anchor)
        else:
            self.verticalScrollBar().setValue(0)

    def mark(self, asked: str) -> int:
        """Mark every place of every word of a query."""
        self._found = [cursor for word in asked_words(asked) for cursor in self._places(word)]
        self._found.sort(key=QTextCursor.position)
        self.setExtraSelections([self._marked(cursor) for cursor in self._found])
        return len(self._found)

    def go_on(self) -> None:
        """Scroll to the first marked place behind the last one that was gone to; after the last, begin again."""
        if self._found:
            here = self.textCursor().position()
            place = next((cursor.position() for cursor in self._found if cursor.position() > here), self._found[0].position())
            cursor = self.textCursor()
            cursor.setPosition(place)
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def _places(self, word: str) -> list[QTextCursor]:
        found: list[QTextCursor] = []
        cursor = QTextCursor(self.document())
        while len(found) < _MOST_MARKS and not (cursor := self.document().find(word, cursor, _ANY_CASE)).isNull():
            found.append(cursor)
        return found

    def _marked(self, cursor: QTextCursor) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor  # type: ignore[attr-defined]  # The stubs lack the fields of this struct.
        style = QTextCharFormat()
        accent = QColor(self.palette().color(QPalette.ColorRole.Highlight))
        style.setForeground(self.palette().color(QPalette.ColorRole.HighlightedText))
        style.setBackground(accent)
        selection.format = style  # type: ignore[attr-defined]
        return selection

    def resizeEvent(self, event: QResizeEvent) -> None:
        beside = max(_LEAST_PX, (self.width() - _LINE_PX) // 2)
        self.setViewportMargins(beside, _LEAST_PX // 2, beside // 2, 0)
        super().resizeEvent(event)


_ANY_CASE = QTextDocument.FindFlag(0)


def split_link(link: QUrl) -> tuple[str, str, str]:
    """(kind, name, anchor) of a link such as manual:heads#s1."""
    kind, _, place = link.toString().partition(":")
    name, _, anchor = place.partition("#")
    return kind, name, anchor
