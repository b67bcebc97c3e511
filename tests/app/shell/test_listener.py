"""The picture is dimmed while another model is built, and only then."""

import attrs
import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from explorer.app.shell.listener import Pending
from explorer.state.intents import SetKnob
from explorer.state.state import State
from explorer.state.wish import Wish
from tests.app.shell.opening import Make, Opened

WISH = Wish.from_preset("translator")


@pytest.fixture
def pending(qapp: QObject) -> Pending:
    return Pending(qapp)


@pytest.mark.parametrize(
    "other",
    [attrs.evolve(WISH, trained=False), attrs.evolve(WISH, config=WISH.config.changed(n_layers=1)), Wish.from_preset("tiny")],
    ids=["random weights", "another shape", "another preset"],
)
def test_another_model_dims_until_it_has_answered(pending: Pending, other: Wish, qtbot: QtBot) -> None:
    """After a moment; an answer of the old model in between changes nothing."""
    with qtbot.waitSignal(pending.changed) as changed:
        pending.asked(other, WISH)
    assert changed.args == [True] and pending.dimmed
    pending.answered(WISH, other)
    assert pending.dimmed
    with qtbot.waitSignal(pending.changed) as changed:
        pending.answered(other, other)
    assert changed.args == [False] and not pending.dimmed


@pytest.mark.parametrize(
    "other",
    [attrs.evolve(WISH, text="你好"), attrs.evolve(WISH, config=WISH.config.changed(temperature=2.0))],
    ids=["text", "pass"],
)
def test_the_same_model_dims_nothing(pending: Pending, other: Wish) -> None:
    """Nothing is waited for, so nothing can flicker; nor before the first answer."""
    for shown in (WISH, None):
        pending.asked(other, shown)
        assert not pending.waits and not pending.dimmed


def test_a_model_that_is_there_at_once_dims_nothing(pending: Pending, qtbot: QtBot) -> None:
    """An answer before the moment is over ends the waiting."""
    other = attrs.evolve(WISH, trained=False)
    pending.asked(other, WISH)
    assert pending.waits
    with qtbot.assertNotEmitted(pending.changed):
        pending.answered(other, other)
    assert not pending.waits


def test_the_window_dims_and_clears(make: Make, qtbot: QtBot) -> None:
    """The page under its veil and the tokens faded, until the frame of the new model is drawn."""
    opened: Opened = make(attrs.evolve(State.from_preset("tiny"), page="masks"))
    opened.show_frame()
    window = opened.window
    opened.session.ask(SetKnob("n_layers", 3))
    qtbot.waitUntil(lambda: window.page_stack.is_stale)
    assert window.sentences.source_row.is_stale
    opened.show_frame()
    assert not window.page_stack.is_stale and not window.sentences.source_row.is_stale
