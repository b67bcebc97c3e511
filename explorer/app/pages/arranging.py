"""The pictures of a page as they stand on it: in the window, and of a page without a window around it."""

import importlib
from collections.abc import Callable

import attrs
from PySide6.QtCore import QPoint, QRect

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.engine.request import Detail
from explorer.errors import NothingOnPage
from explorer.lang import Words
from explorer.picture.layout.arranged import Arranged, arrange
from explorer.picture.marks import Rect
from explorer.state.focus import NOWHERE
from explorer.state.look import Look
from explorer.trace.found.experiments import look_at_a_place
from explorer.trace.trace import Trace

_ANY_LAYER = ("layers",)
"""Pages that show layers without attention; all others show the nearest layer with attention in their place."""


def look_of(page: Page, trace: Trace, look: Look) -> Look:
    """The Look with which a page shows a Trace."""
    return look if page.key in _ANY_LAYER else look.fitted(trace)


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


Answers = Callable[[Detail], Trace]
"""Makes a Trace again with this much detail."""

_WIDE, _HIGH = 1190, 640
"""The room (px) of the pages in a window of 1440 × 900."""


def page_class(key: str) -> type[Page]:
    """The class of a page, one of `page_list.KEYS`. Its views are imported with it."""
    found: type[Page] = importlib.import_module(page_list.module_of(key)).PAGE
    return found


def pictures_of_page(
    key: str, trace: Trace, look: Look, words: Words, detail: Detail | None = None, answers: Answers | None = None
) -> Arranged:
    """The pictures that a page shows of a Trace, arranged as in the window. There must be a QApplication.

    `detail` is that of the Trace; what the page asks for behind it `answers` make. Without them it shows what the Trace has.
    Raises NothingOnPage, and like `answers`.
    """
    page = page_class(key)()
    page.resize(_WIDE, _HIGH)
    page.speak(words)
    found = None
    try:
        if not page.lacks(trace):
            _draw(page, trace, look, words, detail, answers)
            page.grab(QRect(0, 0, 1, 1))  # A page that is not shown is only laid out when it is painted.
            found = arranged(page)
    finally:
        page.deleteLater()
    if found is None:
        raise NothingOnPage(page=words(f"page.{key}"))
    return found


def _draw(page: Page, trace: Trace, look: Look, words: Words, detail: Detail | None, answers: Answers | None) -> None:
    """Draw a page, and as in the window again with each answer, until it asks for nothing further."""
    places: dict[tuple[str, int], None] = {}  # in the order in which they were wanted
    page.wanted.connect(lambda wanted: places.update(dict.fromkeys(wanted)))
    look = look_of(page, trace, look)
    page.draw(trace, look, words)
    made = detail or Detail()
    while answers is not None:
        focus = page.focus if look_at_a_place(page.experiments) else NOWHERE
        asked = attrs.evolve(made, experiments=page.experiments, focus=focus, wanted=tuple(places))
        if asked == made:
            break
        made = asked
        page.draw(answers(made), look, words)
