"""Presenting in a hall: the screen holds the sentence and one card, in large letters; a clicker goes from card to card."""

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFont, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.pages.page_stack import PageStack
from explorer.app.session.session import Session
from explorer.state.intents import OpenPage
from explorer.views.controls.sentence import SentenceEdit
from explorer.views.painting.style import style_anew

_LARGER, _SENTENCE = 1.5, 2.0  # times the usual letters; the sentence has the largest
_NO_LIMIT = 2**24 - 1  # px, Qt's largest


class Presenter(QObject):
    """`present(True)` hides everything but sentence and card; `present(False)` puts it back.

    Page Down and Page Up, the keys of a clicker, show the next card and the one before, through all pages.
    """

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        sentences: tuple[SentenceEdit, ...],
        page_stack: PageStack,
        around: tuple[QWidget, ...],
    ) -> None:
        """`around` is what stands around the sentences and the page."""
        super().__init__(window)
        self._window, self._session, self._page_stack = window, session, page_stack
        self._sentences, self._around = sentences, around
        self._hidden: list[QWidget] = []  # what was visible before
        self._was = window.windowState()  # before
        self._bar = window.menuBar()
        self._font = QApplication.font()
        self._keys = [QShortcut(QKeySequence(key), window) for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)]
        for shortcut, slot in zip(self._keys, (self._next, self._previous), strict=True):
            shortcut.activated.connect(slot)
            shortcut.setEnabled(False)
        self.presents = False

    def present(self, on: bool) -> None:
        """Begin or end."""
        if on == self.presents:
            return
        self.presents = on
        for shortcut in self._keys:
            shortcut.setEnabled(on)
        application = QApplication.instance()
        assert isinstance(application, QApplication)  # There is a window.
        if on:
            self._font = application.font()
            larger = application.font()
            larger.setPointSizeF(larger.pointSizeF() * _LARGER)
            self._page_stack.enlarge_letters(_LARGER)
            for each in self._sentences:
                each.enlarge_letters(_SENTENCE)
            self._hidden = [part for part in self._around if part.isVisible()]
            self._was = self._window.windowState()
            for part in self._hidden:
                part.hide()
            self._bar.setMaximumHeight(0)  # The keys of a hidden menu bar would be dead.
            _use(application, larger)  # Now only what stays in sight is styled at once.
            self._window.showFullScreen()
            self._show(self._page_stack.main_card())
        else:
            self._page_stack.enlarge_letters(1.0)
            for each in self._sentences:
                each.enlarge_letters(1.0)
            self._page_stack.page.enlarge(None)
            middle = self._window.centralWidget().layout()
            assert middle is not None  # The window has laid out its parts.
            middle.setEnabled(False)  # Otherwise the page would be drawn again in each size between.
            for part in self._hidden:
                part.show()
            _use(application, self._font)  # What stands around is in sight again, and is styled before it is laid out.
            middle.setEnabled(True)
            middle.invalidate()
            self._bar.setMaximumHeight(_NO_LIMIT)
            self._window.setWindowState(self._was)

    def _cards(self) -> list[Card]:
        page = self._page_stack.page
        return [card for card in page.cards if card is page.enlarged.card or card.isVisibleTo(page)]

    def _show(self, card: Card | None) -> None:
        self._page_stack.page.enlarge(card)

    def _next(self) -> None:
        self._go(1)

    def _previous(self) -> None:
        self._go(-1)

    def _go(self, step: int) -> None:
        """Show the next card of the page, or the first or last one of the next page."""
        cards, here = self._cards(), self._page_stack.page.enlarged.card
        place = (cards.index(here) if here in cards else 0) + step
        if 0 <= place < len(cards):
            self._show(cards[place])
            return
        number = page_list.KEYS.index(self._page_stack.page.key) + step
        if not 0 <= number < len(page_list.KEYS):
            return
        self._page_stack.page.enlarge(None)
        self._session.ask(OpenPage(page_list.KEYS[number]))
        cards = self._cards()
        if cards:
            self._show(cards[0 if step > 0 else -1])


def _use(application: QApplication, font: QFont) -> None:
    """Let all widgets take a font; those that a style sheet has polished must be polished again."""
    application.setFont(font)
    style_anew(application)
