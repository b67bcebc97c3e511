"""What a lesson has set up is given back, and what the reader has changed stays."""

import attrs

from explorer.state.comparing_intents import GiveBack
from explorer.state.state import LessonPlace, Settings, State


def test_what_the_lesson_set_goes_and_what_the_reader_did_stays() -> None:
    """Field by field, knob by knob."""
    before = attrs.evolve(State.from_preset("tiny", "你好"), page="overview")
    left = before.opened(Settings(wish={"text": "她"}, knobs={"n_layers": 3, "seed": 5}, look={"layer": 1}, page="masks"))
    assert GiveBack(before, left).applied(left, None) == before

    moved = attrs.evolve(left, wish=attrs.evolve(left.wish, text="他", config=left.wish.config.changed(seed=9)), page="layers")
    given = GiveBack(before, left).applied(moved, None)
    assert given.wish.text == "他" and given.page == "layers"
    assert given.wish.config == before.wish.config.changed(seed=9)
    assert given.look == before.look


def test_a_model_that_the_reader_chose_stays() -> None:
    """Another preset than the lesson's: nothing is given back."""
    before, left = State.from_preset("tiny"), State.from_preset("paper-base")
    chosen = State.from_preset("translator")
    assert GiveBack(before, left).applied(chosen, None) == chosen


def test_no_lesson_is_open_afterwards() -> None:
    """Whatever is known of what was there before."""
    before, place = State.from_preset("tiny", "你好"), LessonPlace(key="a1", step=1)
    left = attrs.evolve(before.opened(Settings(wish={"text": "她"})), lesson=place)
    other = attrs.evolve(left, wish=attrs.evolve(left.wish, preset="paper-base"))
    assert GiveBack(before, left).applied(left, None) == before
    assert GiveBack(before, left).applied(other, None) == attrs.evolve(other, lesson=None)
    assert GiveBack().applied(left, None) == attrs.evolve(left, lesson=None)
    assert GiveBack(before).applied(left, None) == attrs.evolve(left, lesson=None)


def test_knobs_that_do_not_go_together_are_those_of_before() -> None:
    """Seven heads divide the lesson's width and not the reader's."""
    before = State.from_preset("tiny")
    left = before.opened(Settings(knobs={"d_model": 56, "n_heads": 4}))
    moved = attrs.evolve(left, wish=attrs.evolve(left.wish, config=left.wish.config.changed(n_heads=7)))
    assert GiveBack(before, left).applied(moved, None).wish.config == before.wish.config
