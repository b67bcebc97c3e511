"""The manual under Help: a window of its own, contents at the left, a line to search in, one chapter at a time.

Its chapters are made on the thread of the lessons; the window is there at once and is filled a moment later.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QKeySequence,
    QPalette,
    QResizeEvent,
    QShortcut,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from explorer.app.appearance import Appearance
from explorer.app.file_dialogs import ask_new_file, start_in
from explorer.app.lessons.reckoner import Reckoner
from explorer.app.shell.manual_contents import ManualContents
from explorer.errors import ExplorerError
from explorer.files import replacing
from explorer.lang import Words
from explorer.manual.chapter import Chapter
from explorer.manual.contents import chapters
from explorer.manual.made import made_parts
from explorer.manual.menu_key import MenuKey
from explorer.manual.page import as_page
from explorer.manual.search import asked_words, search
from explorer.manual.style import sheet
from explorer.picture.theme import Theme
from explorer.stops import Stop
from explorer.views.controls.explanation import mark_terms
from explorer.views.controls.layouts import filled

_LINE_PX = 720  # the longest line
_LEAST_PX = 20  # beside the text
_MOST_MARKS = 400  # Marking more places takes longer than a reader waits, and is of no use.


class ManualText(QTextBrowser):
    """One chapter, in lines of a length that can be read. It follows no link.

    `tell` shows a chapter, `mark` marks words and says at how many places, `go_on` goes to the next.
    """

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


_SIZE_PX = (1000, 720)
_CONTENTS_PX = 260
_FRAME_PX = 60  # what the system may draw around a window

Keys = Callable[[], tuple[tuple[MenuKey, ...], str]]
"""The keys of the menus as they are now, and the HTML table of those inside pictures."""


class ManualWindow(QDialog):
    """`read(name, anchor)` opens it at a chapter. Signals: followed(kind, name) for a link to the program, as "page" "why"."""

    followed = Signal(str, str)

    def __init__(self, window: QWidget, appearance: Appearance, reckoner: Reckoner, keys: Keys) -> None:
        super().__init__(window, Qt.WindowType.Window)
        self._appearance, self._reckoner, self._keys = appearance, reckoner, keys
        self.chapters: tuple[Chapter, ...] = ()
        self._shown: tuple[Chapter, Theme] | None = None  # what the text shows
        self._place = ("", "")  # the chapter and section that are shown, or shall be once the chapters are made
        self.line, self.told, self.save = QLineEdit(), QLabel(), QPushButton()
        self.contents, self.text = ManualContents(), ManualText()
        self._lay_out()
        self.line.textChanged.connect(self._search)
        self.line.returnPressed.connect(self.text.go_on)
        QShortcut(QKeySequence.StandardKey.Find, self, self.line.setFocus)
        self.contents.chosen.connect(self._show)
        self.text.anchorClicked.connect(self._follow)
        self.save.clicked.connect(self._choose_file)
        appearance.spoke.connect(self._speak)
        appearance.themed.connect(self._show_again)
        self._speak(appearance.words)

    def read(self, name: str = "", anchor: str = "") -> None:
        """Show the window at a chapter; without one, where the reader left it."""
        if name:
            self.line.clear()
            self._place = (name, anchor)
            self._show_again()
        self.show()
        self.raise_()
        self.activateWindow()
        self.line.setFocus()
        self.line.selectAll()

    def _lay_out(self) -> None:
        self.line.setClearButtonEnabled(True)
        self.told.setObjectName("faint")
        self.save.setAutoDefault(False)
        row = filled(QHBoxLayout(), (self.line, 1), self.told, self.save, gap_px=12)
        splitter = QSplitter()
        splitter.addWidget(self.contents)
        splitter.addWidget(self.text)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        splitter.setSizes([_CONTENTS_PX, _SIZE_PX[0] - _CONTENTS_PX])
        filled(QVBoxLayout(self), row, (splitter, 1))
        room = self.screen().availableSize()
        self.resize(min(_SIZE_PX[0], room.width() - _FRAME_PX), min(_SIZE_PX[1], room.height() - _FRAME_PX))
        # Qt would put the middle of a box onto the middle of its window, and its title above a small screen.
        around = room - self.size()
        self.move(self.screen().availableGeometry().topLeft() + QPoint(around.width() // 2, around.height() // 3))

    def _speak(self, words: Words) -> None:
        self.setWindowTitle(words("manual.title"))
        for widget, key in ((self.line, "find"), (self.contents, "contents"), (self.save, "save")):
            widget.setAccessibleName(words(f"manual.{key}"))
        self.line.setPlaceholderText(words("manual.find"))
        self.save.setText(words("manual.save"))
        self.save.setToolTip(words("manual.save_hint"))
        self._reckoner.ask("manual", partial(_made, words, *self._keys()), self._fill)

    def _fill(self, made: tuple[Chapter, ...] | ExplorerError) -> None:
        if isinstance(made, ExplorerError):  # A chapter's file is missing.
            self.told.setText(self._appearance.words.error(made))
            return
        self.chapters = made
        self._place = self._place if self._place[0] else (made[0].name, "")
        self._search(self.line.text())

    def _search(self, asked: str) -> None:
        """Leave the sections where every word stands, and show the first, unless the one that is shown is among them."""
        hits = search(self.chapters, asked)
        words = self._appearance.words
        if not asked.strip():
            self.told.clear()
            self.contents.offer(self.chapters)
        else:
            self.contents.offer_hits(hits)
            count = sum(hit.count for hit in hits)
            told = words("manual.found", count=count, sections=len(hits)) if hits else words("manual.none", asked=asked)
            self.told.setText(told)
        if hits and self._place not in {(hit.chapter.name, hit.section.anchor) for hit in hits}:
            self._place = (hits[0].chapter.name, hits[0].section.anchor)
        self._show_again()

    def _show(self, name: str, anchor: str) -> None:
        """Show a section of a chapter. A name that is not there shows nothing new."""
        for chapter in self.chapters:
            if chapter.name == name:
                self._place = (name, anchor)
                if self._shown != (chapter, self._appearance.theme):  # Laying a chapter out takes tens of milliseconds.
                    self._shown = (chapter, self._appearance.theme)
                    self.text.tell(chapter, self._appearance.theme, self._appearance.words.language)
                self.text.mark(self.line.text())
                self.text.show_section(anchor)

    def _show_again(self) -> None:
        self._show(*self._place)
        self.contents.show_place(*self._place)

    def _follow(self, link: QUrl) -> None:
        kind, name, anchor = split_link(link)
        if kind == "manual":
            self.read(name, anchor)
        elif kind in ("http", "https"):
            QDesktopServices.openUrl(link)
        else:
            self.followed.emit(kind, name)

    def _choose_file(self) -> None:
        words, start = self._appearance.words, str(Path(start_in()) / "transformer-explorer.html")
        path, _kind = ask_new_file(self, words("manual.save"), start, "*.html")
        if path:
            self.write(Path(path))

    def write(self, path: Path) -> None:
        """Write the whole manual into a file; the line at the top says that it is there, or why it is not."""
        self._reckoner.ask("manual file", partial(_written, path, self.chapters, self._appearance.words), self._wrote)

    def _wrote(self, done: Path | ExplorerError) -> None:
        words = self._appearance.words
        error = isinstance(done, ExplorerError)
        self.told.setText(words.error(done) if error else words("manual.saved", path=done))  # type: ignore[arg-type]


def _made(words: Words, keys: tuple[MenuKey, ...], in_pictures: str, stop: Stop) -> tuple[Chapter, ...]:
    return chapters(words, made_parts(words, keys, in_pictures))


def _written(path: Path, made: tuple[Chapter, ...], words: Words, stop: Stop) -> Path:
    with replacing(path) as unfinished:
        unfinished.write_text(as_page(made, words), encoding="utf-8")
    return path
