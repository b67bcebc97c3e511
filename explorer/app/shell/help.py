"""What the menu Help opens: the keys, the glossary, what is new, and what the program is."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from explorer.app.shell.actions import told_page_shortcuts
from explorer.app.shell.appearance import Appearance
from explorer.app.shell.glossary_box import GlossaryBox
from explorer.app.shell.keyboard import native_names
from explorer.app.shell.text_box import TextBox
from explorer.errors import MissingAsset
from explorer.resources import asset_text
from explorer.version import __version__


class Help(QObject):
    """`explain`, `keys`, `glossary`, `models`, `news` and `about` each open a box in front of the window, in its language."""

    def __init__(self, window: QWidget, appearance: Appearance) -> None:
        super().__init__(window)
        self._window, self._appearance = window, appearance

    def explain(self, page: str) -> None:
        """Show the explanation of a page, which a small window may have scrolled out of sight; without one, the keys."""
        words = self._appearance.words
        try:
            text = asset_text(f"explain/{words.language}/{page}.md")
        except MissingAsset:
            self.keys()
            return
        box = TextBox(words(f"page.{page}"), self._window, words)
        box.tell_markdown(text)
        box.open()

    def keys(self) -> None:
        pages = told_page_shortcuts()
        self._box("action.keys", native_names(self._appearance.words("about.keys", pages=pages)))

    def about(self) -> None:
        self._box("action.about", self._appearance.words("about.text", version=__version__))

    def models(self) -> None:
        """Show which models one may try, and in which forms they can be opened."""
        self._text("models")

    def news(self) -> None:
        self._text("news")

    def _text(self, name: str) -> None:
        words = self._appearance.words
        box = TextBox(words(f"action.{name}"), self._window, words)
        box.tell_markdown(asset_text(f"explain/{words.language}/{name}.md"))
        box.open()

    def glossary(self) -> None:
        GlossaryBox(self._window, self._appearance.words).open()

    def _box(self, title: str, html: str) -> None:
        words = self._appearance.words
        box = TextBox(words(title), self._window, words)
        box.tell_html(html)
        box.open()
