"""Undo and redo without a window, and the last States, which undo does not forget."""

import attrs
import pytest

from explorer.app.session.history import MOST_PAST, History, Instant
from explorer.state.intents import Intent, SetKnob, SetText, look_at
from explorer.state.state import LessonPlace, State


class Line:
    """A history along which a test goes, and a clock, which stands until it is moved."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.history = History.beginning(State.from_preset("tiny"), self.at)

    @property
    def at(self) -> Instant:
        return Instant(self.now_s, self.now_s)

    @property
    def now(self) -> State:
        return self.history.now

    def add(self, state: State, gesture: str) -> None:
        self.history = self.history.added(state, gesture, self.at)

    def do(self, intent: Intent, pause_s: float = 5) -> None:
        self.now_s += pause_s
        self.add(intent.applied(self.now, None), intent.gesture)

    def type(self, text: str, pause_s: float) -> None:
        self.do(SetText(text), pause_s)

    def look(self, state: State) -> None:
        self.history = self.history.with_look(state)

    def undo(self) -> State:
        self.history = self.history.undone()
        return self.now

    def redo(self) -> State:
        self.history = self.history.redone()
        return self.now

    def take_back(self) -> State:
        self.history = self.history.taken_back()
        return self.now

    def leave(self, preset: str) -> State:
        self.history, first = self.history.left(preset)
        return first

    def texts(self) -> list[str]:
        """Those of the last States, newest first."""
        return [entry.state.wish.text for entry in self.history.past]


@pytest.fixture
def line() -> Line:
    return Line()


def test_a_word_typed_quickly_is_one_step(line: Line) -> None:
    """Letters in quick succession are undone together, a pause begins a new step."""
    for text, pause_s in (("a", 5), ("ab", 0.1), ("abc", 0.1), ("abc d", 5)):
        line.type(text, pause_s)

    assert "abc" == line.undo().wish.text
    assert "我爱北京天安门" == line.undo().wish.text
    assert not line.history.can_undo


def test_another_kind_is_another_step(line: Line) -> None:
    """A knob turned right after typing is undone by itself."""
    line.type("a", 5)
    line.add(SetKnob("seed", 3).applied(line.now, None), "knob seed")

    assert (0, "a") == (line.undo().wish.config.seed, line.now.wish.text)


def test_a_new_wish_forgets_what_was_undone(line: Line) -> None:
    """After undo and a new change there is nothing to redo."""
    line.type("a", 5)
    line.undo()
    assert line.history.can_redo
    line.type("b", 5)

    assert not line.history.can_redo
    assert "b" == line.redo().wish.text


def test_typing_right_after_undo_does_not_eat_a_step(line: Line) -> None:
    """The request that undo went back to stays in the line of time."""
    line.type("a", 5)
    line.type("b", 5)
    line.undo()
    line.type("c", 0.1)

    assert "a" == line.undo().wish.text


def test_the_line_of_time_has_an_end(line: Line) -> None:
    """Five hundred steps are kept, and the newest is where one stands."""
    for number in range(700):
        line.type(f"{number}", 5)

    assert "699" == line.now.wish.text
    steps = 0
    while line.history.can_undo:
        line.undo()
        steps += 1
    assert 499 == steps


def test_texts_that_would_fill_the_memory_are_forgotten_from_the_oldest_on(line: Line) -> None:
    """Four million characters stay, and always one step back, also from a text that is longer than that."""
    for number in range(60):
        line.type(f"{number:02}" + "天" * 99_998, 5)
    assert line.now.wish.text.startswith("59")
    steps = 0
    while line.history.can_undo:
        line.undo()
        steps += 1
    assert steps == 2**22 // 100_000 - 1

    line.type("地" * 5_000_000, 5)
    line.type("玄" * 5_000_000, 5)
    assert line.undo().wish.text[0] == "地"
    assert not line.history.can_undo


def test_steps_that_share_a_text_cost_one(line: Line) -> None:
    """A slider that was moved a hundred times beside a long text is a hundred steps."""
    line.type("天" * 1_000_000, 5)
    for number in range(100):
        line.add(SetKnob("seed", number + 1).applied(line.now, None), "")
    for _ in range(100):
        line.undo()
    assert line.now.wish.config.seed == 0
    assert len(line.now.wish.text) == 1_000_000


def test_undo_leaves_alone_what_is_looked_at(line: Line) -> None:
    """A page or a head that was chosen since is no step, and stays."""
    line.type("a", 5)
    line.look(attrs.evolve(look_at(head=3).applied(line.now, None), page="attention"))

    assert ("我爱北京天安门", 3, "attention") == (line.undo().wish.text, line.now.look.head, line.now.page)
    assert ("a", 3) == (line.redo().wish.text, line.now.look.head)


def test_the_place_in_the_lessons_goes_with_the_step_that_led_there(line: Line) -> None:
    """A text that was typed in a lesson is undone within it; one step more, and the lesson is at the step before."""
    first, second = LessonPlace(key="a1"), LessonPlace(key="a1", step=1)
    line.look(attrs.evolve(line.now, lesson=first))
    line.add(attrs.evolve(SetText("一").applied(line.now, None), lesson=second), "")
    line.type("二", 5)

    assert (second, "一") == (line.undo().lesson, line.now.wish.text)
    assert first == line.undo().lesson
    assert second == line.redo().lesson
    assert second == line.redo().lesson


def test_a_lesson_stays_at_a_step_that_was_refused(line: Line) -> None:
    """What it was to set up is taken back, and it says why."""
    place = LessonPlace(key="a1", step=1)
    line.add(attrs.evolve(SetText("一").applied(line.now, None), lesson=place), "")

    assert (place, "我爱北京天安门") == (line.take_back().lesson, line.now.wish.text)


def test_undo_of_a_lessons_step_goes_back_to_its_page(line: Line) -> None:
    """What moved with the step moves back with it, and forth again."""
    line.look(attrs.evolve(line.now, page="tokens"))
    there = attrs.evolve(SetText("一").applied(line.now, None), page="masks")
    line.add(attrs.evolve(there, look=attrs.evolve(there.look, layer=1)), "")

    assert ("tokens", 0) == (line.undo().page, line.now.look.layer)
    assert ("masks", 1) == (line.redo().page, line.now.look.layer)


def test_how_tokens_are_drawn_is_a_step_of_its_own(line: Line) -> None:
    """Undo takes it back and leaves what is looked at; redo brings it again. Quick ones of one field are one step."""

    def draw(pause_s: float, **fields: object) -> None:
        line.do(look_at(**fields), pause_s)

    def looked() -> tuple[float, int, int]:
        look = line.now.look
        return look.sampling_temperature, look.top_k, look.head

    line.type("a", 5)
    draw(5, sampling_temperature=1.5)
    draw(0.1, sampling_temperature=2.0)
    draw(0.1, top_k=3)
    line.look(look_at(head=2).applied(line.now, None))
    line.undo()
    assert looked() == (2.0, 0, 2)
    line.undo()
    assert looked() == (1.0, 0, 2) and line.now.wish.text == "a"
    line.undo()
    assert looked() == (1.0, 0, 2) and line.now.wish.text != "a"
    for expected in ((1.0, 0, 2), (2.0, 0, 2), (2.0, 3, 2)):
        line.redo()
        assert looked() == expected
    assert len(line.history.past) == 2  # the first State and the typed one: what was computed


# The last States


def test_the_newest_state_stands_first(line: Line) -> None:
    """With the Wish that it came of, and the time; the first one came of nothing."""
    first = line.now.wish
    line.do(SetText("狗"))
    line.do(SetKnob("seed", 3))

    assert [(entry.before, entry.at_s) for entry in line.history.past] == [
        (attrs.evolve(line.now.wish, config=first.config), 110),
        (first, 105),
        (None, 100),
    ]


def test_a_word_typed_quickly_is_one_entry(line: Line) -> None:
    """Letter by letter it takes its own place, and what it came of stays."""
    first = line.now.wish
    for text in ("a", "ab", "abc"):
        line.do(SetText(text), 0.1)

    assert line.texts() == ["abc", first.text]
    assert line.history.past[0].before == first


def test_what_undo_drops_stays(line: Line) -> None:
    """Undone and then something else done: undo has forgotten the sentence, the list has not."""
    for text in ("a", "b"):
        line.do(SetText(text))
    line.undo()
    line.do(SetText("c"))

    assert not line.history.can_redo
    assert line.texts()[:3] == ["c", "b", "a"]


def test_a_state_set_up_anew_is_there_once(line: Line) -> None:
    """It moves to the front; a Look makes no entry."""
    for text in ("a", "b", "a"):
        line.do(SetText(text))
    line.look(look_at(head=1).applied(line.now, None))

    assert line.texts()[:2] == ["a", "b"] and len(line.history.past) == 3


def test_there_are_twenty_at_most(line: Line) -> None:
    """The oldest is forgotten first."""
    for number in range(30):
        line.do(SetText(str(number)))

    assert line.texts() == [str(number) for number in range(29, 29 - MOST_PAST, -1)]
    assert MOST_PAST == 20


def test_a_state_that_was_refused_is_not_offered(line: Line) -> None:
    """Neither one step nor all those with a model that cannot be opened."""
    line.do(SetText("a"))
    line.do(SetText("b"))
    line.take_back()
    assert line.texts()[0] == "a"
    for text in ("c", "d"):
        gone = attrs.evolve(line.now, wish=attrs.evolve(line.now.wish, preset="gone", text=text))
        line.now_s += 5
        line.add(gone, "")
    line.leave("gone")
    assert [entry.state.wish.preset for entry in line.history.past] == ["tiny", "tiny"]
