"""The reading of a parameter: in pieces, cancelled, refused, and of a model without circuits."""

from collections.abc import Callable

import attrs
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.pages.inspector_page import InspectorPage
from explorer.engine.compute import Computer
from explorer.engine.errand import Brought, Errand, ListParameters, ReadParameter
from explorer.errors import BadWeights
from explorer.lang import Words
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.found.parameters import Parameter, ParameterList, slabs
from explorer.trace.trace import Trace

TEXT = "我爱北京"
WORDS = Words.load("en")
LARGE = Parameter("large.weight", (4096, 2048), ("out", "in"), "float32")


class Desk:
    """A page of tensors that shows parameters; its errands wait until the test does them."""

    def __init__(self, qtbot: QtBot, tensors: str = "parameters") -> None:
        self.qtbot, self.computer, self.sent = qtbot, Computer(), list[Errand]()
        self.trace, self.look = explorer.explore(TEXT, preset="tiny"), Look(tensors=tensors)
        self.page = InspectorPage()
        self.page.sent.connect(self.sent.append)
        self.page.speak(WORDS)
        self.page.resize(1300, 700)
        qtbot.addWidget(self.page)
        with qtbot.waitExposed(self.page):
            self.page.show()
        self.page.put(Wish.from_preset("tiny", TEXT))
        self.draw()

    def draw(self, trace: Trace | None = None, **look: str) -> None:
        """Another pass, or another Look, is drawn."""
        self.trace, self.look = trace or self.trace, attrs.evolve(self.look, **look)
        self.page.draw(self.trace, self.look.fitted(self.trace), WORDS)

    def last(self, kind: type[Errand]) -> Errand:
        return [each for each in self.sent if isinstance(each, kind)][-1]

    def list(self, found: ParameterList | None = None) -> None:
        """The list comes: that of the model, or another one."""
        errand = self.last(ListParameters)
        brought = self.computer.piece(errand, 0, lambda: False) if found is None else Brought(errand, 0, found)
        self.page.bring(brought)

    def read(self, n: int | None = None) -> None:
        """The first pieces of the parameter come, or all."""
        errand = self.last(ReadParameter)
        for number in range(errand.n_pieces if n is None else n):
            self.page.bring(self.computer.piece(errand, number, lambda: False))

    @property
    def said(self) -> str:
        return self.page.part.map.note.text()


@pytest.fixture
def desk(qtbot: QtBot) -> Callable[..., Desk]:
    return lambda *arguments: Desk(qtbot, *arguments)


def test_what_takes_long_shows_its_progress_and_is_cancelled(desk: Callable[..., Desk]) -> None:
    """By the button or by Escape, for good: another pass does not begin again. The button then reads it."""
    at = desk()
    at.list(ParameterList((LARGE,)))
    first = at.last(ReadParameter)
    assert first.n_pieces == 2 * len(slabs(LARGE)) > 4
    assert not at.page.part.reading.isVisible()
    at.page.bring(Brought(first, 0, None))
    assert at.page.part.progress.isVisible() and at.page.part.progress.value() > 0
    at.qtbot.mouseClick(at.page.part.button, Qt.MouseButton.LeftButton)
    assert at.last(ReadParameter) == ReadParameter()
    assert at.said == WORDS("parameters.cancelled") and not at.page.part.progress.isVisible()
    at.draw(explorer.explore(TEXT, preset="tiny"))
    at.list(ParameterList((LARGE,)))
    assert at.last(ReadParameter) == ReadParameter()

    at.qtbot.mouseClick(at.page.part.button, Qt.MouseButton.LeftButton)
    again = at.last(ReadParameter)
    assert isinstance(again, ReadParameter) and again.parameter == LARGE
    at.page.bring(Brought(again, 0, None))
    assert at.page.let_go()  # Escape.
    assert at.last(ReadParameter) == ReadParameter()
    assert not at.page.let_go()


def test_what_cannot_be_read_is_said_and_not_asked_for_again(desk: Callable[..., Desk]) -> None:
    """Until somebody asks; another parameter is read as usual."""
    at = desk()
    at.list()
    before = at.last(ReadParameter)
    at.page.bring(Brought(before, 0, BadWeights(path="x", reason="?")))
    n_sent = sum(isinstance(each, ReadParameter) for each in at.sent)
    assert "x" in at.said and at.last(ReadParameter) == ReadParameter()
    at.draw()
    assert sum(isinstance(each, ReadParameter) for each in at.sent) == n_sent

    name = "encoder.layers.0.self_attn.project_key.weight"
    at.draw(parameter=name)
    at.read()
    assert at.page.part.map.picture is not None and at.page.part.map.picture.caption.tap == name


def test_a_model_without_circuits_says_why(desk: Callable[..., Desk]) -> None:
    """In place of pictures that would never come."""
    at = desk("circuits")
    at.list(ParameterList((LARGE,), "parameters.no_circuits"))
    assert at.page.without.isVisible() and at.page.without.text() == WORDS("parameters.no_circuits")
    assert not at.page.part.map.isVisible() and not at.page.part.curve.isVisible()
    assert not at.page.awaits


def test_what_is_read_is_of_the_model_that_was_listed(desk: Callable[..., Desk]) -> None:
    """Though another preset is already wished for: its parameters have other names."""
    at = desk()
    at.list()
    at.page.put(Wish.from_preset("tutorial-d", TEXT))
    at.draw(parameter="encoder.layers.1.self_attn.project_key.bias")
    errand = at.last(ReadParameter)
    assert isinstance(errand, ReadParameter) and errand.wish is not None and errand.wish.preset == "tiny"
    at.read()
    assert at.page.part.map.picture is not None


def test_a_piece_that_gave_way_is_made_anew(desk: Callable[..., Desk]) -> None:
    """The reading of a matrix can begin in the middle: the pieces before are read again."""
    at = desk()
    at.list()
    errand = at.last(ReadParameter)
    other = Computer().piece(errand, errand.n_pieces - 1, lambda: False)
    at.page.bring(other)
    assert at.page.part.map.picture is not None
