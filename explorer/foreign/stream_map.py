"""The StreamMap: where the residual streams of a model run, and through which modules they are written to and read.

It is found by watching a pass (`stream_probe`). Paths of a side name modules from the model, those of a layer from the layer.
"""

from collections.abc import Mapping
from typing import Literal

import attrs

Kind = Literal["self_attn", "cross_attn", "other", "feed_forward"]
"""What a block does. "other" stands in the place of attention in a layer of another kind, as convolutions or state spaces."""


@attrs.frozen(kw_only=True)
class BlockPaths:
    """What is added to the stream at one place: a module's output, times `factor`.

    `norm` is the one through which the block reads, or in a post-norm model the one behind its addition; "" for none. `after`
    is a second norm, which some families apply to the output before it is added. `is_matrix` says of the module whether it is
    a linear layer. `gated` says of an attention that its W_O does not read what the heads have mixed, but what something else
    has made of that.

    Of a feed-forward network, `hidden` is its first layer, and `gate` the one whose activation is multiplied with it. Where one
    layer makes both, `gate` is that layer too, and `gate_first` says whose half comes first. `router` chooses among experts.
    """

    kind: Kind
    output: str
    norm: str = ""
    after: str = ""
    factor: float = 1.0
    is_matrix: bool = True
    hidden: str = ""
    gate: str = ""
    gate_first: bool = True
    router: str = ""
    gated: bool = False


@attrs.frozen(kw_only=True)
class LayerPaths:
    """One layer: its blocks in the order of their taps.

    A layer with `parallel` adds all of them at once; `last` is the number of the one that it computes last.
    """

    blocks: tuple[BlockPaths, ...]
    parallel: bool = False
    last: int = 0


@attrs.frozen(kw_only=True)
class SidePaths:
    """One side of a model. A part that is "" is absent.

    `post` says whether a norm stands after each addition. `embedding_norm` stands behind the sum of the embeddings. Positions
    begin with row `first_position` of their table.
    """

    layers: str
    each: tuple[LayerPaths, ...]
    tokens: str
    positions: str = ""
    segments: str = ""
    first_position: int = 0
    embedding_norm: str = ""
    final_norm: str = ""
    post: bool = False

    @property
    def parallel(self) -> bool:
        """Whether the blocks of a layer are added together (Wang and Komatsuzaki 2021)."""
        return any(layer.parallel for layer in self.each)


@attrs.frozen(kw_only=True)
class LogitReading:
    """How the last stream becomes logits: times `before`, through the output layer, times `behind`; then bounded by `cap`.

    A `cap` of 0 stands for none: c·tanh(z / c) in place of z.
    """

    before: float = 1.0
    behind: float = 1.0
    cap: float = 0.0


@attrs.frozen(kw_only=True)
class StreamMap:
    """The sides of a model by name, and its kind of norms and positions.

    `overwrites` says that its layers write into tensors that were seen before. `reading` is None where the logits are not
    simply read off the last stream. `rotary` says that a module makes rotary positions.
    """

    sides: Mapping[str, SidePaths]
    norm_kind: Literal["layer", "rms"] = "layer"
    overwrites: bool = False
    reading: LogitReading | None = None
    rotary: bool = False
