"""The attention page in the window: measures, several heads at once, lines, and what is hidden."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.app.pages.attention_page import AttentionPage
from explorer.app.shell.window import Window
from explorer.picture.kinds import Alignment, HeadGrid, Heatmap
from explorer.state.intents import look_at
from explorer.state.look import ALIGNED
from tests.journeys.conftest import Journey, journey

pytestmark = pytest.mark.slow  # It opens the whole window.

__all__ = ["journey"]  # a fixture of the journeys


def page_of(window: Window) -> AttentionPage:
    page = window.page_stack.page
    assert isinstance(page, AttentionPage)
    return page


def test_a_measure_is_chosen_sorted_and_remembered(journey: Journey) -> None:
    """Labels only when they are asked for; at the next start they are there again."""

    def first(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        page = page_of(window)
        wall = page.cards[0]
        assert isinstance(wall.picture, HeadGrid) and wall.picture.measured is None
        menu = wall.measures  # type: ignore[attr-defined]  # a WallCard
        menu.actions_["entropy"].trigger()
        menu.order.trigger()
        assert wall.picture.measured is not None and wall.picture.measured.key == "entropy"
        values = wall.picture.measured.values.ravel()[list(wall.picture.order)]
        assert (np.diff(values) <= 0).all()

    def second(window: Window) -> None:
        journey.settle(window)
        picture = page_of(window).cards[0].picture
        assert isinstance(picture, HeadGrid) and picture.measured is not None and picture.order

    journey.run(first)
    journey.run_as_left(second)


def test_heads_are_pooled_and_a_click_on_the_wall_shows_one_again(journey: Journey) -> None:
    """Each choice changes the map; the output page follows, because it is the same choice."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        page = page_of(window)
        pool = page.heads[0].pool
        titles = set()
        for place in range(pool.count()):
            pool.setCurrentIndex(place)
            assert isinstance(page.grid.picture, Heatmap)
            titles.add(page.grid.picture.caption.title)
        assert len(titles) == pool.count() >= len(ALIGNED) - 1
        page.choose_head(1, 2)
        assert window.session.state.look.aligned == "head" and page.grid.picture.head == 2

    journey.run(script)


def test_lines_take_the_place_of_the_map_and_its_room(journey: Journey) -> None:
    """Also where the map was enlarged; the slider hides weights in both."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        page = page_of(window)
        page.enlarge(page.grid)
        page.heads[0].drawn.click()
        assert page.enlarged.card is page.lines and page.lines.isVisible() and not page.grid.isVisible()
        assert isinstance(page.lines.picture, Alignment)
        page.heads[1].filter.threshold.slider.setValue(40)
        values = page.lines.picture.values
        assert np.nanmin(values) >= 0.4 or np.isnan(values).all()
        page.heads[1].drawn.click()
        assert page.enlarged.card is page.grid and page.grid.isVisible()
        page.enlarge(None)
        assert page.heads[0].filter.threshold.box.value() == 0.4
        page.choices[-1][0].press("scores")
        assert not page.heads[0].filter.isVisible()

    journey.run(script)


def test_heads_lie_over_one_another_and_lines_become_arcs(journey: Journey) -> None:
    """By their squares; a click on the wall shows one alone again, and between two texts there are no arcs."""

    def first(window: Window) -> None:
        window.go("attention")
        window.session.ask(look_at(attention="encoder.self_attn", layer=1, head=2, drawn="lines"))
        journey.settle(window)
        page = page_of(window)
        squares = page.heads[1].squares
        assert squares.isVisible() and not page.heads[0].squares.isVisible()
        QTest.mouseClick(squares.squares[0], Qt.MouseButton.LeftButton)
        QTest.mouseClick(squares.squares[3], Qt.MouseButton.LeftButton)
        assert isinstance(page.lines.picture, Alignment)
        assert [each.head for each in page.lines.picture.overlaid] == [0, 2, 3] and not page.lines.picture.arcs
        page.heads[1].arcs.click()
        assert page.lines.picture.arcs and len(page.lines.picture.overlaid) == 3
        page.choices[0][0].press("decoder.cross_attn")
        assert not page.lines.picture.arcs and not page.heads[1].arcs.isVisible()
        page.choices[0][0].press("encoder.self_attn")
        assert page.lines.picture.arcs

    def second(window: Window) -> None:
        journey.settle(window)
        page = page_of(window)
        assert isinstance(page.lines.picture, Alignment) and len(page.lines.picture.overlaid) == 3
        page.choose_head(1, 3)
        assert page.lines.picture.overlaid == () and page.lines.picture.head == 3
        page.heads[1].arcs.click()
        assert not page.lines.picture.arcs
        page.heads[1].drawn.click()
        assert page.grid.isVisible()

    journey.run(first)
    journey.run_as_left(second)


def test_export_begins_with_the_head_that_was_chosen_on_the_wall(journey: Journey) -> None:
    """A click on the wall chooses a head, and it is that head which is exported; the wall where it has all the room."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        page, main = page_of(window), window.page_stack.main_card
        assert main() is page.grid
        page.wall.touched.emit(page.wall)  # As the mouse does that points at it.
        assert window.page_stack.touched is page.wall and main() is page.grid
        window.session.ask(look_at(drawn="lines"))
        journey.settle(window)
        assert main() is page.lines
        page.enlarge(page.wall)
        assert main() is page.wall

    journey.run(script)
