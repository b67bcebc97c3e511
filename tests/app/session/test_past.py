"""The last States, which undo does not forget."""

import attrs
import pytest

from explorer.app.session.history import History
from explorer.app.session.past import MOST
from explorer.state.intents import Intent, SetKnob, SetText, look_at
from explorer.state.state import State


class Clocks:
    """The clock of gestures and that of the wall, which stand until they are moved."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def history(clocks: Clocks) -> History:
    return History(State.from_preset("tiny"), clocks, clocks)


def do(history: History, clocks: Clocks, intent: Intent, pause_s: float = 5) -> None:
    clocks.now_s += pause_s
    history.add(intent.applied(history.now, None), intent.gesture)


def texts(history: History) -> list[str]:
    return [entry.state.wish.text for entry in history.past]


def test_the_newest_state_stands_first(history: History, clocks: Clocks) -> None:
    """With the Wish that it came of, and the time; the first one came of nothing."""
    first = history.now.wish
    do(history, clocks, SetText("狗"))
    do(history, clocks, SetKnob("seed", 3))

    assert [(entry.before, entry.at_s) for entry in history.past] == [
        (attrs.evolve(history.now.wish, config=first.config), 110),
        (first, 105),
        (None, 100),
    ]


def test_a_word_typed_quickly_is_one_entry(history: History, clocks: Clocks) -> None:
    """Letter by letter it takes its own place, and what it came of stays."""
    first = history.now.wish
    for text in ("a", "ab", "abc"):
        do(history, clocks, SetText(text), 0.1)

    assert texts(history) == ["abc", first.text]
    assert history.past[0].before == first


def test_what_undo_drops_stays(history: History, clocks: Clocks) -> None:
    """Undone and then something else done: undo has forgotten the sentence, the list has not."""
    for text in ("a", "b"):
        do(history, clocks, SetText(text))
    history.undo()
    do(history, clocks, SetText("c"))

    assert not history.can_redo
    assert texts(history)[:3] == ["c", "b", "a"]


def test_a_state_set_up_anew_is_there_once(history: History, clocks: Clocks) -> None:
    """It moves to the front; a Look makes no entry."""
    for text in ("a", "b", "a"):
        do(history, clocks, SetText(text))
    history.look(look_at(head=1).applied(history.now, None))

    assert texts(history)[:2] == ["a", "b"] and len(history.past) == 3


def test_there_are_twenty_at_most(history: History, clocks: Clocks) -> None:
    """The oldest is forgotten first."""
    for number in range(30):
        do(history, clocks, SetText(str(number)))

    assert texts(history) == [str(number) for number in range(29, 29 - MOST, -1)]
    assert MOST == 20


def test_a_state_that_was_refused_is_not_offered(history: History, clocks: Clocks) -> None:
    """Neither one step nor all those with a model that cannot be opened."""
    do(history, clocks, SetText("a"))
    do(history, clocks, SetText("b"))
    history.take_back()
    assert texts(history)[0] == "a"
    for text in ("c", "d"):
        gone = attrs.evolve(history.now, wish=attrs.evolve(history.now.wish, preset="gone", text=text))
        clocks.now_s += 5
        history.add(gone, "")
    history.leave("gone")
    assert [entry.state.wish.preset for entry in history.past] == ["tiny", "tiny"]
