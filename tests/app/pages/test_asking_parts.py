"""What the output page asks of masked and of sentence models: live, given up for the next text, refused in a sentence."""

from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.pages.output_page import OutputPage
from explorer.engine import hiding
from explorer.engine.compute import Computer
from explorer.engine.errand import Brought, CompareTexts, Errand, HideEach
from explorer.engine.request import Request
from explorer.errors import TooLong
from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Bars, Heatmap
from explorer.state.look import Look
from explorer.state.sentences_beside import SUGGESTED
from explorer.state.wish import Wish
from tests.foreign.models import write_model

TEXT = "the fox loves the dogs"
pytestmark = pytest.mark.slow  # To import transformers takes seconds.
Folder = Callable[[str], Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The folder of a family's tiny model."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = write_model(tmp_path_factory.mktemp("asked") / name.replace(" ", "-"), name)
        return made[name]

    return of


class Desk:
    """An output page of a model, and a Computer that does its errands."""

    def __init__(self, qtbot: QtBot, preset: Path) -> None:
        self.preset, self.computer = str(preset), Computer()
        self.page, self.words = OutputPage(), Words.load("en")
        self.sent: list[Errand] = []
        self.page.sent.connect(self.sent.append)
        self.page.wished.connect(lambda _intent: self.draw())
        qtbot.addWidget(self.page)
        self.page.resize(1200, 900)
        self.page.show()
        self.page.speak(self.words)
        self.type(TEXT)

    def type(self, text: str) -> None:
        self.wish = Wish.from_preset(self.preset, text)
        self.trace = self.computer(Request(wish=self.wish)).trace
        self.page.put(self.wish)
        self.draw()

    def draw(self) -> None:
        self.page.draw(self.trace, Look().fitted(self.trace), self.words)

    def answer(self, errand: Errand | None = None) -> None:
        """Do the errand that was sent last, as the worker does."""
        errand = errand or self.sent[-1]
        self.page.bring(self.computer.piece(errand, 0, lambda: False))


def test_hidden_tokens_are_asked_for_with_each_text(qtbot: QtBot, folder: Folder) -> None:
    """One errand a text; an answer that comes too late is dropped, and the last picture stays until the next is there."""
    desk = Desk(qtbot, folder("bert"))
    part = desk.page.cloze
    assert desk.sent == [HideEach(wish=desk.wish)] and not part.steps.isVisible() and part.told.isVisible()
    desk.draw()
    assert len(desk.sent) == 1
    late = desk.sent[0]
    desk.type("the dog and the fox")
    assert desk.sent[1:] == [HideEach(), HideEach(wish=desk.wish)]
    desk.answer(late)
    assert part.found is None
    desk.answer()
    found, steps = explorer.cloze("the dog and the fox", folder("bert")), part.steps.picture
    assert isinstance(steps, Timeline) and steps.labels == found.tokens and not part.told.isVisible()
    np.testing.assert_allclose(steps.log_p, found.log_p, atol=1e-5)
    assert steps.chosen == int(np.argmin(found.log_p))
    desk.type("the dog and the dog")
    assert part.steps.picture is steps and part.steps.isVisible()


def test_a_click_chooses_the_hidden_token(qtbot: QtBot, folder: Folder) -> None:
    """So does an arrow key; the bars are those of its place, and a shorter text has a last one."""
    desk = Desk(qtbot, folder("bert"))
    desk.answer()
    part, found = desk.page.cloze, desk.page.cloze.found
    assert found is not None
    part.steps.view.stepped.emit(1)
    qtbot.keyClick(part.steps.view, Qt.Key.Key_Right)
    bars = part.bars.picture
    assert isinstance(bars, Bars) and part.chosen == 2
    assert bars.labels[0] == found.names[int(found.candidates[2, 0])]
    np.testing.assert_allclose(bars.values[:20], found.probabilities[2], atol=1e-6)
    desk.type("the")
    desk.answer()
    steps = part.steps.picture
    assert isinstance(steps, Timeline) and (steps.labels, steps.chosen) == (("the",), 0)
    desk.page.doings.press("read")
    assert desk.page.steps.isVisible() and not part.isVisible()
    desk.page.doings.press("hide")
    assert part.isVisible() and not desk.page.map.isVisible()


def test_what_cannot_be_asked_is_said(qtbot: QtBot, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a sentence, in place of the cards; the next text is asked for again."""
    desk = Desk(qtbot, folder("bert"))
    part = desk.page.cloze
    desk.page.bring(Brought(desk.sent[-1], 0, TooLong(limit=24, got=25)))
    assert "25" in part.told.text() and not part.steps.isVisible()
    desk.type("the dog")
    desk.answer()
    assert part.steps.isVisible() and not part.told.isVisible()
    monkeypatch.setattr(hiding, "_MOST_SECONDS", 0.0)
    desk.type("the dog and the fox")
    desk.answer()
    assert "7 tokens" in part.told.text() and "explorer.cloze" in part.told.text() and not part.steps.isVisible()
    assert len(explorer.cloze("the dog and the fox", folder("bert")).tokens) == 5  # Who asks for it waits for it.


def test_sentences_are_compared_with_the_typed_one(qtbot: QtBot, folder: Folder) -> None:
    """The suggested ones until others are typed; the map has the library's cosines on the scale from −1 to 1."""
    preset = folder("bert without an output")
    desk = Desk(qtbot, preset)
    part = desk.page.similarity
    assert desk.page.lacks(desk.trace) == "" and not desk.page.doings.isVisible() and not desk.page.reading.isVisible()
    assert desk.sent == [CompareTexts(wish=desk.wish, texts=(TEXT, *SUGGESTED))]
    part.box.setPlainText("the dog\n\nunable")
    desk.answer()
    made = part.map.picture
    assert isinstance(made, Heatmap) and (made.scale.low, made.scale.high) == (-1, 1)
    np.testing.assert_allclose(made.values, explorer.similar([TEXT, "the dog", "unable"], preset).cosines, atol=1e-5)
    assert made.rows.labels == (TEXT, "the dog", "unable") and made.caption.note in part.map.note.text()
    desk.page.put(attrs.evolve(desk.wish, preset=str(folder("bert"))))
    desk.draw()
    assert not part.map.isVisible() and len(desk.sent) == 3  # The Trace on screen is still that of the other model.
