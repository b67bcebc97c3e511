"""The embedding page in the window: neighbours and the map of the chosen token."""

import pytest

from explorer.app.pages.embedding_page import EmbeddingPage
from explorer.app.shell.window import Window
from explorer.picture.kinds import Bars, VectorMap
from explorer.state.intents import SetText
from tests.journeys.conftest import Journey, journey

pytestmark = pytest.mark.slow  # It opens the whole window.

__all__ = ["journey"]  # a fixture of the journeys


def test_a_token_is_chosen_in_the_box_and_on_the_map(journey: Journey) -> None:
    """Both cards follow; another sentence has its own first word, and another side its own tokens."""

    def script(window: Window) -> None:
        window.session.ask(SetText("我爱北京天安门"))
        window.go("embedding")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, EmbeddingPage)
        bars, plane = page.neighbours, page.map
        assert isinstance(bars.picture, Bars) and "我" in bars.picture.caption.title
        page.token.setCurrentIndex(1)
        assert "爱" in bars.picture.caption.title and isinstance(plane.picture, VectorMap) and plane.picture.chosen == 1
        plane.view.chose.emit(2)
        assert page.token.currentIndex() == 2 and "北京" in bars.picture.caption.title
        page.choices[0][0].press("decoder")
        assert plane.picture.taps[0] == "decoder.embedding.output"
        window.session.ask(SetText("你好"))
        journey.settle(window)
        assert len(plane.picture.tokens) == len(window.session.frame.trace.side(plane.picture.taps[0]))  # type: ignore[union-attr]  # it has settled

    journey.run(script)
