"""Intents about cuts: another way of cutting, and a sentence that was offered."""

import attrs
import pytest

from explorer.errors import BadKnob
from explorer.state.cut_intents import CutAs, TakeExample
from explorer.state.intents import SetText
from explorer.state.state import State
from explorer.state.wish import Wish


def state() -> State:
    wish = Wish.from_preset("tiny", "长江大桥")
    return State(wish=attrs.evolve(wish, source_cuts=((0, 1), (1, 4)), prefix=(5,)))


def test_another_way_of_cutting_drops_cuts_by_hand() -> None:
    """And a prefix of the translation, which was made of other tokens."""
    wish = CutAs("characters").applied(state(), None).wish

    assert (wish.config.tokenizer, wish.source_cuts, wish.prefix) == ("characters", None, ())


def test_a_way_that_there_is_not_is_refused() -> None:
    """Like any value of a knob."""
    with pytest.raises(BadKnob):
        CutAs("by magic").applied(state(), None)


def test_an_offered_sentence_is_taken_as_if_it_were_typed() -> None:
    """With the same State after it; but it is no typing, so that the box shows it."""
    intent = TakeExample("我爱你")

    assert intent.applied(state(), None) == SetText("我爱你").applied(state(), None)
    assert not isinstance(intent, SetText)
