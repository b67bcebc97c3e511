"""Which parts of a model can be ablated, each with the trial that does it: heads, attentions, feed-forwards, tokens."""

from collections.abc import Iterator

import attrs

from explorer.engine.experiments.trials import Trial
from explorer.trace.changes import Change
from explorer.trace.model_card import ModelCard


@attrs.frozen
class Ablated:
    """A part of the model with the trial that ablates it. `first` is its attention, or its side; head -1 means all heads."""

    first: int
    layer: int
    head: int
    trial: Trial

    @property
    def place(self) -> tuple[int, ...]:
        """Its place in the array of its kind."""
        return (self.first, self.layer) if self.head < 0 else (self.first, self.layer, self.head)


def heads_of(card: ModelCard) -> tuple[Ablated, ...]:
    """Each head of each attention gives out zeros. Where the model's `mixed` is not seen, its weights are zeros instead."""
    return tuple(
        Ablated(first, layer, head, (Change(tap, "scale", head=head, value=0.0),))
        for first, layer, tap in _mixing(card)
        for head in range(card.side(tap).n_heads)
    )


def layers_of(card: ModelCard) -> tuple[Ablated, ...]:
    """All heads of each attention give out zeros."""
    return tuple(Ablated(first, layer, -1, (Change(tap, "scale", value=0.0),)) for first, layer, tap in _mixing(card))


def feed_forwards_of(card: ModelCard) -> tuple[Ablated, ...]:
    """Each feed-forward adds zeros; empty for a model whose feed-forwards are not seen."""
    if card.why_absent("feed_forward.output"):
        return ()
    return tuple(
        Ablated(first, layer, -1, (Change(f"{side.name}.layers.{layer}.feed_forward.output", "scale", value=0.0),))
        for first, side in enumerate(card.sides)
        for layer in range(side.n_layers)
    )


def card_place(attention: str, layer: int) -> str:
    """An attention in a layer: "decoder.cross_attn" in layer 2 is "decoder.layers.2.cross_attn"."""
    side, _, kind = attention.partition(".")
    return f"{side}.layers.{layer}.{kind}"


def _mixing(card: ModelCard) -> Iterator[tuple[int, int, str]]:
    """Every attention in every layer, with the tap where its heads are ablated."""
    stage = "weights" if card.why_absent("self_attn.mixed") else "mixed"
    for first, attention in enumerate(card.attentions):
        for layer in card.attention_layers(attention):
            yield first, layer, f"{card_place(attention, layer)}.{stage}"


def hidden_tokens(card: ModelCard, n_source: int, n_target: int) -> tuple[list[Trial], str]:
    """Each token hidden from the others, and the attention in which it is hidden.

    That is cross-attention where there is one: no query of the target sees the token of the source. Elsewhere it is
    self-attention, in which every token still sees itself. The only token of a text has no others, and an empty trial.
    """
    attention = next((each for each in card.attentions if each.endswith(".cross_attn")), card.attentions[-1])
    side, _, kind = attention.partition(".")
    taps = [f"{side}.layers.{layer}.{kind}.masked" for layer in card.attention_layers(attention)]
    if kind == "cross_attn":
        return [tuple(Change(tap, "close", columns=[n]) for tap in taps) for n in range(n_source)], attention
    n_tokens = n_source or n_target
    if n_tokens == 1:
        return [()], attention
    rows = [[row for row in range(n_tokens) if row != n] for n in range(n_tokens)]
    return [tuple(Change(tap, "close", columns=[n], rows=rows[n]) for tap in taps) for n in range(n_tokens)], attention
