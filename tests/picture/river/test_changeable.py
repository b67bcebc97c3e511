"""Where in the pass a change would be made that is asked for at a place of a river."""

import attrs
import pytest

from explorer.lang import Words
from explorer.picture.makers.river import river
from explorer.picture.river.changeable import changeable, pointed_place
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import Pointing, of_pair, usual
from explorer.picture.river.river import River
from explorer.state.look import Look
from explorer.state.offers import ChangePlace
from tests.picture.examples import asked

LOOK = Look(attention="decoder.cross_attn", layer=1, head=2, position=1)
WEIGHTS = "decoder.layers.1.cross_attn.weights"


@pytest.fixture
def picture() -> River:
    return river(asked("he likes it"), LOOK, Words.load("en"))


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        (Place("token", side="source", index=2), ChangePlace("encoder.embedding.output", None, 2)),
        (Place("vector", side="target", index=1, head=0), ChangePlace("decoder.embedding.scaled", None, 1)),
        (Place("vector", side="target", index=1, head=1), ChangePlace("decoder.embedding.positions", None, 1)),
        (Place("waves"), ChangePlace("encoder.embedding.positions", None)),
        (Place("head", attention="encoder.self_attn", layer=0, head=3), ChangePlace("encoder.layers.0.self_attn.weights", 3)),
        (Place("pair", attention="decoder.cross_attn", layer=1, query=1, key=2), ChangePlace(WEIGHTS, 2, 1, 2)),
        (
            Place("pair", attention="decoder.cross_attn", layer=0, query=1, key=2),
            ChangePlace("decoder.layers.0.cross_attn.weights", None),
        ),
        (Place("block", attention="decoder.self_attn", layer=1), ChangePlace("decoder.layers.1.self_attn.weights", None)),
        (Place("block", attention="encoder.feed_forward", layer=0), ChangePlace("encoder.layers.0.feed_forward.output", None)),
        (Place("candidate", index=1), None),
        (Place("scroll", side="source"), None),
    ],
    ids=lambda each: each.kind if isinstance(each, Place) else "",
)
def test_every_place_is_one_of_the_pass(picture: River, place: Place, wanted: ChangePlace | None) -> None:
    """A band of the head that is looked at is a cell; one of another layer, a mean over heads, is that layer."""
    assert changeable(picture, place) == wanted


def test_an_opened_block_is_all_of_it(picture: River) -> None:
    """Beside its map."""
    opened = river(asked("he likes it"), attrs.evolve(LOOK, opened="attention"), Words.load("en"))

    assert changeable(opened, Place("inside")) == ChangePlace(WEIGHTS, None)


def test_the_menu_key_means_what_stands_out(picture: River) -> None:
    """What is pointed at; else the pair whose weight is told; nothing where there is none."""
    usually = usual(picture).pair
    assert usually is not None
    pair = Place("pair", attention="decoder.cross_attn", layer=1, query=usually[0], key=usually[1])
    token = Place("token", side="source", index=0)

    assert pointed_place(picture, None) == pair
    assert pointed_place(picture, Pointing((0,), (), None, token)) == token
    assert pointed_place(picture, of_pair(picture, 0, 1)) == attrs.evolve(pair, query=0, key=1)
    assert pointed_place(picture, Pointing((1,))) is None


def test_a_lane_of_several_tokens_is_no_vector(picture: River) -> None:
    """Neither is a band between two of them a cell: its layer is."""
    blocks = attrs.evolve(picture, halves=tuple(attrs.evolve(half, block=2) for half in picture.halves))

    assert changeable(blocks, Place("token", side="source", index=2)) is None
    pair = Place("pair", attention="decoder.cross_attn", layer=1, query=0, key=0)
    assert changeable(blocks, pair) == ChangePlace(WEIGHTS, None)
