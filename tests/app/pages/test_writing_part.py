"""Going on with a text on the output page, used as a person would; a Computer answers what the page sends."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from explorer.app.pages.output_page import OutputPage
from explorer.app.pages.writing_part import continued
from explorer.engine.compute import Computer
from explorer.engine.errand import Brought, Errand, WriteOn
from explorer.engine.request import Request
from explorer.errors import TooLong
from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline, Tree
from explorer.picture.kinds import Bars, Strips
from explorer.picture.theme import DARK
from explorer.state.change_intents import TakeSentence
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from tests.engine.sources.bundles import a_language_model

TEXT = "我爱北京"


class Desk:
    """The page with a trained language model, and what it sent and wished."""

    def __init__(self, qtbot: QtBot, preset: str) -> None:
        self.qtbot, self.computer = qtbot, Computer()
        self.wish = Wish.from_preset(preset, TEXT)
        self.trace: Trace = self.computer(Request(wish=self.wish)).trace
        self.page, self.words, self.look = OutputPage(), Words.load("en"), Look().fitted(self.trace)
        self.sent: list[Errand] = []
        self.wished: list[object] = []
        self.page.sent.connect(self.sent.append)
        self.page.wished.connect(self._wish)
        qtbot.addWidget(self.page)
        self.page.resize(1200, 900)
        self.page.show()
        self.page.speak(self.words)
        self.page.put(self.wish)
        self.draw()

    def _wish(self, intent: object) -> None:
        self.wished.append(intent)
        self.draw()

    def draw(self) -> None:
        self.page.draw(self.trace, self.look, self.words)

    def click(self, button: object) -> None:
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def answer(self, most: int = 100) -> int:
        """Do the pieces of what was sent last, as the worker does; says how many."""
        errand = self.sent[-1]
        for number in range(min(most, errand.n_pieces)):
            if self.sent[-1] is not errand:
                return number
            self.page.bring(self.computer.piece(errand, number, lambda: False))
        return min(most, errand.n_pieces)


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(qtbot, a_language_model(tmp_path))
    made.page.doings.press("write")
    yield made


def test_one_token_after_the_other(desk: Desk) -> None:
    """Each click writes one; the text shows it in another colour, the cards its numbers and the rows of the cache."""
    part = desk.page.writing
    first = part.bars.picture
    assert isinstance(first, Bars) and first.ids[0] == int(desk.trace["generator.logits"][-1].argmax())
    desk.click(part.one)
    assert isinstance(desk.sent[-1], WriteOn) and desk.sent[-1].most == 1 and not part.one.isEnabled()
    desk.answer()
    steps, cache, tree = part.steps.picture, part.cache.picture, part.tried.picture

    assert isinstance(steps, Timeline) and isinstance(cache, Strips) and isinstance(tree, Tree)
    assert steps.labels == (first.labels[0],)
    assert steps.probabilities[0] == pytest.approx(float(first.values[0]), rel=1e-5)
    recorded = desk.trace[f"decoder.layers.{desk.look.layer}.self_attn.key"][desk.look.head]
    np.testing.assert_allclose(cache.bands[0].values, recorded, atol=1e-5)
    assert [branch.label for branch in tree.branches] == list(steps.labels)
    assert part.written_text() in part.text.text() and part.one.isEnabled() != part.tree.ended


def test_writing_goes_on_until_it_is_stopped(desk: Desk) -> None:
    """What was written stays, and the engine is told that no more is wanted; a piece that comes too late is dropped."""
    part = desk.page.writing
    desk.click(part.all)
    errand = desk.sent[-1]
    assert errand.n_pieces == 10 and part.progress.isVisible() and part.all.text() == desk.words("writing.stop")
    n = desk.answer(2)
    if part.writing:  # It has not ended by itself.
        desk.click(part.all)
        assert desk.sent[-1].n_pieces == 0
    assert len(part.tree.written) == n and not part.progress.isVisible()
    late = desk.computer.piece(errand, n, lambda: False)
    part.bring(late)
    assert len(part.tree.written) == n


def test_another_word_begins_a_branch(desk: Desk) -> None:
    """Clicked among the candidates of a token; the tree has both, and a click in it goes back."""
    part = desk.page.writing
    desk.click(part.one)
    desk.answer()
    bars = part.bars.picture
    assert isinstance(bars, Bars)
    other = next(each for each in bars.ids if each != part.tree.ids[0] and each > 3)
    part.bars.view.chose.emit(other)
    desk.answer()
    assert part.tree.ids == (other,) and len(part.tree.tokens) == 2
    assert part.tree.written[0].forced
    tree = part.tried.picture
    assert isinstance(tree, Tree) and [branch.state for branch in tree.branches] == ["kept", "forced"]
    part.tried.view.chose.emit(0)
    assert part.tree.at == 0
    part.tried.view.chose.emit(-1)
    assert part.tree.written == () and part.written_text() == ""
    part.bars.view.chose.emit(other)  # The same word again is the branch that is there.
    desk.answer()
    assert len(part.tree.tokens) == 2
    part.steps.view.stepped.emit(0)
    assert part.chosen == 0


def test_drawing_has_a_seed_that_goes_on(desk: Desk) -> None:
    """The controls of sampling are there only then; the Look's numbers are those that are sent."""
    part = desk.page.writing
    assert not part.sampling.isVisible() and not part.again.isVisible()
    desk.page.writing.how.press("drawn")
    part.most.press("30")
    assert part.sampling.isVisible() and part.again.isVisible()
    desk.look = Look(sampling_temperature=2.0, top_k=5, top_p=0.9).fitted(desk.trace)
    desk.draw()
    desk.click(part.again)
    errand = desk.sent[-1]
    assert isinstance(errand, WriteOn) and errand.most == 30
    assert (errand.sampling.temperature, errand.sampling.top_k, errand.sampling.top_p) == (2.0, 5, 0.9)
    assert errand.sampling.seed == 1
    desk.answer(3)
    assert any(token.cut.any() for token in part.tree.written)


def test_what_was_written_is_taken_into_the_text(desk: Desk) -> None:
    """Behind what was typed; another text begins anew."""
    part = desk.page.writing
    assert not part.take.isEnabled()
    desk.click(part.one)
    desk.answer()
    if part.written_text():
        desk.click(part.take)
        taken = [each for each in desk.wished if isinstance(each, TakeSentence)]
        assert taken[-1].text == TEXT + part.written_text()
    desk.page.put(Wish.from_preset(desk.wish.preset, "猫"))
    assert part.tree.tokens == ()


def test_what_cannot_be_written_is_said(desk: Desk) -> None:
    """In a sentence below the text."""
    part = desk.page.writing
    desk.click(part.one)
    part.bring(Brought(part.errand, 0, TooLong(limit=24, got=25)))

    assert "25" in part.text.text() and not part.writing
    assert part.one.isEnabled()


def test_reading_is_as_before_and_other_models_have_no_switch(desk: Desk, tmp_path: Path) -> None:
    """The switch is there for a trained language model alone."""
    assert desk.page.doings.isVisible() and not desk.page.reading.isVisible()
    desk.page.doings.press("read")
    assert desk.page.reading.isVisible() and desk.page.steps.isVisible() and not desk.page.writing.isVisible()
    desk.page.doings.press("write")
    desk.page.set_theme(DARK)
    desk.trace = desk.computer(Request.from_preset("tiny", TEXT, architecture="decoder-only")).trace
    desk.look = Look().fitted(desk.trace)
    desk.draw()
    assert not desk.page.doings.isVisible() and desk.page.steps.isVisible()


def test_typed_text_is_no_markup() -> None:
    """It is shown as it is."""
    assert continued("a<b", "c&\nd", "#f00") == 'a&lt;b<span style="color:#f00">c&amp;<br>d</span>'
