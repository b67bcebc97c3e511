"""The laboratories in the window: what they need is computed when they are looked at, and what they offer works."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.app.shell.window import Window
from explorer.picture.makers.attention_steps import STEPS
from explorer.state.intents import SetKnob, SetPreset, SetText, look_at
from tests.journeys.conftest import Journey
from tests.sweeps import exhaustive

LABORATORIES = ("position", "stepper", "masks", "layers", "compare")


@exhaustive  # test_walk.py sees every card of every page.
@pytest.mark.parametrize("preset", ["tiny", "translator", "tutorial-c"])
def test_every_laboratory_shows_every_card(journey: Journey, preset: str) -> None:
    """For each architecture and for trained weights; nothing is left waiting."""

    def script(window: Window) -> None:
        for page in LABORATORIES:
            window.go(page)
            journey.settle(window)
            for card in window.page_stack.page.cards:
                if card.isVisible():
                    assert card.picture is not None, (page, card.title.text())
                    assert not card.title.text().endswith("…"), page

    journey.run(script, "--preset", preset)


def test_experiments_are_made_only_while_they_are_looked_at(journey: Journey) -> None:
    """The overview asks for none; going to a laboratory computes its own, going away drops them."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert dict(window.session.frame.trace.experiments) == {}
        window.go("masks")
        journey.settle(window)
        assert set(window.session.frame.trace.experiments) == {"leak", "batch"}
        window.go("overview")
        window.session.ask(SetText("你好"))
        journey.settle(window)
        assert dict(window.session.frame.trace.experiments) == {}

    journey.run(script)


def test_the_stepper_goes_on_by_key(journey: Journey) -> None:
    """Right and left through all steps, and no further."""

    def script(window: Window) -> None:
        window.go("stepper")
        journey.settle(window)
        page = window.page_stack.page
        page.setFocus()
        for _ in (*STEPS, *STEPS):
            QTest.keyClick(page, Qt.Key.Key_Left)
        assert window.session.state.look.part == STEPS[0]
        seen = [window.session.state.look.part]
        for _ in STEPS[1:]:
            QTest.keyClick(page, Qt.Key.Key_Right)
            seen.append(window.session.state.look.part)
        assert tuple(seen) == STEPS
        window.session.ask(look_at(part="scores"))
        assert page.second.isVisible()
        window.session.ask(look_at(part="scaled"))
        assert not page.second.isVisible()

    journey.run(script)


def test_a_cell_of_q_opens_as_its_sum(journey: Journey) -> None:
    """A click opens it, arrows go on from there, and both factors are outlined; K of cross-attention reads the encoder."""

    def script(window: Window) -> None:
        window.go("stepper")
        window.session.ask(look_at(attention="decoder.cross_attn", layer=1, head=3, part="query"))
        journey.settle(window)
        page = window.page_stack.page
        trace = window.session.frame.trace
        assert page.bias.isVisible() and page.sum.picture.sums.terms
        QTest.mouseClick(page.map, Qt.MouseButton.LeftButton, pos=page.map.cell_rect(2, 7).center().toPoint())
        QTest.keyClick(page.map, Qt.Key.Key_Down)
        QTest.keyClick(page.map, Qt.Key.Key_Right)
        look = window.session.state.look
        assert (look.sum_row, look.sum_column) == (3, 8)
        assert page.sum.picture.sums.difference == trace[look.attention_tap("query")][3, 3, 8]
        assert page.sum.picture.sums.total == pytest.approx(page.sum.picture.sums.difference, abs=1e-5)
        assert page.first.picture.chosen_row == 3 and page.second.picture.chosen_column == 8
        page.steps.press("key")
        journey.settle(window)
        assert page.first.picture.caption.tap == "encoder.norm"
        np.testing.assert_array_equal(page.first.picture.values, trace["encoder.norm"])
        page.steps.press("weights")
        assert not page.sum.isVisible() and not page.bias.isVisible()
        page.steps.press("scores")
        window.session.ask(SetText("我爱你"))
        journey.settle(window)
        page.steps.press("query")  # The matrix is still to come, and the sum of the step before is there.
        QTest.keyClick(page.map, Qt.Key.Key_Up)
        journey.settle(window)
        assert (page.result.picture.chosen_row, page.result.picture.chosen_column) == page.map.cell_cursor.place

    journey.run(script)


def test_sentences_of_a_batch_can_be_typed(journey: Journey) -> None:
    """Divided by strokes; the shorter ones are padded, and undo takes them back."""

    def script(window: Window) -> None:
        window.go("masks")
        journey.settle(window)
        page = window.page_stack.page
        page.edit.setFocus()
        QTest.keyClicks(page.edit, "nihao / huanying lai shanghai")
        QTest.keyClick(page.edit, Qt.Key.Key_Return)
        journey.settle(window)
        assert window.session.state.wish.batch == ("nihao", "huanying lai shanghai")
        assert [card.isVisible() for card in page.sentences] == [True, True, True]
        assert "<pad>" in page.sentences[1].picture.columns.labels
        window.session.undo()
        journey.settle(window)
        assert [card.isVisible() for card in page.sentences] == [True, False, False]

    journey.run(script)


def test_two_states_are_compared_and_linked(journey: Journey) -> None:
    """Keep, turn a knob, see the difference; the maps zoom together; exchange; let go."""

    def script(window: Window) -> None:
        window.go("compare")
        journey.settle(window)
        page = window.page_stack.page
        page.keep.click()
        window.session.ask(SetKnob("temperature", 3.0))
        journey.settle(window)
        aside, here, apart = (card.picture.values for card in page.maps)
        assert np.allclose(apart, here - aside, atol=1e-7) and np.abs(apart).max() > 0.01
        view = page.maps[1].view
        middle = view.field().center()
        QApplication.sendEvent(
            view,
            QWheelEvent(
                QPointF(middle),
                QPointF(view.mapToGlobal(middle.toPoint())),
                QPoint(),
                QPoint(0, 120),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.ControlModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            ),
        )
        assert not view.view.is_whole
        assert page.maps[0].view.view == page.maps[2].view.view == view.view
        page.swap.click()
        journey.settle(window)
        assert window.session.state.wish.config.temperature == 1.0
        assert window.session.state.wish.compared_with.config.temperature == 3.0
        page.drop.click()
        journey.settle(window)
        assert window.session.frame.trace.compared_with is None
        assert not page.maps[0].isVisible()

    journey.run(script)


def test_a_tutorial_stands_beside_the_paper(journey: Journey) -> None:
    """The departures are listed, and the paper's version of the same sizes is computed."""

    def script(window: Window) -> None:
        window.go("compare")
        journey.settle(window)
        page = window.page_stack.page
        assert "各自随机" not in page.list.text()
        page.paper.click()
        journey.settle(window)
        assert window.session.frame.trace.compared_with.config.norm_placement == "post"
        assert "归一化位置" in page.about.text()

    journey.run(script)


def test_a_large_model_is_announced(journey: Journey) -> None:
    """With what it takes, before it is built; stopping leaves the last picture."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetPreset("tutorial-a"))
        assert "1.9 GB" in window.status.message.text()
        window.session.stop()
        journey.wait(lambda: not window.session.waiting)
        window.session.undo()
        journey.settle(window)
        assert window.session.frame.wish.preset == "tiny"

    journey.run(script)
