"""What a reader of a page would miss: cards squeezed to nothing, blank or on one another, explanations that are cut off, and
marks of HTML in place of what they stand for."""

import re
from collections.abc import Iterator
from itertools import combinations

from PySide6 import QtGui
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.views.controls.explanation import ExplanationView
from explorer.views.painting.canvas import Canvas
from tests.pixels import numbers

LEAST_PX = (120, 80)
LEAST_TITLE_PX = 50  # px, three letters and more in a line
LEAST_FIELD_PX, LEAST_ROW_PX = 44, 8  # px of the cells of a map
_MARKS = re.compile(r"&(\w+|#\d+);|</?(a|b|br|i|p|pre|small|span|sub|sup|table|td|tr|u)\b[^>]*>")


def faults_of(page: Page) -> Iterator[str]:
    """What a reader of this page would miss."""
    for card in page.cards:
        if card.isVisibleTo(page):
            yield from (f"{card.title.text()}: {fault}" for fault in card_faults(page, card))
    yield from overlaps(page)
    if any(
        area.horizontalScrollBar().maximum() for area in page.findChildren(QScrollArea) if area.widget().objectName() == "desk"
    ):
        yield "it scrolls aside"
    yield from (f"{label.text()} is shown as it is written" for label in page.findChildren(QLabel) if shows_marks(label))
    for text in page.findChildren(ExplanationView):
        if not text.isVisibleTo(page):
            yield "the explanation is hidden"
        elif text.document().size().height() > text.viewport().height() + 1 and text.verticalScrollBar().maximum() == 0:
            yield "the explanation is cut off"
        elif not reachable(page, text) or text.height() < 40:
            yield f"the explanation has {text.height()} px"


def shows_marks(label: QLabel) -> bool:
    """Whether a label that can be seen takes HTML for plain text."""
    kind, text = label.textFormat(), label.text()
    is_rich = kind == Qt.TextFormat.RichText or (kind == Qt.TextFormat.AutoText and QtGui.Qt.mightBeRichText(text))
    return label.isVisible() and not is_rich and bool(_MARKS.search(text))


def overlaps(page: Page) -> Iterator[str]:
    """Cards that lie on one another."""
    seen = [card for card in page.cards if card.isVisibleTo(page)]
    places = [QRect(card.mapTo(page, card.rect().topLeft()), card.size()) for card in seen]
    for (card, place), (other, further) in combinations(zip(seen, places, strict=True), 2):
        if place.intersects(further) and not card.isAncestorOf(other) and not other.isAncestorOf(card):
            yield f"{card.title.text()} lies under {other.title.text()}"


def card_faults(page: Page, card: Card) -> Iterator[str]:
    """Too small, out of reach, or blank inside its picture."""
    if card.width() < LEAST_PX[0] or card.height() < LEAST_PX[1]:
        yield f"{card.width()}×{card.height()} px"
    if not reachable(page, card):
        yield "out of reach"
    whole_px = card.title.fontMetrics().horizontalAdvance(card.title.text())
    if card.title.isVisibleTo(card) and card.title.width() < min(LEAST_TITLE_PX, whole_px):
        yield f"its title has {card.title.width()} px in a line"
    if card.picture is None:
        yield "no picture"
    view: QWidget = card.view  # type: ignore[assignment]  # it is a widget too
    if isinstance(view, Canvas) and view.cells.rect.high < min(LEAST_FIELD_PX, view.cells.view.rows * LEAST_ROW_PX):
        yield f"its cells have {view.cells.rect.high:.0f} px"
    if n_colours(view.grab().toImage()) < 2:
        yield "blank"


def reachable(page: Page, widget: QWidget) -> bool:
    """Whether all of it is on the page, or can be scrolled to."""
    area = widget.parentWidget()
    while area is not None and area is not page and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if isinstance(area, QScrollArea):
        inner = area.widget()
        there = QRect(widget.mapTo(inner, widget.rect().topLeft()), widget.size())
        seen = area.viewport().size()
        return inner.rect().contains(there) and all(
            length <= room + bar.maximum() and (not bar.maximum() or bar.isVisible())
            for length, room, bar in (
                (inner.width(), seen.width(), area.horizontalScrollBar()),
                (inner.height(), seen.height(), area.verticalScrollBar()),
            )
        )
    return page.rect().contains(QRect(widget.mapTo(page, widget.rect().topLeft()), widget.size()))


def n_colours(image: QImage) -> int:
    """How many different colours stand on a grid of points of an image, as far as two. Its border is no picture."""
    grid = numbers(image)[1:-1:2, 1:-1:2]
    return 0 if not grid.size else 2 if (grid != grid[0, 0]).any() else 1
