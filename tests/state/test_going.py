"""From a block of the architecture to where it is shown, and back."""

import attrs
import pytest

from explorer import page_list
from explorer.state.going import PAGES, block_seen, ways_to
from explorer.state.intents import OpenPage
from explorer.state.look import Look
from explorer.state.state import State
from explorer.trace.architecture import Block, architecture_of
from explorer.trace.own_card import card_of
from tests.trace.runs import small

ARCHITECTURE = architecture_of(card_of(small()), small())
PLAIN = Look()
KINDS = tuple(dict.fromkeys(block.kind for block in ARCHITECTURE.blocks))


def after(block: Block, page: str, *, opens: bool = False, look: Look = PLAIN) -> State:
    """The State after going to a Block from this page."""
    state = OpenPage(page).applied(attrs.evolve(State.from_preset("tiny"), look=look), None)
    for intent in ways_to(block, page, look, opens=opens):
        state = intent.applied(state, None)
    return state


def test_every_kind_of_block_has_a_page() -> None:
    """One that is there."""
    assert set(PAGES) == {*KINDS, "other"}
    assert set(PAGES.values()) <= set(page_list.KEYS)


@pytest.mark.parametrize("page", page_list.KEYS)
@pytest.mark.parametrize("opens", [False, True])
@pytest.mark.parametrize("opened", ["", "attention", "feed_forward"])
def test_after_going_to_a_block_one_sees_it(page: str, opens: bool, opened: str) -> None:
    """From every page to every Block, whatever is opened in the river. The sum of vectors and positions is on the page of the
    vectors."""
    for block in ARCHITECTURE.blocks:
        state = after(block, page, opens=opens, look=Look(opened=opened))
        assert block_seen(state.look, state.page) == ("embedding" if block.kind == "sum" else block.key)


@pytest.mark.parametrize("page", ["overview", "attention", "stepper", "masks", "compare", "inspector"])
def test_a_page_that_shows_attentions_stays_when_one_goes_to_another(page: str) -> None:
    """Only the Look moves, and the head stays; with Ctrl the page about attentions opens."""
    block = ARCHITECTURE.block("decoder.layers.1.cross_attn")
    assert block is not None
    state = after(block, page)

    assert (state.page, state.look) == (page, Look(attention="decoder.cross_attn", layer=1))
    assert after(block, page, opens=True).page == "attention"


def test_a_feed_forward_is_on_the_page_of_layers() -> None:
    """With its own side and layer; the attention that one looked at stays chosen."""
    block = ARCHITECTURE.block("decoder.layers.1.feed_forward")
    assert block is not None
    state = after(block, "attention")

    assert (state.page, state.look) == ("layers", Look(side="decoder", layer=1))


def test_in_the_river_a_block_opens_in_place_where_one_was_open() -> None:
    """A feed-forward opens in any case, since it has no weights to look at; Ctrl opens the page."""
    across, beside = (ARCHITECTURE.block(f"decoder.layers.1.{part}") for part in ("cross_attn", "feed_forward"))
    assert across is not None and beside is not None

    for opened, then in (("", ""), ("attention", "attention"), ("feed_forward", "attention")):
        state = after(across, "overview", look=Look(opened=opened))
        assert (state.page, state.look) == ("overview", Look(attention="decoder.cross_attn", layer=1, opened=then))
        state = after(beside, "overview", look=Look(opened=opened))
        there = Look(side="decoder", attention="decoder.self_attn", layer=1, opened="feed_forward")
        assert (state.page, state.look) == ("overview", there)  # Closing it leaves one in its layer.
    assert after(beside, "overview", opens=True).page == "layers"
