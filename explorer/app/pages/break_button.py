"""The button that opens the search for the sentences that something breaks most, and the pages that have it."""

import attrs
from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QPushButton

from explorer.app.pages.break_finder import BreakFinder
from explorer.app.pages.page import Page
from explorer.engine.errand import Brought
from explorer.lang import Words
from explorer.picture.change_text import told_alterations
from explorer.picture.theme import LIGHT, Theme
from explorer.state.breaks import BREAKS, alterations
from explorer.state.wish import Wish


class BreakButton(QPushButton):
    """Searches with what a Wish alters, and with a knob of BREAKS at the value that breaks, if it has one.

    `finder` is the window of the search, once it has been opened. Signals: wished(Intent), sent(Errand).
    """

    wished, sent = Signal(object), Signal(object)

    def __init__(self, knob: str = "") -> None:
        super().__init__()
        self._turned = ((knob, BREAKS[knob]),) if knob else ()
        self._key = f"breaks.find_{knob}" if knob else "breaks.find"
        self.finder: BreakFinder | None = None
        self._wish: Wish | None = None
        self._words: Words | None = None
        self._theme = LIGHT
        self.clicked.connect(self._find)

    def put(self, wish: Wish) -> None:
        """Take the Wish that would be searched with; a model that generates nothing has nothing to search."""
        self._wish = wish
        self.setEnabled(wish.writes)
        self._tell()

    def speak(self, words: Words) -> None:
        self._words = words
        self.setText(words(self._key))
        self._tell()
        if self.finder is not None:
            self.finder.speak(words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.finder is not None:
            self.finder.set_theme(theme)

    def bring(self, brought: Brought) -> None:
        """Hand on what a search has found out."""
        if self.finder is not None:
            self.finder.bring(brought)

    def _tell(self) -> None:
        """Say what the search does, or why this model has nothing to search."""
        if self._words is not None:
            silent = self._wish is not None and not self._wish.writes
            self.setToolTip(self._words("error.writes_nothing" if silent else f"{self._key}_about"))

    def _find(self) -> None:
        """Open the search and begin it."""
        if self._wish is None or self._words is None:
            return
        if self.finder is None:
            self.finder = BreakFinder(self, self._words, self._turned)
            self.finder.set_theme(self._theme)
            self.finder.wished.connect(self.wished)
            self.finder.sent.connect(self.sent)
        wish = attrs.evolve(self._wish, config=self._wish.config.nearest_valid(**dict(self._turned)))
        # Each sentence has other words at the same places, so the names of the changes leave out those of this one.
        self.finder.search(wish, told_alterations(alterations(wish), None, self._words))
        self.finder.show()
        self.finder.raise_()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.finder is not None and not event.spontaneous():  # A window that is made small keeps its search.
            self.finder.close()


class BreakingPage(Page):
    """A page that demonstrates something that breaks sentences, with the button; `breaks` is the button's knob."""

    breaks = ""

    def __init__(self) -> None:
        super().__init__()
        self.find_button = BreakButton(self.breaks)
        self.find_button.wished.connect(self.wished)
        self.find_button.sent.connect(self.sent)

    def put(self, wish: Wish) -> None:
        self.find_button.put(wish)

    def bring(self, brought: Brought) -> None:
        self.find_button.bring(brought)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.find_button.set_theme(theme)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.find_button.speak(words)
