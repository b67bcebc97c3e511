"""The names of the taps of our own model, as its card says them, before anything is computed."""

from collections.abc import Iterator

from explorer.trace.model_card import ModelCard, SideCard
from explorer.trace.stages import STAGES


def own_taps(card: ModelCard) -> tuple[str, ...]:
    """The names of all taps that a pass of the model will record, in the order of the flow within each layer."""
    return tuple(tap for side in card.sides for tap in _of_side(card, side)) + _named(card, "generator")


def _of_side(card: ModelCard, side: SideCard) -> Iterator[str]:
    for tap in _named(card, "embedding"):
        yield f"{side.name}.{tap}"
    for layer in range(side.n_layers):
        for place, kind in enumerate((*side.attentions, "feed_forward"), start=1):
            inner = _named(card, "feed_forward" if kind == "feed_forward" else "attention")
            named = (f"{kind}.{tap.partition('.')[2]}" for tap in inner)
            parts = (part for part in named if part not in card.absent)
            yield from (f"{side.name}.layers.{layer}.{part}" for part in (*parts, f"norm{place}", f"residual{place}"))
    yield f"{side.name}.norm"


def _named(card: ModelCard, kind: str) -> tuple[str, ...]:
    """The stages of one kind that the model has: "embedding.tokens" and so on."""
    return tuple(stage.key for stage in STAGES if stage.key.startswith(f"{kind}.") and stage.key not in card.absent)
