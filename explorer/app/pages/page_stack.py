"""The stack of pages, of which only the one in front is drawn, and a veil over it while it is out of date."""

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QStackedWidget, QVBoxLayout, QWidget

from explorer import page_list
from explorer.app.pages.above_pages import AbovePages
from explorer.app.pages.arranging import look_of, page_class
from explorer.app.pages.card import Card
from explorer.app.pages.columns import Columns, KeptWidths
from explorer.app.pages.hidden_cards import read, written
from explorer.app.pages.page import Page
from explorer.app.pages.prepared import PreparedPictures
from explorer.engine.errand import Brought
from explorer.lang import Words
from explorer.picture.card_text import lacking
from explorer.picture.theme import LIGHT, Theme
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import filled
from explorer.views.painting.change_menu import offer_changes
from explorer.views.painting.pointed import NOTHING, Spot
from explorer.views.painting.read_as import read_as


class _Veil(QWidget):
    """A translucent cover that the mouse goes through."""

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
    """Signals: wished(Intent), pointed(Pointed), wanted(taps and heads), looked_into(), sent(Errand), saves(Picture, …) and
    acts(name) as in Page; drawn(milliseconds); rearranged() when cards were hidden or put back.
    """

    wished = Signal(object)
    pointed = Signal(object)
    wanted = Signal(tuple)
    looked_into = Signal()
    sent = Signal(object)
    saves = Signal(object, object)
    acts = Signal(str)
    drawn = Signal(float)
    rearranged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Page] = {}
        self.first = page_list.KEYS[0]
        self.touched: Card | None = None
        self.invites = True  # whether pages still tell a newcomer what to click first
        self.prepared = PreparedPictures()
        self.widths = KeptWidths()
        self._stack = QStackedWidget()
        self.above = AbovePages()
        self.above.wished.connect(self.wished)
        self.above.pointed.connect(self.pointed)
        self.above.strip.went.connect(self.enter)
        self._shown: tuple[Trace, Look, Words] | None = None
        self._before: tuple[object, ...] = ()  # what was shown before
        self._wish: Wish | None = None
        self._words: Words | None = None
        self._marked: tuple[str, ...] = ()
        self._columns: tuple[str, ...] = ()  # of the river, that a lesson speaks of
        self._alone = ""  # the tap whose card a lesson gives all the room, until it has it
        self._enlarged: Page | None = None  # the page on which it has
        self._in_vain = ""  # why what is not there will not come, while nothing is computed
        self._hidden: dict[str, frozenset[int]] = {}  # the numbers of hidden cards, by page
        self._theme = LIGHT
        self._themed: dict[str, Theme] = {}  # the theme that each page has; a hidden page keeps the last one
        self._larger = 1.0  # times the usual letters of pictures
        self.lack = QLabel()  # why the page in front cannot be shown with this model
        self.lack.setObjectName("faint")
        self.lack.setWordWrap(True)
        self.lack.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.lack.setMargin(48)
        self.lack.hide()
        filled(QVBoxLayout(self), self.above, (self._stack, 1), (self.lack, 1), gap_px=0, margins_px=(0, 0, 0, 0))
        self._veil = _Veil(self)
        self._stack.addWidget(Page())  # An empty page is shown until `begin`.

    @property
    def page(self) -> Page:
        return self._stack.currentWidget()  # type: ignore[return-value]  # The stack holds only pages.

    def begin(self) -> None:
        """Make the first page, unless the user has opened one. The window is on screen before its views are imported."""
        if not self.pages:
            self.go(self.first)

    def go(self, key: str) -> None:
        """Show a page; it is made when it is shown first."""
        if key not in self.pages:
            self.pages[key] = self._make(key)
        self._put_theme(key)
        if self.page.key != key:
            self.pages[key].before = self.page.key
        focused = QApplication.focusWidget()
        had_keys = focused is not None and self.page.isAncestorOf(focused)
        self._stack.setCurrentWidget(self.pages[key])
        self.above.go(self.pages[key])
        self.touched = None
        self._draw()
        if had_keys:
            self.enter()

    def _make(self, key: str) -> Page:
        # Importing the views takes 0.2 s, so each page is imported at its first use.
        page = page_class(key)()
        read_as(page, QAccessible.Role.PropertyPage)
        page.invites = self.invites
        page.wished.connect(self.wished)
        page.pointed.connect(self.pointed)
        page.wanted.connect(self.wanted)
        page.looked_into.connect(self.looked_into)
        page.sent.connect(self.sent)
        page.saves.connect(self.saves)
        page.acts.connect(self.acts)
        page.touched.connect(self._touch)
        page.placed.connect(self._place)
        for card in page.cards:
            card.prepared = self.prepared
        page.hidden_cards.put(self._hidden.get(key, frozenset()))
        page.hidden_cards.changed.connect(self._rearranged)
        page.enlarge_letters(self._larger)
        self.widths.take(key, page.findChildren(Columns))
        if self._wish is not None:
            self._put_wish(page, self._wish)
        if self._words is not None:
            page.speak(self._words)
        self._stack.addWidget(page)
        return page

    def put(self, wish: Wish) -> None:
        """Show a Wish in the pages' controls, and its model in the strip before it is built."""
        self._wish = wish
        self.above.put(wish)
        for page in self.pages.values():
            self._put_wish(page, wish)

    def _put_wish(self, page: Page, wish: Wish) -> None:
        page.put(wish)
        for card in page.cards:
            offer_changes(card.view, not wish.recorded)

    def bring(self, brought: Brought) -> None:
        """Hand on what an errand has found out."""
        for page in self.pages.values():
            page.bring(brought)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Show an answer. The one before is kept until `let_go`, as to free it takes a millisecond."""
        self._before = self._shown, self.prepared.foreseen
        is_new = self._shown is None or self._shown[0] is not trace
        self._shown = (trace, look, words)
        self._draw()
        if is_new:
            for page in self.pages.values():
                if page is not self.page:
                    page.forget()

    def let_go(self) -> None:
        """Free what was shown before."""
        self._before = ()

    def _draw(self) -> None:
        if self._shown is None:
            return
        start = time.perf_counter()
        self.prepared.taken_ms = 0.0
        self.above.draw(*self._shown)
        self._show_lack(*self._shown)
        if self.lack.isHidden():
            self.page.hidden_cards.show_whole(bool(self._marked or self._alone) or self._enlarged is not None)
            trace, look, words = self._shown
            self.page.draw(trace, look_of(self.page, trace, look), words)
            self.wait_no_more(self._in_vain)
            self._mark()
            self.prepared.foresee(self._shown[2], self.page.foreseen)
        self.drawn.emit((time.perf_counter() - start) * 1e3 + self.prepared.taken_ms)

    def _show_lack(self, trace: Trace, _look: Look, words: Words) -> None:
        """In place of a page that is nothing without a tap which this model lacks, or without a model that runs, say so."""
        tap = self.page.lacks(trace)
        if tap:
            why = lacking(trace.card, tap, words)
        else:
            why = words("recorded.no_model") if self.page.sweeps and trace.recorded_by else ""
        self.lack.setVisible(bool(why))
        self._stack.setVisible(not why)
        self.above.tabs.put_choices(None if why else self.page.choices_above)
        if why:
            self.lack.setText(f"{words('card.no_page', page=words(f'page.{self.page.key}'))} {why}")

    def _place(self) -> None:
        """Put the strip's segments where the page in front has their columns."""
        self.above.strip.place(self.page.spans)

    def enter(self) -> None:
        """Give the keys to the picture in front, so that Escape and the arrows work there."""
        card = next((card for card in self.page.cards if card.isVisibleTo(self.page)), None)
        if card is not None:
            card.view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.

    def speak(self, words: Words) -> None:
        self._words = words
        self.above.speak(words)
        for page in self.pages.values():
            page.speak(words)
        if self._shown is not None:
            self.draw(self._shown[0], self._shown[1], words)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme; the other pages take it when they are shown."""
        self._theme = self._veil.theme = theme
        self.above.strip.set_theme(theme)
        if self.page.key in self.pages:
            self._put_theme(self.page.key)

    def _put_theme(self, key: str) -> None:
        if self._themed.get(key) is not self._theme:
            self._themed[key] = self._theme
            self.pages[key].set_theme(self._theme)

    def light(self, tokens: frozenset[Spot]) -> None:
        self.page.light(tokens)

    def enlarge_letters(self, times: float) -> None:
        """Show the pictures whose letters have sizes of their own so many times as large, on all pages."""
        self._larger = times
        for page in self.pages.values():
            page.enlarge_letters(times)

    def fit(self) -> None:
        self.page.fit()

    def set_busy(self, busy: bool) -> None:
        """The compute thread has begun to answer, or has answered. Both threads share Python's lock."""
        self._in_vain = "" if busy else self._in_vain
        for page in self.pages.values():
            page.set_busy(busy)

    def wait_no_more(self, why: str) -> None:
        """Say in the cards that still wait why nothing more comes, until something is computed again; "" says nothing."""
        self._in_vain = why
        if why:
            for card in self.page.cards:
                card.wait_no_more(why)

    @property
    def is_stale(self) -> bool:
        """Whether the page is veiled, as it does not show what the user asks for."""
        return not self._veil.isHidden()

    def set_stale(self, stale: bool) -> None:
        """Veil the page while it does not show what the user asks for."""
        self._veil.setGeometry(self._stack.geometry())  # The notice above the page may have come or gone.
        self._veil.setVisible(stale)
        self._veil.raise_()

    def mark(self, taps: tuple[str, ...], columns: tuple[str, ...] = (), alone: str = "") -> None:
        """Outline the cards whose taps begin with one of these names, and columns of the river; one card may stand alone."""
        self._marked, self._columns, self._alone = taps, columns, alone
        if self._enlarged is not None:
            self._enlarged.enlarge(None)
            self._enlarged = None
        if self.page.hidden_cards.show_whole(bool(taps or alone)):
            self._draw()
        self._mark()

    def _mark(self) -> None:
        for card in self.page.cards:
            tap = "" if card.picture is None else card.picture.caption.tap
            card.set_meant(tap.startswith(self._marked or ("\0",)))
            if self._alone and tap.startswith(self._alone) and card.isVisibleTo(self.page):
                self._alone, self._enlarged = "", self.page
                self.page.enlarge(card)
            mean = getattr(card.view, "mean", None)  # Only the river has columns.
            if mean is not None:
                mean(self._columns)

    def main_card(self) -> Card | None:
        """The card that copying and exporting use: of those shown the one touched last, or the first one with a picture."""
        if not self.lack.isHidden():
            return None
        candidates = self.page.leading(self.touched)
        shown = (card for card in candidates if card.picture is not None and card.isVisibleTo(self.page))
        return next(shown, None)

    def card_in_hand(self) -> Card | None:
        """The card that keys go to, otherwise the main one."""
        focused = self.focusWidget()
        return next((card for card in self.page.cards if focused is not None and card.isAncestorOf(focused)), self.main_card())

    def hide_card(self) -> None:
        """Hide the card that keys go to."""
        card = self.card_in_hand()
        if card is not None:
            self.page.hidden_cards.hide_card(card)

    def enlarge_card(self) -> None:
        """Give the card that keys go to all the room, or put the enlarged one back."""
        self.page.enlarge(self.card_in_hand() if self.page.enlarged.card is None else None)

    def put_cards_back(self) -> None:
        """Show all cards of the page in front."""
        self.page.hidden_cards.put_all_back()

    @property
    def memory(self) -> str:
        """What is remembered until the next start: the hidden cards."""
        return written(self._hidden)

    def recall(self, memory: str) -> None:
        """Hide what was hidden at the end of the last run; an unknown memory changes nothing."""
        self._hidden = read(memory, page_list.KEYS)
        for key, page in self.pages.items():
            page.hidden_cards.put(self._hidden.get(key, frozenset()))

    def _rearranged(self) -> None:
        self._hidden[self.page.key] = self.page.hidden_cards.numbers
        self._draw()
        self.pointed.emit(NOTHING)  # What was told of a hidden picture must not stay.
        self.rearranged.emit()

    def _touch(self, card: Card) -> None:
        self.touched = card

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._veil.setGeometry(self._stack.geometry())
