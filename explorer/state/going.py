"""From a Block of the architecture to the Intents that lead there, and back from Look and page to the Block that one sees."""

from explorer.state.intents import Intent, OpenPage, look_at
from explorer.state.look import Look
from explorer.trace.architecture import Block, Kind

PAGES: dict[Kind, str] = {
    "tokens": "tokens",
    "embedding": "embedding",
    "position": "position",
    "sum": "embedding",
    "self_attn": "attention",
    "cross_attn": "attention",
    "feed_forward": "layers",
    "generator": "output",
}
"""The page about each kind of Block."""

_ABOUT = {"tokens": "tokens", "embedding": "embedding", "position": "position", "output": "generator"}
"""The pages that are about one Block, whatever the Look is; the page `layers` is about a layer's feed-forward."""


def block_seen(look: Look, page: str) -> str:
    """The key of the Block that one sees with this Look on this page."""
    if page == "layers":
        return f"{look.side}.layers.{look.layer}.feed_forward"
    side, _, attention = look.attention.partition(".")
    return _ABOUT.get(page, f"{side}.layers.{look.layer}.{attention}")


def ways_to(block: Block, page: str, *, opens: bool = False) -> tuple[Intent, ...]:
    """The Intents that lead to a Block from this page: the Look goes there, and a page about it opens where `page` shows none.

    `opens` opens the page about the Block in any case.
    """
    intents: list[Intent] = []
    if block.attention:
        intents.append(look_at(attention=block.attention, layer=block.layer))
    elif block.layer is not None:
        intents.append(look_at(side=block.side, layer=block.layer))
    about = PAGES[block.kind]
    shows_attentions = page not in (*_ABOUT, "layers")
    if opens or (not shows_attentions if block.attention else page != about):
        intents.append(OpenPage(about))
    return tuple(intents)
