"""Undo and redo without a window."""

import attrs
import pytest

from explorer.app.session.history import History
from explorer.engine.request import Request


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def history(clock: Clock) -> History:
    return History(Request.from_preset("tiny"), clock)


def _type(history: History, clock: Clock, text: str, pause_s: float) -> None:
    clock.now_s += pause_s
    history.add(attrs.evolve(history.now, text=text), "text")


def test_a_word_typed_quickly_is_one_step(history: History, clock: Clock) -> None:
    """Letters in quick succession are undone together, a pause begins a new step."""
    for text, pause_s in (("a", 5), ("ab", 0.1), ("abc", 0.1), ("abc d", 5)):
        _type(history, clock, text, pause_s)

    assert "abc" == history.undo().text
    assert "我爱北京天安门" == history.undo().text
    assert not history.can_undo


def test_another_kind_is_another_step(history: History, clock: Clock) -> None:
    """A knob turned right after typing is undone by itself."""
    _type(history, clock, "a", 5)
    history.add(attrs.evolve(history.now, config=history.now.config.changed(seed=3)), "knob seed")

    assert (0, "a") == (history.undo().config.seed, history.now.text)


def test_a_new_wish_forgets_what_was_undone(history: History, clock: Clock) -> None:
    """After undo and a new change there is nothing to redo."""
    _type(history, clock, "a", 5)
    history.undo()
    assert history.can_redo
    _type(history, clock, "b", 5)

    assert not history.can_redo
    assert "b" == history.redo().text


def test_typing_right_after_undo_does_not_eat_a_step(history: History, clock: Clock) -> None:
    """The request that undo went back to stays in the line of time."""
    _type(history, clock, "a", 5)
    _type(history, clock, "b", 5)
    history.undo()
    _type(history, clock, "c", 0.1)

    assert "a" == history.undo().text


def test_the_line_of_time_has_an_end(history: History, clock: Clock) -> None:
    """Five hundred steps are kept, and the newest is where one stands."""
    for number in range(700):
        _type(history, clock, f"{number}", 5)

    assert "699" == history.now.text
    steps = 0
    while history.can_undo:
        history.undo()
        steps += 1
    assert 499 == steps
