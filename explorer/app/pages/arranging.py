"""The pictures of a page as they stand on it."""

from PySide6.QtCore import QPoint

from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.picture.layout.arranged import Arranged, arrange
from explorer.picture.marks import Rect


def shown_cards(page: Page) -> tuple[Card, ...]:
    """The cards that a page shows with a picture, also below one that is enlarged."""
    return tuple(card for card in page.cards if _has_numbers(card) and card.isVisibleTo(page))


def _has_numbers(card: Card) -> bool:
    """Whether a card shows numbers of the present answer, and no picture that is still empty or an older one."""
    return card.picture is not None and not card.waiting and not getattr(card.picture, "pending", False)


def arranged(page: Page) -> Arranged | None:
    """The pictures of a page, arranged as their cards are; None where it shows none."""
    placed = []
    for card in shown_cards(page):
        place = page.enlarged.place_of(card)
        corner = place.mapTo(page, QPoint(0, 0))
        if card.picture is not None:
            placed.append((card.picture, Rect(corner.x(), corner.y(), place.width(), place.height())))
    return arrange(placed) if placed else None
