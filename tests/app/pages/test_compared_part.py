"""Comparing behind the frames: piece by piece, cancelled and begun again, refused, and no more than is needed."""

import attrs
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.pages.compare_page import ComparePage
from explorer.engine.compute import Computer
from explorer.engine.errand import Brought, ComparePasses, CompareWeights, Errand, ListWeights
from explorer.errors import BadWeights
from explorer.lang import Words
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace

WORDS = Words.load("en")
KNOBS = {"n_layers": 1, "n_heads": 2}


class Desk:
    """A page that compares two passes of other seeds; its errands wait until the test does them."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot, self.computer, self.sent = qtbot, Computer(), list[Errand]()
        self.page = ComparePage()
        self.part = self.page.part
        self.page.sent.connect(self.sent.append)
        self.page.speak(WORDS)
        self.page.resize(1200, 900)
        qtbot.addWidget(self.page)
        with qtbot.waitExposed(self.page):
            self.page.show()
        self.draw("我爱北京")

    def draw(self, text: str, **other: int) -> None:
        """A pass over another text, beside one with other knobs."""
        wish = Wish.from_preset("tiny", text, **KNOBS)
        turned = {"seed": 1, **other}
        self.page.put(attrs.evolve(wish, compared_with=Wish.from_preset("tiny", text, **KNOBS, **turned)))
        passes = [explorer.explore(text, preset="tiny", **KNOBS, **knobs) for knobs in ({}, turned)]
        trace: Trace = attrs.evolve(passes[0], compared_with=passes[1])
        self.page.draw(trace, Look().fitted(trace), WORDS)

    def of_kind(self, kind: type[Errand]) -> list[Errand]:
        return [each for each in self.sent if isinstance(each, kind) and each.n_pieces]

    def do(self, kind: type[Errand], n: int | None = None) -> None:
        """The first pieces of the last errand of a kind come, or all."""
        errand = self.of_kind(kind)[-1]
        for number in range(errand.n_pieces if n is None else n):
            self.page.bring(self.computer.piece(errand, number, lambda: False))

    def do_all(self) -> None:
        for kind in (ComparePasses, ListWeights, CompareWeights):
            self.do(kind)


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def test_cards_are_drawn_when_all_pieces_are_there(desk: Desk) -> None:
    """Before, they say that they are computing; at last nothing is awaited."""
    assert desk.page.awaits and not desk.part.heads.isHidden()
    desk.do(ComparePasses, 2)
    assert desk.part.heads.picture is None
    desk.do_all()
    assert all(card.picture is not None for card in (desk.part.heads, desk.part.words, desk.part.weights))
    assert not desk.page.awaits and desk.part.progress.isHidden()


def test_another_text_compares_the_passes_anew_and_not_the_weights(desk: Desk) -> None:
    """Nor does a knob of the pass; another seed does."""
    desk.do_all()
    desk.draw("我爱上海")
    assert (len(desk.of_kind(ComparePasses)), len(desk.of_kind(ListWeights))) == (2, 1)
    desk.draw("我爱上海", temperature=2)
    assert (len(desk.of_kind(ComparePasses)), len(desk.of_kind(ListWeights))) == (3, 1)
    assert desk.part.weights.picture is not None
    desk.draw("我爱上海", seed=2)
    assert len(desk.of_kind(ListWeights)) == 2


def test_what_takes_long_shows_how_far_it_is_and_is_cancelled(desk: Desk) -> None:
    """The bar comes after a while and moves; Escape or the button ends it, and the button begins it again."""
    desk.do(ComparePasses)
    desk.do(ListWeights)
    desk.qtbot.waitUntil(lambda: not desk.part.progress.isHidden())
    desk.do(CompareWeights, 5)
    n = desk.of_kind(CompareWeights)[-1].n_pieces
    assert desk.part.progress.progress.value() == 1000 * 5 // n
    assert desk.page.let_go()
    assert not desk.page.awaits and isinstance(desk.sent[-1], CompareWeights) and not desk.sent[-1].n_pieces
    assert desk.part.weights.note.text() == WORDS("compare.cancelled")
    assert desk.part.heads.picture is not None
    assert not desk.page.let_go()

    desk.qtbot.mouseClick(desk.part.progress.button, Qt.MouseButton.LeftButton)
    assert desk.page.awaits
    desk.do_all()
    assert desk.part.weights.picture is not None and desk.part.progress.isHidden()


def test_weights_that_cannot_be_read_say_why(desk: Desk) -> None:
    """In the place of their picture; the heads stay."""
    desk.do(ComparePasses)
    desk.do(ListWeights)
    error = BadWeights(path="model.safetensors", reason="damaged")
    desk.page.bring(Brought(desk.of_kind(CompareWeights)[-1], 0, error))
    assert desk.part.weights.note.text() == WORDS.error(error)
    assert desk.part.heads.picture is not None and not desk.page.awaits


def test_a_hidden_page_asks_for_nothing_more(desk: Desk) -> None:
    """What it had asked for ends, and without a pinned state there are no cards."""
    desk.page.forget()
    assert not desk.page.awaits and not desk.sent[-1].n_pieces
    wish = Wish.from_preset("tiny", "我爱北京")
    desk.page.put(wish)
    trace = explorer.explore("我爱北京", preset="tiny")
    desk.page.draw(trace, Look().fitted(trace), WORDS)
    assert desk.part.heads.isHidden() and desk.part.words.isHidden() and desk.part.weights.isHidden()
    assert not desk.page.awaits
