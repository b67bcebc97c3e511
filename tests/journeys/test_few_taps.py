"""The page of tensors: only few taps are recorded, and gradients stand beside them."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer import page_list
from explorer.app.pages.inspector_page import InspectorPage
from explorer.app.shell.window import Window
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Heatmap
from explorer.state.intents import look_at
from explorer.trace.found.gradients import Zeroed
from explorer.trace.trace import Trace
from explorer.views.pictures.tap_rows import PRODUCT
from tests.journeys.conftest import Journey
from tests.journeys.test_recorded_pass import told


def trace_of(window: Window) -> Trace:
    """The pass on screen."""
    frame = window.session.frame
    assert frame is not None  # The window has settled.
    return frame.trace


@pytest.mark.parametrize("typed", ["weights", "residual", "encoder.layers.1.", "generator."])
def test_every_page_stands_with_the_taps_that_are_left(journey: Journey, typed: str) -> None:
    """A name in the filter, a click, and all pages: a picture or a sentence on each card; then all taps are back."""

    def script(window: Window) -> None:
        window.go("inspector")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, InspectorPage)
        everything = len(trace_of(window).names())
        QTest.keyClicks(page.table.filter, typed)
        QTest.mouseClick(page.record_only, Qt.MouseButton.LeftButton)
        journey.settle(window)
        names = trace_of(window).names()
        assert 0 < len(names) < everything and all(typed in name for name in names)
        for key in page_list.KEYS:
            window.go(key)
            journey.settle(window)
            for card in window.page_stack.page.cards:
                if card.isVisible():
                    assert card.picture is not None or told(card), (key, card.title.text())
        window.go("inspector")
        journey.settle(window)
        QTest.mouseClick(page.record_all, Qt.MouseButton.LeftButton)
        journey.settle(window)
        assert len(trace_of(window).names()) == everything and not page.record_all.isVisible()

    journey.run(script)


def test_a_word_is_chosen_and_its_gradients_stand_beside_the_tensors(journey: Journey) -> None:
    """The map is the finding's own array, the sentence above it has the sum of the column, and the gap to zero is told."""

    def script(window: Window) -> None:
        window.go("inspector")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, InspectorPage) and not page.slopes.isVisible()
        page.gradients.setCurrentIndex(3)  # the second word
        journey.settle(window)
        window.session.ask(look_at(tap="encoder.layers.0.self_attn.weights", head=1))
        journey.settle(window)
        trace = trace_of(window)
        shown, found = page.slopes.picture, trace.gradients
        assert found.position == 1 and isinstance(shown, Heatmap)
        np.testing.assert_array_equal(shown.values, found["encoder.layers.0.self_attn.weights"][1])
        product = rough(found.products["encoder.layers.0.self_attn.weights"])
        zeroed = trace.experiments["zeroed"]
        assert isinstance(zeroed, Zeroed) and zeroed.tap == "encoder.layers.0.self_attn.weights"
        assert product in page.slopes.note.text() and rough(zeroed.lost) in page.slopes.note.text()
        row = page.table.table.model().match(
            page.table.table.model().index(0, 0), Qt.ItemDataRole.DisplayRole, zeroed.tap, 1, Qt.MatchFlag.MatchExactly
        )[0]
        assert row.siblingAtColumn(PRODUCT).data() == product
        page.gradients.setCurrentIndex(0)
        journey.settle(window)
        assert not page.slopes.isVisible() and page.table.table.isColumnHidden(PRODUCT)

    journey.run(script)
