"""One card of a page in all the page's room."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

from explorer.app.pages.card import Card
from explorer.app.pages.layouts import with_margins


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
