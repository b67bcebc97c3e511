"""The page of patching, used as a person would."""

import numpy as np
import pytest

from explorer.app.pages.patching_page import PatchingPage
from explorer.app.shell.window import Window
from explorer.picture.kinds import Heatmap
from explorer.trace.found.patching import Patching
from tests.journeys.conftest import Journey, journey
from tests.journeys.page_faults import shows_marks

pytestmark = pytest.mark.slow

__all__ = ["journey"]  # a fixture of the journeys


def found(window: Window) -> Patching | None:
    frame = window.session.frame
    made = None if frame is None else frame.trace.experiments.get("patching")
    return made if isinstance(made, Patching) else None


def shown(page: PatchingPage, side: str) -> Heatmap:
    picture = page.maps[side].picture
    assert isinstance(picture, Heatmap)
    return picture


def test_a_suggestion_is_patched_and_looked_at(journey: Journey) -> None:
    """Without a second sentence the first suggestion is patched from; a click brings another, step and kind choose."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.sentences.source_edit.setText("她给了我一本书。")
        window.go("patching")
        page = window.page_stack.page
        assert isinstance(page, PatchingPage)
        journey.wait(lambda: page.suggested[0].text() == "我给了她一本书。")
        journey.wait(lambda: page.edit.placeholderText() == "我给了她一本书。" and page.maps["encoder"].isVisible())
        assert page.edit.text() == "" and page.step.count() == 2

        page.suggested[1].click()
        journey.wait(lambda: (there := found(window)) is not None and there.other_text == "她给了我一本信。")
        page.suggested[0].click()
        journey.wait(lambda: (there := found(window)) is not None and there.other_text == "我给了她一本书。")
        journey.wait(lambda: found(window) is not None and page.maps["decoder"].isVisible())
        assert page.edit.text() == "我给了她一本书。" and not page.why.isVisible()
        steps = [page.step.itemText(n) for n in range(page.step.count())]
        assert steps == ["She / I", "me / her"]
        journey.wait(lambda: page.maps["encoder"].picture is not None)
        first = shown(page, "encoder")
        assert first.columns.labels[0] == "她/我" and first.values[0, 0] > 0.9

        page.step.setCurrentIndex(1)
        page.step.activated.emit(1)
        journey.wait(lambda: not np.array_equal(shown(page, "encoder").values, first.values))
        assert shown(page, "encoder").values[0, 3] > 0.9, "我/她 decides between me and her."
        page.what.press("head")
        journey.wait(lambda: page.head.isVisible() and shown(page, "decoder").values.shape[0] == 6)
        view = page.maps["decoder"].view
        assert "decoder.layers.2.cross_attn.mixed" in view.describe(5, 2).tip  # type: ignore[attr-defined]

        page.edit.setText("她给了我一本书。")
        journey.wait(lambda: page.why.isVisible() and "same words" in page.why.text())
        assert not page.maps["decoder"].isVisible() and page.offers.isVisible()
        assert page.first.isVisible() and "<b" not in page.first.text() and not any(map(shows_marks, (page.first, page.second)))
        page.offers.buttons["0"].click()
        journey.wait(lambda: page.maps["decoder"].isVisible() and page.edit.text() == "我给了她一本书。")

    journey.run(script, "--preset", "translator", "--language", "en")


def test_what_cannot_be_aligned_is_said_and_the_pass_stays(journey: Journey) -> None:
    """The sentence on screen is answered all the same, and nothing is refused."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("patching")
        page = window.page_stack.page
        assert isinstance(page, PatchingPage)
        page.edit.setText("呀！呀！呀！呀！呀！呀！呀！呀！")
        journey.wait(lambda: page.why.isVisible() and "none in common" in page.why.text())
        assert window.session.frame is not None and window.session.frame.wish.other.startswith("呀")

    journey.run(script, "--preset", "translator", "--language", "en")
