"""From a block of the architecture to where it is shown, and back."""

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
KINDS = tuple(dict.fromkeys(block.kind for block in ARCHITECTURE.blocks))


def after(block: Block, page: str, *, opens: bool = False) -> State:
    """The State after going to a Block from this page."""
    state = State.from_preset("tiny")
    for intent in (OpenPage(page), *ways_to(block, page, opens=opens)):
        state = intent.applied(state, None)
    return state


def test_every_kind_of_block_has_a_page() -> None:
    """One that is there."""
    assert set(PAGES) == set(KINDS)
    assert set(PAGES.values()) <= set(page_list.KEYS)


@pytest.mark.parametrize("page", page_list.KEYS)
@pytest.mark.parametrize("opens", [False, True])
def test_after_going_to_a_block_one_sees_it(page: str, opens: bool) -> None:
    """From every page to every Block. The sum of vectors and positions is on the page of the vectors."""
    for block in ARCHITECTURE.blocks:
        state = after(block, page, opens=opens)
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
    state = after(block, "overview")

    assert (state.page, state.look) == ("layers", Look(side="decoder", layer=1))
