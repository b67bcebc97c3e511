"""Every page shows its cards: none squeezed to nothing, none blank, no explanation cut off, whatever the window's size."""

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.app.shell.window import Window
from explorer.state.intents import SetKnob
from explorer.views.controls.explanation import ExplanationView
from tests.journeys.conftest import Journey
from tests.journeys.emptiness import emptiness, largest_rectangle, largest_share
from tests.pixels import numbers

SIZES = ((2560, 1440), (1440, 900), (1024, 700), (960, 620), (880, 480))
EMPTY_SIZES = ((1440, 900), (1024, 700), (2560, 1440))
MOST_EMPTY = 0.15
"""The share of a page that may be one empty rectangle."""
LEAST_PX = (120, 80)
_COMPUTING_MS = 120_000  # ms; what a page finds out of 2,048 heads takes seconds, and the machine may have other work
MODELS: dict[str, tuple[str, dict[str, object]]] = {
    "translator": ("translator", {}),
    "decoder-only": ("tiny", {"architecture": "decoder-only"}),
    "64 layers, 32 heads": ("tiny", {"d_model": 64, "d_ff": 64, "n_heads": 32, "n_layers": 64}),
}


def faults_of(page: Page) -> Iterator[str]:
    """What a reader of this page would miss."""
    for card in page.cards:
        if card.isVisibleTo(page):
            yield from (f"{card.title.text()}: {fault}" for fault in card_faults(page, card))
    yield from overlaps(page)
    for text in page.findChildren(ExplanationView):
        if not text.isVisibleTo(page):
            yield "the explanation is hidden"
        elif text.document().size().height() > text.viewport().height() + 1 and text.verticalScrollBar().maximum() == 0:
            yield "the explanation is cut off"
        elif not reachable(page, text) or text.height() < 40:
            yield f"the explanation has {text.height()} px"


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
    if card.picture is None:
        yield "no picture"
    view: QWidget = card.view  # type: ignore[assignment]  # it is a widget too
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


def faults(journey: Journey, window: Window, sizes: Iterable[tuple[int, int]]) -> list[str]:
    """Of all pages, in the window's language; one is opened at the first of the sizes, the next one at the last, and so on."""
    found, order = [], tuple(sizes)
    for key in page_list.KEYS:
        for width, height in order:
            window.resize(width, height)
            window.go(key)
            journey.settle(window, _COMPUTING_MS)
            QApplication.processEvents()
            found += [f"{key} {width}×{height}: {fault}" for fault in faults_of(window.page_stack.page)]
        order = order[::-1]  # To make the window large again for each page would lay out the page before once more.
    return found


@pytest.mark.parametrize("model", MODELS)
def test_every_page_shows_its_cards(journey: Journey, model: str) -> None:
    """At each size, of a trained model, one with a decoder alone, and one of 64×32 heads; light in Chinese, dark in English.

    Each page is opened in the largest window and in the smallest one.
    """
    preset, knobs = MODELS[model]

    def script(window: Window) -> None:
        journey.settle(window)
        for name, value in knobs.items():
            window.session.ask(SetKnob(name, value))
        journey.settle(window)
        found = faults(journey, window, SIZES)
        window.actions_.by_name["language"].trigger()
        window.actions_.themes["dark"].trigger()
        found += faults(journey, window, SIZES[::-1])  # What was computed of 2,048 heads is there already.
        assert not found, "\n".join(found)

    journey.run(script, "--preset", preset)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_is_largely_empty(journey: Journey, theme: str) -> None:
    """Of the translator, after everything was computed: no rectangle of one colour takes more than its share of a page.

    Every page has all sizes in one window, and the next page is opened at the size that the last one had at the end.
    """

    def script(window: Window) -> None:
        window.actions_.themes[theme].trigger()
        sizes, shares = EMPTY_SIZES, {}
        for key in page_list.KEYS:
            for size in sizes:
                window.resize(*size)
                window.go(key)
                journey.settle(window)
                QApplication.processEvents()
                shares[key, size] = emptiness(window.page_stack)
            sizes = sizes[::-1]
        assert len(shares) == len(page_list.KEYS) * len(EMPTY_SIZES)
        assert {place: f"{share:.0%}" for place, share in shares.items() if share > MOST_EMPTY} == {}

    journey.run(script, "--preset", "translator")


def test_an_empty_rectangle_is_measured(qapp: QApplication) -> None:
    """So that the test above can fail: all, a half, a quarter in a corner, and nothing of a chessboard."""
    image = QImage(480, 480, QImage.Format.Format_RGB32)
    image.fill(0)
    assert largest_share(image) == 1.0
    noise = np.random.default_rng(0).integers(0, 2**24, (480, 480), np.uint32)
    for wide, high, expected in ((240, 480, 0.5), (240, 240, 0.25), (0, 0, 0.0)):
        pixels = noise.copy()
        pixels[:high, :wide] = 0xFFFFFF
        made = QImage(pixels.tobytes(), 480, 480, 4 * 480, QImage.Format.Format_RGB32)
        assert abs(largest_share(made) - expected) < 0.02
    board = np.indices((8, 8)).sum(axis=0) % 2 == 0
    assert largest_rectangle(board) == 1
    assert largest_rectangle(np.ones((3, 5), bool)) == 15


def test_a_card_that_is_squeezed_blank_or_out_of_reach_is_found(journey: Journey) -> None:
    """So that the test above can fail: each fault is made once."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.resize(*SIZES[0])
        window.go("tokens")
        journey.settle(window)
        page = window.page_stack.page
        assert [] == list(faults_of(page))
        first, second, _lens = page.cards
        title = first.title.text()
        first.setFixedHeight(0)
        QApplication.processEvents()
        assert any("×0 px" in fault for fault in faults_of(page))
        first.setFixedHeight(200)
        first.view.paint = lambda *_given: None  # type: ignore[attr-defined]  # a view that paints nothing
        QApplication.processEvents()
        assert [f"{title}: blank"] == list(faults_of(page))
        second.move(first.pos())
        assert any("lies under" in fault for fault in faults_of(page))
        second.move(0, 5000)
        assert any("out of reach" in fault for fault in faults_of(page))

    journey.run(script)
