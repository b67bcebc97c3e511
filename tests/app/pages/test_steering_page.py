"""The page of steering, used as a person would."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.app.pages.steering_page import SteeringPage
from explorer.app.shell.window import Window
from explorer.picture.causal_kinds import Rewording
from explorer.state.suggested_sentences import AWAY, TOWARD
from explorer.trace.found.steering import Steering
from tests.journeys.conftest import Journey, journey

pytestmark = pytest.mark.slow

__all__ = ["journey"]  # a fixture of the journeys


def opened(journey: Journey, window: Window) -> SteeringPage:
    journey.settle(window)
    window.sentences.source_edit.setText("我喜欢书。")
    window.go("steering")
    page = window.page_stack.page
    assert isinstance(page, SteeringPage)
    journey.settle(window)
    journey.wait(lambda: page.found is not None)
    return page


def found(window: Window) -> Steering:
    made = steering(window)
    assert made is not None
    return made


def steering(window: Window) -> Steering | None:
    """None while only a first answer is there."""
    frame = window.session.frame
    made = None if frame is None else frame.trace.experiments.get("steering")
    return made if isinstance(made, Steering) else None


def goes_toward(window: Window, sentences: tuple[str, ...]) -> bool:
    made = steering(window)
    return made is not None and made.toward == sentences


def target(window: Window) -> str:
    frame = window.session.frame
    return "" if frame is None else frame.trace.target


def test_the_slider_steers_and_undo_takes_it_back(journey: Journey) -> None:
    """One step of undo however far it was dragged; the change stands in the strip, and every card says "changed"."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        page.layer.setCurrentIndex(1)
        journey.settle(window)
        before = target(window)
        assert "she" not in before.lower() and page.factor.box.value() == 0
        page.factor.slider.setFocus()
        for _tick in range(30):
            QTest.keyClick(page.factor.slider, Qt.Key.Key_Right)
        journey.settle(window)
        (change,) = window.session.state.wish.changes
        assert change.tap == "encoder.layers.1.residual2" and found(window).factor(change) == pytest.approx(3.0)
        journey.wait(lambda: target(window) == "She likes her books.")
        journey.wait(lambda: isinstance(page.words_card.picture, Rewording) and page.words_card.picture.caption.changes == 1)
        assert page.directions.badge.isVisible() and len(window.page_stack.above.changes.chips) == 1

        page.layer.setCurrentIndex(2)
        journey.settle(window)
        (change,) = window.session.state.wish.changes
        assert change.tap == "encoder.layers.2.residual2" and page.factor.box.value() == pytest.approx(3.0)
        window.actions_.by_name["undo"].trigger()
        window.actions_.by_name["undo"].trigger()
        journey.settle(window)
        assert window.session.state.wish.changes == () and page.factor.box.value() == 0
        journey.wait(lambda: target(window) == before)

    journey.run(script, "--preset", "translator")


def test_sentences_are_typed_and_bad_ones_are_one_sentence(journey: Journey) -> None:
    """The other set stays suggested, and an emptied one is suggested again; another side moves the change."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        assert page.toward.placeholderText().startswith("她") and page.toward.toPlainText() == ""
        page.toward.setFocus()
        page.toward.insertPlainText("你是老师。")
        journey.settle(window)
        journey.wait(lambda: goes_toward(window, ("你是老师。",)))
        assert found(window).away == AWAY and window.session.state.wish.away == ()
        assert page.away.toPlainText() == "" and page.away.placeholderText().startswith("我")
        words, suggested = window.appearance.words, page.away_label.text()
        assert suggested == words("steering.away_suggested")
        assert page.toward_label.text() == words("steering.toward")
        page.factor.box.setValue(1.5)
        journey.settle(window)
        page.side.press("decoder")
        journey.settle(window)
        (change,) = window.session.state.wish.changes
        assert change.tap.startswith("decoder.layers.") and page.factor.box.value() == pytest.approx(1.5)

        page.toward.selectAll()
        page.toward.insertPlainText("我们")
        journey.settle(window)
        journey.wait(lambda: goes_toward(window, ("我们",)))
        journey.wait(lambda: page.lengths.text() == window.appearance.words("steering.other_sentences"))
        page.toward.selectAll()
        QTest.keyClick(page.toward, Qt.Key.Key_Delete)
        journey.wait(lambda: goes_toward(window, TOWARD))
        assert page.factor.isEnabled() and page.directions.isVisible() and page.toward.placeholderText().startswith("她")

    journey.run(script, "--preset", "translator")
