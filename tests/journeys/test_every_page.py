"""Every page shows its cards: none squeezed to nothing, none blank, no explanation cut off, whatever the window's size."""

from collections.abc import Iterable

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from explorer import page_list
from explorer.app.shell.window import Window
from explorer.state.intents import SetKnob
from tests.journeys.conftest import Journey
from tests.journeys.emptiness import largest_rectangle, largest_share
from tests.journeys.page_faults import faults_of
from tests.journeys.walk import CARD_SIZES, COMPUTING_MS
from tests.sweeps import exhaustive

MODELS: dict[str, tuple[str, dict[str, object]]] = {
    "decoder-only": ("tiny", {"architecture": "decoder-only"}),
    "64 layers, 32 heads": ("tiny", {"d_model": 64, "d_ff": 64, "n_heads": 32, "n_layers": 64}),
}


def faults(journey: Journey, window: Window, sizes: Iterable[tuple[int, int]]) -> list[str]:
    """Of all pages, in the window's language; one is opened at the first of the sizes, the next one at the last, and so on."""
    found, order = [], tuple(sizes)
    for key in page_list.KEYS:
        for width, height in order:
            window.resize(width, height)
            window.go(key)
            journey.settle(window, COMPUTING_MS)
            for _turn in range(3):  # What a low window folds away gives its room to the page, and the page to its cards.
                QApplication.processEvents()
            found += [f"{key} {width}×{height}: {fault}" for fault in faults_of(window.page_stack.page)]
        order = order[::-1]  # To make the window large again for each page would lay out the page before once more.
    return found


@pytest.mark.parametrize("model", MODELS)
@exhaustive
def test_every_page_shows_its_cards(journey: Journey, model: str) -> None:
    """At each size, of one with a decoder alone, and one of 64×32 heads; light in Chinese, dark in English.

    Each page is opened in the largest window and in the smallest one.
    """
    preset, knobs = MODELS[model]

    def script(window: Window) -> None:
        journey.settle(window)
        for name, value in knobs.items():
            window.session.ask(SetKnob(name, value))
        journey.settle(window)
        found = faults(journey, window, CARD_SIZES)
        window.actions_.by_name["language"].trigger()
        window.actions_.themes["dark"].trigger()
        found += faults(journey, window, CARD_SIZES[::-1])  # What was computed of 2,048 heads is there already.
        assert not found, "\n".join(found)

    journey.run(script, "--preset", preset)


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
        window.resize(*CARD_SIZES[0])
        window.go("tokens")
        journey.settle(window)
        page = window.page_stack.page
        assert [] == list(faults_of(page))
        first, second, *_others = page.cards
        title = first.title.text()
        for text in ("A&nbsp;B", "&lt;bos&gt;"):
            first.title.setText(text)
            assert [f"{text} is shown as it is written"] == list(faults_of(page))
        first.title.setText(title)
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
