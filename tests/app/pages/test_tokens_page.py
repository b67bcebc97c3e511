"""The tokens page: chips in two lines are seen whole."""

import pytest

from explorer.app.pages.tokens_page import TokensPage
from explorer.app.shell.window import Window
from explorer.views.pictures.token_row import TokenRowView
from tests.journeys.conftest import Journey, journey

pytestmark = pytest.mark.slow

__all__ = ["journey"]  # a fixture of the journeys


def test_chips_in_two_lines_are_seen_whole(journey: Journey) -> None:
    """Ten pieces of a translation take two lines: none is cut by the edge of its card, in windows of all usual sizes."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.sentences.source_edit.setText("我爱北京天安门。")
        window.go("tokens")
        for width, height in ((1440, 900), (1024, 700), (1280, 800)):
            window.resize(width, height)
            journey.settle(window)
            page = window.page_stack.page
            assert isinstance(page, TokensPage)
            view = page.sides["target"].view
            assert isinstance(view, TokenRowView) and view.picture is not None
            assert len(view.picture.chips) == 10
            assert view.edges() == (), (width, height)
            assert len({view.chip_rect(index).top() for index in range(10)}) == 2

    journey.run(script, "--preset", "translator")
