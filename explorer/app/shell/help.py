"""What the menu Help opens: the manual, the keys, the glossary, what is new, and what the program is."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from explorer.app.appearance import Appearance
from explorer.app.lessons.reckoner import Reckoner
from explorer.app.shell.actions import Actions, told_keys, told_page_shortcuts
from explorer.app.shell.keyboard import native_names
from explorer.app.shell.shortcuts import Shortcuts, ShortcutsBox
from explorer.app.shell.text_box import TextBox
from explorer.errors import MissingAsset
from explorer.key_names import native
from explorer.manual.menu_key import MenuKey
from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.app.shell.manual_window import ManualWindow

from html import escape

from PySide6.QtWidgets import QLineEdit

from explorer.lang import Words, told_text
from explorer.lessons.glossary import Term, terms


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
        self.tell(html=self._told(terms()))
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


class Help(QObject):
    """`explain`, `keys`, `glossary`, `models`, `news` and `about` each open a box in front of the window, in its language.

    `manual` opens a window of its own. Signals: followed(kind, name) for a link of the manual to a part of the program.
    """

    followed = Signal(str, str)

    def __init__(self, window: QWidget, appearance: Appearance, shortcuts: Shortcuts) -> None:
        super().__init__(window)
        self._window, self._appearance, self._shortcuts = window, appearance, shortcuts
        self._manual: ManualWindow | None = None

    def explain(self, page: str, name: str) -> None:
        """Show the explanation `name` of a page, which a small window may have scrolled out of sight; without one, the keys."""
        words = self._appearance.words
        try:
            text = told_text(f"explain/{words.language}/{name}.md")
        except MissingAsset:
            self.keys()
            return
        self._open(f"page.{page}", markdown=text)

    def manual(self, reckoner: Reckoner, actions: Actions, chapter: str = "") -> None:
        """Open the manual at a chapter, or where the reader left it. Its window is made when it is opened first."""
        if self._manual is None:
            from explorer.app.shell.manual_window import ManualWindow  # The program starts without it.

            self._manual = ManualWindow(self._window, self._appearance, reckoner, partial(self._keys, actions))
            self._manual.followed.connect(self.followed)
        self._manual.read(chapter)

    def _keys(self, actions: Actions) -> tuple[tuple[MenuKey, ...], str]:
        return told_keys(actions, self._appearance.words), self._told_keys()

    def _told_keys(self) -> str:
        usual = self._appearance.words.with_usual_keys("about.keys", pages=told_page_shortcuts())
        return native(native_names(usual, self._native))

    def _native(self, usual: str) -> str:
        """Keys that a text names, as they are now and as this system writes them."""
        now = self._shortcuts.now(usual)
        return QKeySequence(now).toString(QKeySequence.SequenceFormat.NativeText) or now

    def shortcuts(self) -> None:
        """Open the box in which keys are changed."""
        ShortcutsBox(self._window, self._shortcuts, self._appearance.words).open()

    def keys(self) -> None:
        self._open("action.keys", html=self._told_keys())

    def about(self) -> None:
        """Say what the program is; a link leads to the libraries that it runs with."""
        words = self._appearance.words
        link = f"<p><a href='licences'>{escape(words('licences.title'))}</a></p>"
        box = self._open("action.about", html=words("about.text", version=__version__) + link)
        box.text.setOpenLinks(False)
        box.text.anchorClicked.connect(self.licences)

    def licences(self) -> None:
        """List the libraries that the program runs with, with their licences."""
        from explorer.app.shell.licences import LicencesBox  # The program starts without it.

        LicencesBox(self._window, self._appearance.words).open()

    def models(self) -> None:
        """Show which models one may try, and in which forms they can be opened."""
        self._open_text("models")

    def news(self) -> None:
        self._open_text("news")

    def glossary(self) -> None:
        GlossaryBox(self._window, self._appearance.words).open()

    def _open_text(self, name: str) -> None:
        self._open(f"action.{name}", markdown=told_text(f"explain/{self._appearance.words.language}/{name}.md"))

    def _open(self, title: str, *, html: str = "", markdown: str = "") -> TextBox:
        words = self._appearance.words
        box = TextBox(words(title), self._window, words)
        box.tell(html=html, markdown=markdown)
        box.open()
        return box
