"""The Architecture of a model: its Blocks in the order of computation, each with the number of its parameters.

It is made from the card, and for our own model from the Config as well, before anything is built: so it follows a slider at
once while the model is still being computed.
"""

from collections.abc import Iterator
from typing import Literal

import attrs

from explorer.config import Config
from explorer.trace import block_sizes
from explorer.trace.model_card import ModelCard, SideCard

Kind = Literal["tokens", "embedding", "position", "sum", "self_attn", "cross_attn", "other", "feed_forward", "generator"]
"""What a Block does. Both sides' embeddings are one Block, as are both sides' positions.

"other" stands in the place of attention in layers of another kind, as convolutions or state spaces.
"""

ATTENTIONS = ("self_attn", "cross_attn")


@attrs.frozen(kw_only=True)
class Block:
    """One part of a model. `key` is unique; in the layers it is the beginning of the names of the Block's taps.

    `side` and `layer` are "" and None outside the layers. `causal` says of an attention that no query sees a later key.
    `n_parameters` counts the parameters, those of the norm beside the Block too; it is None where only the whole is known.
    `n_shared` counts the numbers that the Block computes with and that are counted in another Block.
    """

    key: str
    kind: Kind
    side: str = ""
    layer: int | None = None
    causal: bool = False
    n_parameters: int | None = None
    n_shared: int = 0

    @property
    def attention(self) -> str:
        """The attention's name with its side, such as "decoder.cross_attn"; "" for a Block that is none."""
        return f"{self.side}.{self.kind}" if self.kind in ATTENTIONS else ""


@attrs.frozen
class Architecture:
    """The Blocks of a model and the number of all its parameters.

    `position` is the model's kind of positions, `position_added` whether they are added to the input.
    """

    blocks: tuple[Block, ...]
    n_parameters: int
    position: str
    position_added: bool

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that have layers: "encoder", "decoder" or both."""
        return tuple(dict.fromkeys(block.side for block in self.blocks if block.side))

    def block(self, key: str) -> Block | None:
        """The Block with this key, None if the model has none."""
        return next((block for block in self.blocks if block.key == key), None)

    def lacks_attention(self, block: Block) -> bool:
        """Whether a Block is in a layer that mixes tokens in another way."""
        return block.layer is not None and self.block(f"{block.side}.layers.{block.layer}.other") is not None


def architecture_of(card: ModelCard, config: Config | None = None) -> Architecture:
    """The Architecture of a model. Without a Config, which only our own model has, Blocks have no counts."""
    blocks = tuple(_blocks(card, config))
    return Architecture(blocks, card.parameters, card.position, card.position_added)


def _blocks(card: ModelCard, config: Config | None) -> Iterator[Block]:
    sides = tuple(side.name for side in card.sides)
    counted = config is not None
    yield Block(key="tokens", kind="tokens", n_parameters=0 if counted else None)
    yield Block(
        key="embedding", kind="embedding", n_parameters=None if config is None else block_sizes.embedding_size(config, sides)
    )
    yield Block(
        key="position", kind="position", n_parameters=None if config is None else block_sizes.position_size(config, sides)
    )
    yield Block(key="sum", kind="sum", n_parameters=0 if counted else None)
    for side in card.sides:
        for layer in range(side.n_layers):
            yield from _layer(card, side, layer, config)
    if card.vocab_size:
        yield Block(
            key="generator",
            kind="generator",
            n_parameters=None if config is None else block_sizes.generator_size(config),
            n_shared=block_sizes.generator_matrix_size(config) if config is not None and config.tied_embeddings else 0,
        )


def _layer(card: ModelCard, side: SideCard, layer: int, config: Config | None) -> Iterator[Block]:
    """The Blocks of one layer. A side's final norm counts with the last feed-forward, which it follows."""
    has_attention = layer in card.attention_layers(side.name)
    if not has_attention:
        yield Block(key=f"{side.name}.layers.{layer}.other", kind="other", side=side.name, layer=layer)
    for attention in side.attentions if has_attention else ():
        yield Block(
            key=f"{side.name}.layers.{layer}.{attention}",
            kind="cross_attn" if attention == "cross_attn" else "self_attn",
            side=side.name,
            layer=layer,
            causal=f"{side.name}.{attention}" in card.causal,
            n_parameters=None if config is None else block_sizes.attention_size(config),
        )
    if side.d_ff or card.n_chosen:  # Of experts, no width is known.
        count = None
        if config is not None:
            final = block_sizes.final_norm_size(config) if layer == side.n_layers - 1 else 0
            count = block_sizes.feed_forward_size(config) + final
        yield Block(
            key=f"{side.name}.layers.{layer}.feed_forward", kind="feed_forward", side=side.name, layer=layer, n_parameters=count
        )
