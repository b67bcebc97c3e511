"""From a Block of the architecture to the Intents that lead there, and from Look and page to the Block on screen."""

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
    "other": "layers",
    "feed_forward": "layers",
    "generator": "output",
}
"""The page about each kind of Block."""

RIVER = "overview"
"""The page that shows all layers at once."""

_ABOUT = {"tokens": "tokens", "embedding": "embedding", "position": "position", "output": "generator"}
"""The pages that are about one Block, whatever the Look is; the page `layers` is about a layer's feed-forward."""


def block_seen(look: Look, page: str) -> str:
    """The key of the Block that this Look shows on this page."""
    if page == "layers" or (page == RIVER and look.opened == "feed_forward"):
        return f"{look.side}.layers.{look.layer}.feed_forward"
    side, _, attention = look.attention.partition(".")
    return _ABOUT.get(page, f"{side}.layers.{look.layer}.{attention}")


def _opened_network(side: str) -> dict[str, object]:
    """A feed-forward opened in the river; closing it shows the attention of its layer again."""
    return {"opened": "feed_forward", "attention": f"{side}.self_attn"}


def ways_to(block: Block, page: str, look: Look, *, opens: bool = False) -> tuple[Intent, ...]:
    """The Intents that lead to a Block from this page.

    They move the Look there, and open a page about the Block if `page` shows none; `opens` opens that page in any case. The
    river shows all layers: what is opened in place there moves to the other Block, and a feed-forward opens in place.
    """
    about, in_river = PAGES[block.kind], page == RIVER and not opens
    opened = {"opened": "attention" if look.opened else ""} if in_river else {}
    if block.attention:
        goes = look_at(attention=block.attention, layer=block.layer, **opened)
        stays = page not in (*_ABOUT, "layers")
    elif block.layer is not None:
        goes = look_at(side=block.side, layer=block.layer, **(_opened_network(block.side) if in_river else {}))
        stays = page in (about, RIVER)
    else:
        return () if page == about else (OpenPage(about),)
    return (goes,) if stays and not opens else (goes, OpenPage(about))
