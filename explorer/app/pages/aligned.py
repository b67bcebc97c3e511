"""Cards beside each other whose views begin at one height, whatever stands above each."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from explorer.app.pages.card import Card

_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show)


class AlignedViews(QObject):
    """Lowers the views of cards that stand in one line to the lowest of them, so that the same row of two maps is one line.

    Decision: it follows where the views are, and adds what is lacking below the titles. Rejected: to give all titles the same
    height, since notes and buttons break in lines of their own.
    """

    def __init__(self, cards: Sequence[Card]) -> None:
        super().__init__(cards[0])
        self._cards = tuple(cards)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._align)
        for each in map(_view, self._cards):
            each.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES:
            self._later.start(0)  # When all cards have been laid out.
        return super().eventFilter(watched, event)

    def _align(self) -> None:
        seen = [card for card in self._cards if card.isVisible()]
        heads = {card: _view(card).y() - card.lowered_px for card in seen}  # px above each view by itself
        for card in seen:
            card.lower_view(max(heads[other] for other in seen if other.y() == card.y()) - heads[card])


def _view(card: Card) -> QWidget:
    view: QWidget = card.view  # type: ignore[assignment]  # A view is a widget too.
    return view
