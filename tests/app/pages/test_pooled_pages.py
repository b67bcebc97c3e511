"""One choice of what stands for the heads, on every page that shows a head."""

import pytest

from explorer.app.pages.compare_page import ComparePage
from explorer.app.pages.masks_page import MasksPage
from explorer.app.pages.page import Page
from explorer.app.pages.stepper_page import StepperPage
from explorer.app.shell.window import Window
from explorer.state.comparing_intents import Compare
from explorer.state.intents import look_at
from explorer.views.controls.choice_box import PoolBox
from tests.journeys.conftest import Journey, journey

pytestmark = pytest.mark.slow  # It opens the whole window.

__all__ = ["journey"]  # a fixture of the journeys


def box_of(page: Page) -> PoolBox:
    (found,) = [box for box in page.findChildren(PoolBox) if box.isVisible()]
    return found


def titles(page: Page) -> list[str]:
    return [card.title.text() for card in page.cards if card.isVisibleTo(page)]


def test_what_was_chosen_on_one_page_is_shown_on_the_others(journey: Journey) -> None:
    """Masks, comparison and steps: the first two show the mean, and the last says that it has no steps."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(look_at(attention="encoder.self_attn", layer=1, head=2))
        window.session.ask(Compare("now"))
        window.go("masks")
        journey.settle(window)
        masks = window.page_stack.page
        assert isinstance(masks, MasksPage)
        words = window.appearance.words
        box = box_of(masks)
        before = titles(masks)
        assert words("aligned.rollout") not in [box.itemText(place) for place in range(box.count())]
        box.setCurrentText(words("aligned.layer_max"))
        named = words("heads.pooled_of.layer_max", layer=1, heads=window.session.frame.trace.card.side("encoder").n_heads)
        assert sum(named in title for title in titles(masks)) >= 3 and titles(masks) != before
        window.go("compare")
        journey.settle(window)
        compare = window.page_stack.page
        assert isinstance(compare, ComparePage)
        assert box_of(compare).currentText() == words("aligned.layer_max")
        assert all(named in card.title.text() for card in compare.maps[:2])
        box_of(compare).setCurrentText(words("aligned.rollout"))
        assert window.session.state.look.aligned == "rollout"
        window.go("masks")
        journey.settle(window)
        assert box_of(masks).currentText() == words("aligned.all")
        window.go("stepper")
        journey.settle(window)
        stepper = window.page_stack.page
        assert isinstance(stepper, StepperPage)
        assert stepper.one_head.isVisible() and stepper.one_head.text() == words("steps.one_head")
        window.session.ask(look_at(aligned="head"))
        assert not stepper.one_head.isVisible()

    journey.run(script)
