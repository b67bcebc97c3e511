"""Masked and sentence models in the window: hidden tokens and cosines, live, as the library has them, and exported so."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import explorer
from explorer.app.pages.output_page import OutputPage
from explorer.app.shell.window import Window
from explorer.export.job import Export
from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Bars, Heatmap
from tests.foreign.models import write_model
from tests.journeys.conftest import Journey

TEXT, NEXT = "the fox and the dog", "the dog and the fox runs"
_OPENING_MS = 120_000  # ms; the libraries are imported, and the machine may have other work


def output_page(window: Window, journey: Journey) -> OutputPage:
    window.go("output")
    journey.settle(window)
    page = window.page_stack.page
    assert isinstance(page, OutputPage)
    return page


def test_each_token_is_hidden_in_turn(journey: Journey, tmp_path: Path) -> None:
    """With each text anew; an arrow key chooses a token, and what is exported is what is shown."""
    preset = write_model(tmp_path / "bert", "bert")
    first, second = explorer.cloze(TEXT, preset), explorer.cloze(NEXT, preset)

    def script(window: Window) -> None:
        journey.settle(window, _OPENING_MS)
        page = output_page(window, journey)
        part = page.cloze
        journey.wait(lambda: part.steps.picture is not None)
        steps = part.steps.picture
        assert isinstance(steps, Timeline) and steps.labels == first.tokens
        np.testing.assert_allclose(steps.log_p, first.log_p, atol=1e-4)

        window.sentences.source_edit.setText(NEXT)
        journey.settle(window)
        journey.wait(lambda: part.found is not None and part.found.tokens == second.tokens)
        QTest.keyClick(part.steps.view, Qt.Key.Key_Home)
        QTest.keyClick(part.steps.view, Qt.Key.Key_Right)
        journey.settle(window)
        steps, bars, surprise = part.steps.picture, part.bars.picture, part.surprise.picture
        assert isinstance(steps, Timeline) and isinstance(bars, Bars) and isinstance(surprise, Bars)
        assert steps.chosen == 1 and f"{second.total:.4g}".replace("-", "−") in part.steps.note.text()
        assert bars.labels[0] == second.names[int(second.candidates[1, 0])]
        np.testing.assert_allclose(bars.values[:20], second.probabilities[1], atol=1e-5)
        np.testing.assert_allclose(surprise.values, sorted(-second.log_p, reverse=True), atol=1e-4)
        assert window.page_stack.main_card() is part.steps
        check_file(window, tmp_path / "a.npz", steps.probabilities)

    journey.run(script, "--preset", str(preset), "--text", TEXT)


def test_sentences_are_compared(journey: Journey, tmp_path: Path) -> None:
    """The typed one with those in the box; each keystroke in either compares anew."""
    preset = write_model(tmp_path / "bert", "bert without an output")
    wanted = explorer.similar([NEXT, "the dog", "the fox"], preset)

    def script(window: Window) -> None:
        journey.settle(window, _OPENING_MS)
        part = output_page(window, journey).similarity
        journey.wait(lambda: part.map.picture is not None)
        QTest.keyClicks(part.box, "the dog")
        QTest.keyClick(part.box, Qt.Key.Key_Return)
        QTest.keyClicks(part.box, "the fox")
        window.sentences.source_edit.setText(NEXT)
        journey.settle(window)
        journey.wait(lambda: part.found is not None and part.found.texts == wanted.texts)
        made = part.map.picture
        assert isinstance(made, Heatmap) and part.map.isVisible()
        np.testing.assert_allclose(made.values, wanted.cosines, atol=1e-5)
        assert "假定" in part.map.note.text()
        check_file(window, tmp_path / "b.npz", made.values)
        window.go("attention")
        journey.settle(window)
        window.sentences.source_edit.setText(TEXT)  # Nothing is asked for where nothing is seen.
        journey.settle(window)
        assert part.found is None

    journey.run(script, "--preset", str(preset), "--text", TEXT)


def check_file(window: Window, path: Path, shown: np.ndarray) -> None:  # type: ignore[type-arg]  # Of any numbers.
    """Whether the numbers of a file are those of the card."""
    card, frame = window.page_stack.main_card(), window.session.frame
    assert card is not None and frame is not None
    look = window.session.state.look
    picture = card.in_english(frame.trace, look)
    list(Export(trace=frame.trace, out=path, format="npz", words=Words.load("zh"), look=look, picture=picture).run())
    with np.load(path, allow_pickle=False) as kept:
        columns = [kept[name] for name in kept.files]
    assert any(np.array_equal(each if shown.ndim == 2 else each[:, 0], shown) for each in columns if each.ndim == 2)
