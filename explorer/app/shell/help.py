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
from explorer.app.shell.shortcuts import Shortcuts
from explorer.app.shell.shortcuts_box import ShortcutsBox
from explorer.app.shell.text_box import GlossaryBox, TextBox
from explorer.errors import MissingAsset
from explorer.manual.menu_key import MenuKey
from explorer.resources import asset_text
from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.app.shell.manual_window import ManualWindow


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
            text = asset_text(f"explain/{words.language}/{name}.md")
        except MissingAsset:
            self.keys()
            return
        box = TextBox(words(f"page.{page}"), self._window, words)
        box.tell_markdown(text)
        box.open()

    def manual(self, reckoner: Reckoner, actions: Actions) -> None:
        """Open the manual where the reader left it. Its window is made when it is opened first."""
        if self._manual is None:
            from explorer.app.shell.manual_window import ManualWindow  # The program starts without it.

            self._manual = ManualWindow(self._window, self._appearance, reckoner, partial(self._keys, actions))
            self._manual.followed.connect(self.followed)
        self._manual.read()

    def _keys(self, actions: Actions) -> tuple[tuple[MenuKey, ...], str]:
        return told_keys(actions, self._appearance.words), self._told_keys()

    def _told_keys(self) -> str:
        return native_names(self._appearance.words("about.keys", pages=told_page_shortcuts()), self._native)

    def _native(self, usual: str) -> str:
        """Keys that a text names, as they are now and as this system writes them."""
        now = self._shortcuts.now(usual)
        return QKeySequence(now).toString(QKeySequence.SequenceFormat.NativeText) or now

    def shortcuts(self) -> None:
        """Open the box in which keys are changed."""
        ShortcutsBox(self._window, self._shortcuts, self._appearance.words).open()

    def keys(self) -> None:
        self._box("action.keys", self._told_keys())

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
