"""The pages behind each other, of which one is drawn; and a veil over them while they show what is out of date."""

import importlib
import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.picture.look import Look
from explorer.picture.theme import LIGHT, Theme
from explorer.trace.trace import Trace
from explorer.views.painting.pointed import Spot


class _Veil(QWidget):
    """Half hides what lies below; the mouse goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = LIGHT
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        colour = QColor(self.theme.window)
        colour.setAlpha(140)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour)


class PageStack(QWidget):
    """Signals: opened(page), pointed(Pointed), looked(dict), branched(ids), beamed(int), batched(texts), kept(what),
    wanted(taps and heads) that pictures of a long text lack, and drawn(milliseconds) after a page was drawn."""

    opened = Signal(str)
    pointed = Signal(object)
    looked = Signal(dict)
    branched = Signal(tuple)
    beamed = Signal(int)
    batched = Signal(tuple)
    kept = Signal(str)
    wanted = Signal(tuple)
    drawn = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Page] = {}
        self.touched: Card | None = None
        self._stack = QStackedWidget()
        self._shown: tuple[Trace, Look, Words] | None = None
        self._request: Request | None = None
        self._words: Words | None = None
        self._marked: tuple[str, ...] = ()
        self._theme = LIGHT
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self._veil = _Veil(self)
        self._stack.addWidget(Page())  # bare, until `begin`

    @property
    def page(self) -> Page:
        return self._stack.currentWidget()  # type: ignore[return-value]  # nothing but pages is in the stack

    def begin(self) -> None:
        """Make the first page, unless the user has gone to one: the window is on screen before its views are loaded."""
        if not self.pages:
            self.go(page_list.KEYS[0])

    def go(self, key: str) -> None:
        """Show a page; it is made when it is first asked for."""
        if key not in self.pages:
            self.pages[key] = self._make(key)
        self._stack.setCurrentWidget(self.pages[key])
        self.touched = None
        self._draw()

    def _make(self, key: str) -> Page:
        page: Page = importlib.import_module(
            page_list.module_of(key)
        ).PAGE()  # the views and what they need, a fifth of a second
        page.opened.connect(self.opened)
        page.pointed.connect(self.pointed)
        page.looked.connect(self.looked)
        page.branched.connect(self.branched)
        page.beamed.connect(self.beamed)
        page.batched.connect(self.batched)
        page.kept.connect(self.kept)
        page.wanted.connect(self.wanted)
        page.touched.connect(self._touch)
        page.set_theme(self._theme)
        if self._request is not None:
            page.put(self._request)
        if self._words is not None:
            page.speak(self._words)
        self._stack.addWidget(page)
        return page

    def put(self, request: Request) -> None:
        """What is asked for, for pages that have controls of it."""
        self._request = request
        for page in self.pages.values():
            page.put(request)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._shown = (trace, look, words)
        self._draw()

    def _draw(self) -> None:
        if self._shown is None:
            return
        start = time.perf_counter()
        self.page.draw(*self._shown)
        self._mark()
        self.drawn.emit((time.perf_counter() - start) * 1e3)

    def speak(self, words: Words) -> None:
        self._words = words
        for page in self.pages.values():
            page.speak(words)
        if self._shown is not None:
            self.draw(self._shown[0], self._shown[1], words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = self._veil.theme = theme
        for page in self.pages.values():
            page.set_theme(theme)

    def light(self, tokens: frozenset[Spot]) -> None:
        self.page.light(tokens)

    def fit(self) -> None:
        self.page.fit()

    def set_stale(self, stale: bool) -> None:
        """Veil the picture while it is not what the user asks for."""
        self._veil.setVisible(stale)
        self._veil.raise_()

    def mark(self, taps: tuple[str, ...]) -> None:
        """Outline the cards of these taps, or of taps that begin so."""
        self._marked = taps
        self._mark()

    def _mark(self) -> None:
        for card in self.page.cards:
            card.set_meant(card.picture is not None and card.picture.caption.tap.startswith(self._marked or ("\0",)))

    def main_card(self) -> Card | None:
        """The card that copying and exporting mean: the one touched last, or the page's first with a picture."""
        candidates = [self.touched, *self.page.cards] if self.touched in self.page.cards else self.page.cards
        return next((card for card in candidates if card is not None and card.picture is not None), None)

    def _touch(self, card: Card) -> None:
        self.touched = card

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._veil.setGeometry(self.rect())
