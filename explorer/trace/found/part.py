"""One part of a sum over the residual stream: what was added to it at one place."""

from typing import Literal

import attrs

PartKind = Literal[
    "token",
    "position",
    "head",
    "feed_forward",
    "attention_bias",
    "feed_forward_bias",
    "norm_bias",
    "output_bias",
    "query_bias",
    "key_bias",
    "value_bias",
]
BIASES = ("attention_bias", "feed_forward_bias", "norm_bias")


@attrs.frozen
class Part:
    """One part of a sum over the stream. `layer` and `head` are -1 where it has none; `tap` is where its vector stands."""

    kind: PartKind
    tap: str
    layer: int = -1
    attention: str = ""  # "self_attn" or "cross_attn" for heads and their biases
    head: int = -1

    @property
    def block(self) -> str:
        """The beginning of the taps of its attention or feed-forward: "decoder.layers.1.cross_attn"; "" for other parts."""
        return self.tap.rpartition(".")[0] if self.kind in ("head", "feed_forward") else ""

    @property
    def label(self) -> str:
        """A short name: "L1 cross_attn H4", "L0 feed_forward", "token"."""
        layer = f"L{self.layer} " if self.layer >= 0 else ""
        what = f"{self.attention} H{self.head}" if self.kind == "head" else self.kind
        return f"{layer}{self.attention + ' bias' if self.kind == 'attention_bias' else what}"


def index_of(parts: tuple[Part, ...], attention: str, layer: int, head: int) -> int | None:
    """The place of the part of a head of an attention such as "decoder.cross_attn", or of "decoder.feed_forward"; or None."""
    side, _, name = attention.partition(".")
    block = f"{side}.layers.{layer}.{name}"
    feeds = name == "feed_forward"
    places = (n for n, part in enumerate(parts) if part.block == block and (feeds or part.head == head))
    return next(places, None)
