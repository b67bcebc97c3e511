"""A model in which some layers have no attention: the page of layers shows them, all others the nearest one that has."""

from pathlib import Path

import pytest

from explorer.app.pages.layers_page import LayersPage
from explorer.app.pages.overview_page import OverviewPage
from explorer.app.shell.window import Window
from explorer.picture.river.place import Place
from explorer.state.intents import SetText, look_at
from tests.foreign.models import write_model
from tests.journeys.conftest import Journey
from tests.journeys.test_strip import click

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
BARE = 2
OF_ATTENTION = ("attention", "masks", "stepper", "follow")


def test_a_layer_without_attention_is_reached_and_kept(journey: Journey, tmp_path: Path) -> None:
    """By its part of the strip and by its network in the river. A key typed keeps it; the pages of attention have pictures."""

    def check_layers_page(window: Window) -> None:
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, LayersPage)
        assert window.session.state.look.layer == BARE
        assert page.cards[0].picture is not None

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.session.state.look.layer != BARE
        click(window, f"decoder.layers.{BARE}.other")
        check_layers_page(window)
        window.session.ask(SetText("the dog and the fox"))
        check_layers_page(window)
        for key in OF_ATTENTION:
            window.go(key)
            journey.settle(window)
            for card in window.page_stack.page.cards:
                if card.isVisible():
                    assert card.picture is not None, (key, card.title.text())
        assert window.session.state.look.layer == BARE
        window.session.ask(look_at(layer=1))
        window.go("overview")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, OverviewPage)
        page.river.chose.emit(Place("block", attention="decoder.feed_forward", layer=BARE))
        check_layers_page(window)

    path = str(write_model(tmp_path / "jamba", "jamba"))
    journey.run(script, "gui", "--preset", path, "--text", "the fox and the dog")
