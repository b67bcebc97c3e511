"""Which cards of a page are in sight: one alone, enlarged, or all but those that somebody has hidden; a line puts these back.

Decision: preferences keep what is hidden, by page and the card's number on it. Rejected: the State, because a shared state or a
step back would take away pictures of somebody who only wanted more room for the others.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QLabel, QLayout, QToolButton, QVBoxLayout, QWidget

from explorer.app.pages.card import Card
from explorer.app.pages.layouts import with_margins
from explorer.lang import Words
from explorer.views.controls.flow import FlowLayout
from explorer.views.controls.tab_group import make_tab_group


class Enlarged(QWidget):
    """Lies over a page and shows one card, in whose place an empty widget waits meanwhile."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setObjectName("desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.card: Card | None = None
        self._standin = QWidget()
        self._place: QLayout | None = None  # in which the standin is
        self._column = with_margins(QVBoxLayout(self))
        self.hide()

    def show_card(self, card: Card) -> None:
        """Show a card; another one goes back to its place."""
        self.put_back()
        around = card.parentWidget()
        place = None if around is None else around.layout()
        if place is None:
            return
        self._standin, self._place = QWidget(), place
        place.replaceWidget(card, self._standin)
        self.card = card
        card.set_enlarged(True)
        self._column.addWidget(card)
        self.setGeometry(self._page.rect())
        self.show()
        self.raise_()
        card.view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.

    def place_of(self, card: Card) -> QWidget:
        """Where a card stands on the page: its own place, or the widget that waits there while it is enlarged."""
        return self._standin if card is self.card else card

    def put_back(self) -> None:
        """Put the card back into its place."""
        if self.card is None:
            return
        card, self.card = self.card, None
        card.set_enlarged(False)
        self._column.removeWidget(card)
        if self._place is not None:
            self._place.replaceWidget(self._standin, card)
        self._standin.deleteLater()
        self.hide()


class HiddenCards(QWidget):
    """The line; it is there while a card is hidden. One card always stays, so no page is ever empty.

    Signals: changed() when somebody has hidden a card or put one back.
    """

    changed = Signal()

    def __init__(self, page: QWidget, close_gaps: Callable[[], None]) -> None:
        """`close_gaps` gives the room of hidden cards to the others."""
        super().__init__()
        self.setObjectName("hiddencards")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page, self._close_gaps = page, close_gaps
        self._cards: list[Card] = []
        self._words: Words | None = None
        self.numbers: frozenset[int] = frozenset()
        self.whole = False  # whether all cards are shown for now, whatever is hidden
        self.text, self.all = QLabel(), QToolButton()
        self.text.setObjectName("faint")
        self.buttons: list[QToolButton] = []
        self._row = FlowLayout(self, gap_px=6)
        self._row.setContentsMargins(10, 4, 10, 4)
        self._row.addWidget(self.text)
        self._row.addWidget(self.all)
        self.all.setObjectName("small")
        self.all.clicked.connect(self.put_all_back)
        make_tab_group(self, Qt.Key.Key_Left, Qt.Key.Key_Right)
        self.hide()

    def take(self, card: Card) -> None:
        """Offer to hide a card; its number is its place among those taken."""
        self._cards.append(card)
        card.hides.connect(self.hide_card)

    def put(self, numbers: frozenset[int]) -> None:
        """Hide the cards with these numbers by program, and show the others."""
        self.numbers = numbers
        self.arrange()

    def show_whole(self, whole: bool) -> bool:
        """Show all cards for as long as a lesson speaks of them, or no longer; returns whether that changes something."""
        differs, self.whole = whole != self.whole, whole
        if differs:
            self.arrange()
        return differs and bool(self.numbers)

    def hide_card(self, card: Card) -> None:
        """Hide a card, unless it is the only one in sight."""
        if card in self._cards and len(self._shown()) > 1 and not card.bare:
            self.numbers |= {self._cards.index(card)}
            self._arranged()

    def put_all_back(self) -> None:
        self.numbers = frozenset()
        self._arranged()

    def _put_one_back(self) -> None:
        number = self.buttons.index(self.sender())  # type: ignore[arg-type]  # The sender is one of the buttons.
        self.numbers -= {self._away()[number]}
        self._arranged()

    def _arranged(self) -> None:
        """After somebody has hidden a card or put one back: keys go to a card in sight."""
        had_keys = QApplication.focusWidget()
        self.arrange()
        self.changed.emit()
        lost = had_keys is not None and self._page.isAncestorOf(had_keys) and not had_keys.isVisibleTo(self._page)
        if lost and self._shown():
            self._shown()[0].view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.

    def _shown(self) -> list[Card]:
        return [card for card in self._cards if card.isVisibleTo(self._page)]

    def _away(self) -> list[int]:
        """The numbers of the cards that would be in sight if they were not hidden."""
        return [number for number, card in enumerate(self._cards) if card.away and card.wanted and self._has_place(card)]

    def _has_place(self, card: Card) -> bool:
        around = card.parentWidget()
        return around is not None and around.isVisibleTo(self._page)

    def arrange(self) -> None:
        """Hide the cards and close the gaps. Where nothing would be left, the first one stays."""
        for number, card in enumerate(self._cards):
            card.set_away(number in self.numbers and not self.whole)
        for card in self._cards if not self._shown() else ():
            was_away = card.away
            card.set_away(False)
            if card.isVisibleTo(self._page):
                break
            card.set_away(was_away)
        for card in self._cards:
            card.offer_hiding(several=len(self._cards) > 1, last=len(self._shown()) == 1)
        self._close_gaps()
        self.name()

    def speak(self, words: Words) -> None:
        self._words = words
        self.text.setText(words("hidden.cards"))
        self.all.setText(words("hidden.all"))
        self.setAccessibleName(words("hidden.cards"))
        self.name()

    def name(self) -> None:
        """A button for each hidden card, with its title."""
        away, words = self._away(), self._words
        if words is None:
            return
        while len(self.buttons) < len(away):
            self.buttons.append(self._button())
        for place, button in enumerate(self.buttons):
            set_there(button, place < len(away))
            if place < len(away):
                title = self._cards[away[place]].title.text().removesuffix(" …")
                button.setText(f"+ {title or words('hidden.nameless', number=away[place] + 1)}")
                button.setToolTip(words("hidden.back"))
                button.setAccessibleName(f"{words('hidden.back')}: {button.text()[2:]}")
        set_there(self.all, len(away) > 1)
        set_there(self, bool(away) and self.parentWidget() is not None)

    def _button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("segment")
        button.clicked.connect(self._put_one_back)
        self._row.removeWidget(self.all)
        self._row.addWidget(button)
        self._row.addWidget(self.all)
        return button


def set_there(widget: QWidget, there: bool) -> None:
    """Show or hide a widget, only where that changes something: hiding and showing lays out the page anew."""
    if widget.isHidden() == there:
        widget.setVisible(there)


def written(hidden: dict[str, frozenset[int]]) -> str:
    """The hidden cards of all pages in a line: "attention:0,2 layers:1"."""
    return " ".join(f"{page}:{','.join(map(str, sorted(numbers)))}" for page, numbers in hidden.items() if numbers)


def read(line: str, pages: Sequence[str]) -> dict[str, frozenset[int]]:
    """The hidden cards of each page from such a line; what cannot be read hides nothing."""
    hidden = {}
    for entry in line.split():
        page, _, numbers = entry.partition(":")
        if page in pages and all(number.isdecimal() for number in numbers.split(",")):
            hidden[page] = frozenset(map(int, numbers.split(",")))
    return hidden
