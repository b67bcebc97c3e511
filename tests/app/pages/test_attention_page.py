"""The attention page in the window: measures, several heads at once, lines, and what is hidden."""

import numpy as np
import pytest

from explorer.app.pages.attention_page import AttentionPage
from explorer.app.shell.window import Window
from explorer.picture.kinds import Alignment, HeadGrid, Heatmap
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
