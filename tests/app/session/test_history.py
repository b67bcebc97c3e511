"""Undo and redo without a window."""

import attrs
import pytest

from explorer.app.session.history import History
from explorer.state.intents import SetKnob, SetText, look_at
from explorer.state.lesson_place import LessonPlace
from explorer.state.state import State


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
    return History(State.from_preset("tiny"), clock)


def _type(history: History, clock: Clock, text: str, pause_s: float) -> None:
    clock.now_s += pause_s
    history.add(SetText(text).applied(history.now, None), "text")


def test_a_word_typed_quickly_is_one_step(history: History, clock: Clock) -> None:
    """Letters in quick succession are undone together, a pause begins a new step."""
    for text, pause_s in (("a", 5), ("ab", 0.1), ("abc", 0.1), ("abc d", 5)):
        _type(history, clock, text, pause_s)

    assert "abc" == history.undo().wish.text
    assert "我爱北京天安门" == history.undo().wish.text
    assert not history.can_undo


def test_another_kind_is_another_step(history: History, clock: Clock) -> None:
    """A knob turned right after typing is undone by itself."""
    _type(history, clock, "a", 5)
    history.add(SetKnob("seed", 3).applied(history.now, None), "knob seed")

    assert (0, "a") == (history.undo().wish.config.seed, history.now.wish.text)


def test_a_new_wish_forgets_what_was_undone(history: History, clock: Clock) -> None:
    """After undo and a new change there is nothing to redo."""
    _type(history, clock, "a", 5)
    history.undo()
    assert history.can_redo
    _type(history, clock, "b", 5)

    assert not history.can_redo
    assert "b" == history.redo().wish.text


def test_typing_right_after_undo_does_not_eat_a_step(history: History, clock: Clock) -> None:
    """The request that undo went back to stays in the line of time."""
    _type(history, clock, "a", 5)
    _type(history, clock, "b", 5)
    history.undo()
    _type(history, clock, "c", 0.1)

    assert "a" == history.undo().wish.text


def test_the_line_of_time_has_an_end(history: History, clock: Clock) -> None:
    """Five hundred steps are kept, and the newest is where one stands."""
    for number in range(700):
        _type(history, clock, f"{number}", 5)

    assert "699" == history.now.wish.text
    steps = 0
    while history.can_undo:
        history.undo()
        steps += 1
    assert 499 == steps


def test_texts_that_would_fill_the_memory_are_forgotten_from_the_oldest_on(history: History, clock: Clock) -> None:
    """Four million characters stay, and always one step back, also from a text that is longer than that."""
    for number in range(60):
        _type(history, clock, f"{number:02}" + "天" * 99_998, 5)
    assert history.now.wish.text.startswith("59")
    steps = 0
    while history.can_undo:
        history.undo()
        steps += 1
    assert steps == 2**22 // 100_000 - 1

    _type(history, clock, "地" * 5_000_000, 5)
    _type(history, clock, "玄" * 5_000_000, 5)
    assert history.undo().wish.text[0] == "地"
    assert not history.can_undo


def test_steps_that_share_a_text_cost_one(history: History, clock: Clock) -> None:
    """A slider that was moved a hundred times beside a long text is a hundred steps."""
    _type(history, clock, "天" * 1_000_000, 5)
    for number in range(100):
        history.add(SetKnob("seed", number + 1).applied(history.now, None), "")
    for _ in range(100):
        history.undo()
    assert history.now.wish.config.seed == 0
    assert len(history.now.wish.text) == 1_000_000


def test_undo_leaves_alone_what_is_looked_at(history: History, clock: Clock) -> None:
    """A page or a head that was chosen since is no step, and stays."""
    _type(history, clock, "a", 5)
    history.look(attrs.evolve(look_at(head=3).applied(history.now, None), page="attention"))

    assert ("我爱北京天安门", 3, "attention") == (history.undo().wish.text, history.now.look.head, history.now.page)
    assert ("a", 3) == (history.redo().wish.text, history.now.look.head)


def test_the_place_in_the_lessons_goes_with_the_step_that_led_there(history: History, clock: Clock) -> None:
    """A text that was typed in a lesson is undone within it; one step more, and the lesson is at the step before."""
    first, second = LessonPlace(key="a1"), LessonPlace(key="a1", step=1)
    history.look(attrs.evolve(history.now, lesson=first))
    history.add(attrs.evolve(SetText("一").applied(history.now, None), lesson=second), "")
    _type(history, clock, "二", 5)

    assert (second, "一") == (history.undo().lesson, history.now.wish.text)
    assert first == history.undo().lesson
    assert second == history.redo().lesson
    assert second == history.redo().lesson


def test_a_lesson_stays_at_a_step_that_was_refused(history: History) -> None:
    """What it was to set up is taken back, and it says why."""
    place = LessonPlace(key="a1", step=1)
    history.add(attrs.evolve(SetText("一").applied(history.now, None), lesson=place), "")

    assert (place, "我爱北京天安门") == (history.take_back().lesson, history.now.wish.text)


def test_undo_of_a_lessons_step_goes_back_to_its_page(history: History, clock: Clock) -> None:
    """What moved with the step moves back with it, and forth again."""
    history.look(attrs.evolve(history.now, page="tokens"))
    there = attrs.evolve(SetText("一").applied(history.now, None), page="masks")
    history.add(attrs.evolve(there, look=attrs.evolve(there.look, layer=1)), "")

    assert ("tokens", 0) == (history.undo().page, history.now.look.layer)
    assert ("masks", 1) == (history.redo().page, history.now.look.layer)


def test_how_tokens_are_drawn_is_a_step_of_its_own(history: History, clock: Clock) -> None:
    """Undo takes it back and leaves what is looked at; redo brings it again. Quick ones of one field are one step."""

    def draw(pause_s: float, **fields: object) -> None:
        clock.now_s += pause_s
        intent = look_at(**fields)
        history.add(intent.applied(history.now, None), intent.gesture)

    def looked() -> tuple[float, int, int]:
        look = history.now.look
        return look.sampling_temperature, look.top_k, look.head

    _type(history, clock, "a", 5)
    draw(5, sampling_temperature=1.5)
    draw(0.1, sampling_temperature=2.0)
    draw(0.1, top_k=3)
    history.look(look_at(head=2).applied(history.now, None))
    history.undo()
    assert looked() == (2.0, 0, 2)
    history.undo()
    assert looked() == (1.0, 0, 2) and history.now.wish.text == "a"
    history.undo()
    assert looked() == (1.0, 0, 2) and history.now.wish.text != "a"
    for expected in ((1.0, 0, 2), (2.0, 0, 2), (2.0, 3, 2)):
        history.redo()
        assert looked() == expected
    assert len(history.past) == 2  # the first State and the typed one: what was computed
