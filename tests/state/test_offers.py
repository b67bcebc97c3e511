"""What a menu offers at a place, without a menu: the changes that each offer makes."""

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.state.offers import ChangePlace, MakeChange, Offer, offers_at
from explorer.state.state import State

CELL = ChangePlace("decoder.layers.1.cross_attn.weights", 2, 1, 0)
VECTOR = ChangePlace("encoder.layers.0.residual1", None, 1, 5)
OF_A_HEAD = ChangePlace("encoder.layers.0.self_attn.query", 3, 1, 5)
HEAD = ChangePlace("encoder.layers.0.self_attn.weights", 3)
LAYER = ChangePlace("decoder.layers.0.cross_attn.weights", None)
WHOLE_TAP = ChangePlace("encoder.layers.1.feed_forward.output", None)
VALUES = {"number": 0.5, "text": "他在上海吗"}


def offer(key: str, place: ChangePlace) -> Offer:
    return next(each for each in offers_at(place) if each.key == key)


@pytest.mark.parametrize("place", [CELL, VECTOR, OF_A_HEAD, HEAD, LAYER, WHOLE_TAP], ids=lambda place: place.tap)
def test_everything_that_is_offered_can_be_made(place: ChangePlace) -> None:
    """Each makes changes that a pass of this model makes, and that alter something behind them."""
    state, computer = State.from_preset("tiny", "我爱北京"), Computer()
    plain = computer(Request(wish=state.wish)).trace
    for each in offers_at(place):
        value = None if each.asks is None else VALUES[each.asks.kind]
        after = MakeChange(each, place, value).applied(state, None)
        trace = computer(Request(wish=after.wish)).trace

        assert trace.changes == after.wish.changes != ()
        assert not np.array_equal(trace["generator.logits"], plain["generator.logits"]), each.key


def test_a_cell_is_closed_in_its_head_its_layer_or_everywhere() -> None:
    """tiny has two layers of four heads; "only this head" switches off the three others."""
    state = State.from_preset("tiny", "我爱北京")

    def made(key: str) -> list[tuple[str, int | None]]:
        changes = MakeChange(offer(key, CELL), CELL).applied(state, None).wish.changes
        return [(change.tap, change.head) for change in changes]

    taps = [f"decoder.layers.{layer}.cross_attn.masked" for layer in range(2)]
    assert made("cell_in_head") == [(taps[1], 2)]
    assert made("cell_in_layer") == [(taps[1], None)]
    assert made("cell_everywhere") == made("key_everywhere") == [(tap, None) for tap in taps]
    assert made("head_only") == [("decoder.layers.1.cross_attn.mixed", head) for head in (0, 1, 3)]


def test_a_map_of_no_single_head_offers_nothing() -> None:
    """A mean over heads is no tensor of the pass."""
    assert offers_at(ChangePlace("encoder.layers.0.self_attn.weights", None, 0, 0)) == ()


def test_a_place_offers_what_is_meant_by_it() -> None:
    """A head its own changes and no cell's, a layer to switch it off, a whole tap no single token's."""
    groups = {place: {each.group for each in offers_at(place)} for place in (CELL, HEAD, LAYER, VECTOR, WHOLE_TAP)}

    assert list(groups.values()) == [{"head", "cell"}, {"head"}, {"layer"}, {"vector", "tap"}, {"tap"}]
    assert CELL.cell is not None and HEAD.cell is None and LAYER.cell is None
