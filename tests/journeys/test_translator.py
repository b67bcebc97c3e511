"""The trained translator in the window: it opens with it, translates as one types, and can be led and left."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from explorer.app.pages.output_page import OutputPage
from explorer.app.session.answers import PAUSE_MS
from explorer.app.shell.window import Window
from explorer.engine.request import Frame, Request
from explorer.picture.decoding_kinds import Timeline, Tree
from explorer.picture.kinds import Bars
from explorer.resources import asset
from explorer.state.intents import SetKnob, SetPreset, look_at
from explorer.trace.trace import Trace
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.timeline import TimelineView
from explorer.views.pictures.tree import TreeView
from tests.journeys.conftest import Journey

LIBRARY = "他在图书馆看书。"


def _trace(window: Window) -> Trace:
    assert window.session.frame is not None
    return window.session.frame.trace


def _output(window: Window) -> OutputPage:
    window.go("output")
    page = window.page_stack.page
    assert isinstance(page, OutputPage)
    return page


def test_the_program_opens_with_a_translation(journey: Journey) -> None:
    """The default preset is the trained one; its own sentence stands there with the translation beside it."""

    def script(window: Window) -> None:
        journey.settle(window)
        trace = _trace(window)

        assert ("translator", True) == (trace.preset, trace.trained)
        assert trace.target == window.sentences.target_edit.placeholderText() != ""
        assert "" == window.sentences.target_edit.text()
        assert "译文" == window.sentences.target_label.text()
        assert "训练过的权重" in window.status.facts.text()
        assert window.weights.isVisible() and not window.weights.note.isVisible()

    journey.run(script, "--preset", "translator")


def test_the_translation_follows_each_key(journey: Journey) -> None:
    """A greedy translation first, a wider search when nothing else waits; the target's rows are its tokens."""

    def script(window: Window) -> None:
        journey.settle(window)
        edit = window.sentences.source_edit
        edit.selectAll()
        QTest.keyClick(edit, Qt.Key.Key_Delete)
        for end in range(1, len(LIBRARY) + 1):
            edit.insert(LIBRARY[end - 1])
            journey.settle(window)
            trace = _trace(window)
            assert LIBRARY[:end] == trace.source
            assert trace["decoder.layers.0.cross_attn.weights"].shape[1] == len(trace.tokens.target)

        assert 4 == window.session.frame.request.beam  # type: ignore[union-attr]  # settled
        assert "library" in window.sentences.target_edit.placeholderText()

    journey.run(script, "--preset", "translator")


def test_a_structural_slider_leaves_the_trained_weights_and_one_click_goes_back(journey: Journey) -> None:
    """The window says so in words; knobs of the pass stay as they were."""

    def script(window: Window) -> None:
        journey.settle(window)
        said = _trace(window).target
        window.session.ask(SetKnob("temperature", 1.5))
        slider = window.knobs.rows["n_layers"].slider
        assert slider is not None
        slider.setFocus()
        QTest.keyClick(slider, Qt.Key.Key_Left)
        journey.settle(window)

        assert not _trace(window).trained
        assert 2 == _trace(window).config.n_layers
        assert said == _trace(window).target  # what the trained model says, so that all else is equal
        assert window.weights.note.isVisible()
        assert "没有训练过" in window.weights.note.text()
        assert "种子 0" in window.status.facts.text()

        window.weights.segments.press("trained")
        journey.settle(window)

        assert _trace(window).trained
        assert (3, 1.5) == (_trace(window).config.n_layers, _trace(window).config.temperature)
        assert not window.weights.note.isVisible()

    journey.run(script, "--preset", "translator")


def test_random_weights_show_what_training_did(journey: Journey) -> None:
    """The same architecture and the same target: other attention, and probabilities near chance."""

    def script(window: Window) -> None:
        journey.settle(window)
        learned = _trace(window)
        window.weights.segments.press("random")
        journey.settle(window)
        random = _trace(window)

        assert (learned.config, learned.tokens) == (random.config, random.tokens)
        tap = "decoder.layers.2.cross_attn.weights"
        assert not np.allclose(learned[tap], random[tap], atol=0.05)
        steps = range(len(learned.expected))
        assert learned["generator.probabilities"][steps, learned.expected].prod() > 1e6 * (
            random["generator.probabilities"][steps, random.expected].prod()
        )
        window.session.undo()
        journey.settle(window)
        assert _trace(window).trained

    journey.run(script, "--preset", "translator")


def test_forward_knobs_act_on_the_trained_weights(journey: Journey) -> None:
    """Without positions the model is still the trained one, and it loses the thread."""

    def script(window: Window) -> None:
        journey.settle(window)
        with_positions = _trace(window)
        window.session.ask(SetKnob("position", "none"))
        journey.settle(window)
        without = _trace(window)

        assert without.trained
        steps = range(len(with_positions.expected))
        likely = with_positions["generator.probabilities"][steps, with_positions.expected]
        assert (
            with_positions.target != without.target
            or likely.prod() > without["generator.probabilities"][steps, without.expected].prod()
        )

    journey.run(script, "--preset", "translator", "--text", "狗咬了人，人没有咬狗。")


def test_scrubbing_shows_the_distribution_at_each_step(journey: Journey) -> None:
    """The bars are the recorded probabilities of the chosen step, the one that was written outlined."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = _output(window)
        timeline = page.steps.view
        assert isinstance(timeline, TimelineView)
        timeline.setFocus()
        QTest.keyClick(timeline, Qt.Key.Key_Home)
        trace = _trace(window)
        for step in range(len(trace.expected)):
            bars, steps = page.bars.picture, page.steps.picture
            assert isinstance(bars, Bars) and isinstance(steps, Timeline) and bars.chosen is not None
            assert step == steps.chosen
            assert trace.expected[step] == bars.ids[bars.chosen]
            assert np.array_equal(trace["generator.probabilities"][step][list(bars.ids)], bars.values)
            QTest.keyClick(timeline, Qt.Key.Key_Right)

    journey.run(script, "--preset", "translator", "--text", LIBRARY)


def test_a_click_on_a_candidate_lets_decoding_branch_from_there(journey: Journey) -> None:
    """The target begins with what was written before and the chosen symbol; one click makes the model free again."""

    def script(window: Window) -> None:
        journey.settle(window)
        own = _trace(window).target
        page = _output(window)
        window.session.ask(look_at(position=0))
        bars, view = page.bars.picture, page.bars.view
        assert isinstance(bars, Bars) and isinstance(view, BarsView)
        other = next(place for place in range(len(bars.ids)) if place != bars.chosen)
        view.setFocus()
        view.chose.emit(bars.ids[other])
        journey.settle(window)

        trace = _trace(window)
        assert bars.ids[other] == trace.expected[0]
        assert trace.search is not None and trace.search.nodes[0].forced
        assert own != trace.target == window.sentences.target_edit.placeholderText()
        QTest.mouseClick(page.free, Qt.MouseButton.LeftButton)
        journey.settle(window)
        assert own == _trace(window).target
        assert not page.free.isVisible()

    journey.run(script, "--preset", "translator", "--text", LIBRARY)


def test_the_tree_has_at_least_as_many_sentences_as_the_beam(journey: Journey) -> None:
    """And a click on one of its tokens makes decoding begin with the way to it."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = _output(window)
        page.beams.press("8")
        journey.settle(window)
        trace, tree, view = _trace(window), page.tree.picture, page.tree.view
        assert isinstance(tree, Tree) and isinstance(view, TreeView) and trace.search is not None
        assert 8 == trace.search.beam
        ranks = sorted(branch.rank for branch in tree.branches if branch.rank)
        assert list(range(1, len(ranks) + 1)) == ranks
        assert 8 <= len(ranks) == len(trace.search.ends)  # several may end in the last step
        second = trace.search.ends[1]
        view.chose.emit(second)
        journey.settle(window)

        ids = trace.search.ids(second)
        assert ids == _trace(window).expected[: len(ids)]

    journey.run(script, "--preset", "translator", "--text", LIBRARY)


def test_a_target_typed_by_hand_shows_how_probable_each_token_is(journey: Journey) -> None:
    """Teacher forcing: the timeline's probabilities are the recorded ones, a wrong word's is small."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = _output(window)
        right = _probabilities(window, page, "He is reading in the library.", journey)
        wrong = _probabilities(window, page, "He is reading in the banana.", journey)

        assert right.prod() > 10 * wrong.prod()

    journey.run(script, "--preset", "translator", "--text", LIBRARY)


def _probabilities(window: Window, page: OutputPage, target: str, journey: Journey) -> NDArray[np.float32]:
    edit = window.sentences.target_edit
    edit.selectAll()
    QTest.keyClick(edit, Qt.Key.Key_Delete)
    QTest.keyClicks(edit, target)
    journey.settle(window)
    trace, picture = _trace(window), page.steps.picture
    assert isinstance(picture, Timeline) and trace.search is None
    assert target == trace.target
    recorded = trace["generator.probabilities"][range(len(trace.expected)), trace.expected]
    assert np.array_equal(recorded, picture.probabilities)
    return picture.probabilities


def test_the_right_arrow_takes_the_translation_over(journey: Journey) -> None:
    """Into the box, to be edited; then it is a target of one's own."""

    def script(window: Window) -> None:
        journey.settle(window)
        said = _trace(window).target
        edit = window.sentences.target_edit
        edit.setFocus()
        QTest.keyClick(edit, Qt.Key.Key_Right)
        journey.settle(window)

        assert said == edit.text() == window.session.state.wish.target
        QTest.mouseMove(window, QPoint(5, 5))

    journey.run(script, "--preset", "translator", "--text", LIBRARY)


def test_a_trained_folder_of_ones_own_opens_like_a_preset(journey: Journey, tmp_path: Path) -> None:
    """By its path; the list of presets gets its name, and one can go away from it and come back."""
    folder = tmp_path / "my model"
    shutil.copytree(asset("presets/translator"), folder)

    def script(window: Window) -> None:
        journey.settle(window)
        assert "my model" == window.header.presets.currentText()
        assert _trace(window).trained
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        window.header.presets.setCurrentIndex(window.header.presets.count() - 1)
        journey.settle(window)
        assert (str(folder), True) == (_trace(window).preset, _trace(window).trained)

    journey.run(script, "--preset", str(folder))


def test_damaged_weights_get_one_sentence_and_the_last_picture_stays(journey: Journey, tmp_path: Path) -> None:
    """The program lives on with the other presets."""
    folder = tmp_path / "broken"
    shutil.copytree(asset("presets/translator"), folder)
    (folder / "weights.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      no weights")

    def script(window: Window) -> None:
        journey.settle(window)
        frame = window.session.frame
        window.session.ask(SetPreset(str(folder)))
        journey.wait(lambda: "broken" in window.status.message.text())
        assert "已损坏" in window.status.message.text()
        assert frame is window.session.frame
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        assert "tiny" == _trace(window).preset

    journey.run(script)


def test_a_page_opened_before_the_first_answer_has_its_words(journey: Journey) -> None:
    """Its controls and its explanation, as any later."""

    def script(window: Window) -> None:
        window.go("output")
        journey.settle(window)
        page = window.page_stack.pages["output"]
        assert page.sampling.isVisible()
        assert page.explanation.toPlainText() != ""
        assert page.to_grid.text() == "热图"

    journey.run(script, "--preset", "translator")


def test_a_click_on_a_head_shows_its_alignment(journey: Journey) -> None:
    """In the map of the step's heads; the mean below them is no head."""

    def script(window: Window) -> None:
        window.go("output")
        journey.settle(window)
        page = window.page_stack.pages["output"]
        assert page.lines.picture.caption.title.startswith("L1 H5")  # the head that the window opens with
        page.cross.view.chose.emit(3, 0)
        assert page.lines.picture.caption.title.startswith("L1 H3")
        page.cross.view.chose.emit(8, 0)
        assert window.session.state.look.head == 3

    journey.run(script, "--preset", "translator")


def test_the_wide_search_comes_when_nobody_types_any_more(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the pause that users have: each key is answered greedily, and the last answer searches widely for the whole text."""
    monkeypatch.setattr("explorer.app.session.answers.PAUSE_MS", PAUSE_MS)

    def script(window: Window) -> None:
        journey.settle(window)
        answers: list[Request] = []
        window.session.told.connect(lambda value: answers.append(value.request) if isinstance(value, Frame) else None)
        edit = window.sentences.source_edit
        edit.selectAll()
        for letter in "I eat":
            QTest.keyClick(edit, letter)
            journey.wait(lambda: window.session.is_answered() and not window.session.painting_waits)
        journey.settle(window)

        assert [request.beam for request in answers].count(1) == len("I eat")
        assert (answers[-1].beam, answers[-1].wish.text) == (4, "I eat")

    journey.run(script, "--preset", "translator")


def test_escape_goes_back_while_the_wide_search_waits(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stops what is computed, and nothing is: it leaves the page, and the search still comes."""
    monkeypatch.setattr("explorer.app.session.answers.PAUSE_MS", 10**6)

    def script(window: Window) -> None:
        journey.settle(window)
        QTest.keyClick(window.sentences.source_edit, "I")
        journey.wait(lambda: window.session.is_answered() and not window.session.computes)
        journey.wait(lambda: not window.session.painting_waits)
        window.go("attention")
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert window.session.state.page == "overview"
        assert window.session.frame is not None and window.session.frame.request.beam == 1
        assert window.session.waiting

    journey.run(script, "--preset", "translator")
