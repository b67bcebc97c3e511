"""Results of experiments: further passes with something changed, made only when a page shows them.

Each result is frozen data. `engine.experiments` makes them with the same model that made the Trace.
"""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import ExplorerError, bare
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.found.costs import Costs
from explorer.trace.found.edges import Edges
from explorer.trace.found.effects import Effects
from explorer.trace.found.jacobian import Agreement, NotFitted
from explorer.trace.found.norm_figures import Norms
from explorer.trace.found.patching import NotPatched, Patching
from explorer.trace.found.saliency import Saliency
from explorer.trace.found.segmentations import Segmentations
from explorer.trace.found.steering import NotSteered, Steering
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.vectors import Vectors

EXPERIMENTS = (
    "variants",
    "swap",
    "leak",
    "depth",
    "batch",
    "copies",
    "effects",
    "effects_exact",
    "edges",
    "why",
    "readers",
    "costs",
    "lens",
    "jacobian",
    "patching",
    "saliency",
    "vectors",
    "segmentations",
    "norms",
)
OF_DECODERS = frozenset({"why", "lens", "costs", "jacobian"})
"""What is found out about written words, which a model without a decoder has none of."""
OF_OUR_OWN = frozenset({"variants", "swap", "leak", "depth", "batch", "copies"})
"""What is asked of a model's knobs and parts, which models of others have none of."""
SECOND_PASSES = ("unchanged", "steering")
"""What is found by recorded passes of other Wishes; it is asked for like an experiment, and no lesson knows it."""
DECODER_LEARNED = "learned of the decoder"
_ROUNDING = 1e-5


@attrs.frozen(eq=False)
class Variants:
    """The kinds of positions side by side.

    `tables` has by kind what it adds to the input, [position, feature]; kinds that act inside attention are left out. Each side
    has its own learned table: that of a decoder beside an encoder stands under DECODER_LEARNED.
    `against_distance` has by kind how alike two positions look, by their distance, [distance]. It is the cosine of two rows of
    a table, the first of them at position 1. For rotary positions it is the cosine of a vector of ones turned to both
    positions. For ALiBi it is the bias of the first head, which is no cosine.
    """

    tables: Mapping[str, Array]
    against_distance: Mapping[str, Array]


@attrs.frozen(eq=False)
class Swap:
    """Outputs for the sentence and for the sentence with tokens `first` and `second` exchanged, with and without positions.

    Each array is [position, feature], the output of the encoder, or of the decoder in a decoder-only model. The rows of the
    arrays `…_swapped` stand in the order of the first sentence, so a row belongs to the same token in all four arrays.
    """

    first: int
    second: int
    tokens: tuple[Token, ...]  # These are the tokens of the sentence after the exchange.
    usual: Array
    usual_swapped: Array
    without: Array
    without_swapped: Array

    def differences(self) -> tuple[float, float]:
        """The largest difference that the exchange makes to any number, with the model's positions and without."""
        return (float(np.abs(self.usual - self.usual_swapped).max()), float(np.abs(self.without - self.without_swapped).max()))


@attrs.frozen(eq=False)
class Leak:
    """How far the last layer's output at each position moves when one token is replaced by another.

    `changes` is [output, changed token], Euclidean lengths; of a long text the first 256 tokens are looked at. Under a causal
    mask, a later token moves no earlier output. `length` is the mean length of the outputs themselves.
    """

    side: str  # "source" or "target"
    changes: Array
    length: float

    @property
    def noise(self) -> float:
        """How far rounding alone can move an output: float32 has seven digits, and a pass adds thousands of numbers."""
        return _ROUNDING * self.length


@attrs.frozen(eq=False)
class Depth:
    """The lengths of vectors and gradients on the way through the layers, with and without residual connections.

    `taps` are the input of the first layer and the sum after each residual addition. The arrays are [tap], means over all
    positions: the length of the vector there, and the length of the gradient of the loss with respect to it. The loss is the
    mean of -log p of the next token, or of the token itself in an encoder-only model.
    """

    taps: tuple[str, ...]
    lengths: Array
    lengths_without: Array
    gradients: Array
    gradients_without: Array


@attrs.frozen(eq=False)
class PaddedBatch:
    """Several sentences in one batch through the encoder (the decoder in decoder-only), with the shorter ones padded.

    `tokens` has the tokens of each sentence before padding; `real` [sentence, position] is True at a token and False at
    padding. `masked` and `weights` are recorded maps [sentence, layer, head, query, key]. `difference` is the largest
    difference between an output in the batch and that of the sentence alone, and `difference_unmasked` the same without a
    padding mask.
    """

    tokens: tuple[tuple[Token, ...], ...]
    real: NDArray[np.bool_]
    masked: Array
    weights: Array
    difference: float
    difference_unmasked: float


@attrs.frozen(eq=False)
class Copies:
    """[layer] the largest difference between a weight of this layer and the same weight of layer 0, in the first stack."""

    differences: Array


@attrs.frozen(eq=False)
class Unchanged:
    """The pass as it would be without changes, to put beside the Trace.

    `trace` is the recorded pass of the same model without changes, and with its own values of the knobs in `state.breaks`; if
    the model writes its target, this is its unchanged translation. `fed` is the changed pass over the tokens of `trace`, so
    these two have the same rows and columns everywhere.
    """

    trace: RecordedPass
    fed: RecordedPass


@attrs.frozen(eq=False)
class Matrix:
    """The weights of one linear layer: `weight` [out, in], and `bias` [out] where it has one."""

    weight: Array
    bias: Array | None = None


@attrs.frozen(eq=False)
class NormWeights:
    """One norm: weight·(x - mean)/σ + bias, both [feature], over the features x of a position.

    `eps` is added inside the root to the variance, which is divided by n; where `unbiased`, the variance is divided by n - 1
    and `eps` is added to the root. Where it is not `centred`, the mean counts as 0 (RMSNorm).
    """

    weight: Array
    bias: Array
    eps: float
    unbiased: bool
    centred: bool = True


@attrs.frozen(eq=False)
class Turn:
    """[position, feature] the cosines and sines with which positions turn the features of Q and K (rotary positions).

    The first features are turned, and all others stay: Q'[i] = Q[i]·cos[i] − Q[j]·sin[i] and Q'[j] = Q[j]·cos[j] +
    Q[i]·sin[j]. Of 2h features that are turned, i < h goes with j = i + h; where they are `paired`, an even i with i + 1.
    """

    cos: Array
    sin: Array
    paired: bool = False


@attrs.frozen(eq=False)
class OutputWeights:
    """The weights of the decoder through which heads and networks reach the logits; `trace.why` needs them beside a Trace.

    `projections` has W_O of each attention ("decoder.layers.0.self_attn"), `networks` W₂ of each feed-forward, `norms` each
    norm under the name of the tap that it reads. `dropout` is the share of numbers that a pass drops, 0 while dropout is off.
    What the decoder gives out is multiplied with `scale` before the generator. `cap` is the bound of the logits:
    c·tanh(z / c) in place of z, 0 for none (Gemma 2).
    """

    projections: Mapping[str, Matrix]
    networks: Mapping[str, Matrix]
    norms: Mapping[str, NormWeights]
    generator: Matrix
    dropout: float = 0.0
    scale: float = 1.0
    cap: float = 0.0

    def before_cap(self, logits: Array) -> NDArray[np.float64]:
        """Logits as they were before they were bounded, which are sums; as they are where nothing bounds them."""
        long = logits.astype(np.float64)
        if not self.cap:
            return long
        # z = c·artanh(logit / c); a logit at the bound itself has lost its z.
        return self.cap * np.arctanh(np.clip(long / self.cap, -1 + 1e-12, 1 - 1e-12))


@attrs.frozen(eq=False)
class ReadingWeights:
    """The weights with which the attentions of both sides read their streams, and those of all that was added to these.

    `queries`, `keys` and `values` have W_Q, W_K and W_V of each attention ("encoder.layers.0.self_attn"), with the rows of its
    heads one after the other. All else is as in OutputWeights, of both sides and with "encoder.norm".

    Of models of others, `turns` has by attention how positions turn Q and K, and `head_norms` by tap ("….query") the norm that
    each head's vector goes through before.
    """

    queries: Mapping[str, Matrix]
    keys: Mapping[str, Matrix]
    values: Mapping[str, Matrix]
    projections: Mapping[str, Matrix]
    networks: Mapping[str, Matrix]
    norms: Mapping[str, NormWeights]
    dropout: float = 0.0
    turns: Mapping[str, Turn] = attrs.field(factory=dict)
    head_norms: Mapping[str, NormWeights] = attrs.field(factory=dict)

    def matrices(self, which: str) -> Mapping[str, Matrix]:
        """By block the matrices that make the "query", "key" or "value"."""
        return {"query": self.queries, "key": self.keys, "value": self.values}[which]


@attrs.frozen(eq=False)
class Lens:
    """What each layer would say: the output's probabilities, made of the stream after each addition of the decoder.

    `taps` [row] are where the stream was taken. `ids` and `probabilities` [row, position, rank] are the likeliest symbols,
    `names` the texts of all of them by id. `written` [position] are the ids of the words that are written, `written_p` and
    `ranks` [row, position] their probability there and their place from 1. The last row is the output itself.

    `agreement` is what was measured of a Jacobian lens on held-out sentences; None for the lens without matrices.
    """

    taps: tuple[str, ...]
    ids: NDArray[np.int64]
    probabilities: Array
    written: tuple[int, ...]
    written_p: Array
    ranks: NDArray[np.int64]
    tokens: tuple[str, ...] = ()  # [position] the words that are read
    names: Mapping[int, str] = attrs.field(factory=dict)
    agreement: Agreement | None = None

    def agrees(self) -> NDArray[np.bool_]:
        """[row, position] where the likeliest symbol is the one that is written."""
        same: NDArray[np.bool_] = self.ids[:, :, 0] == np.array(self.written)
        return same

    def __repr__(self) -> str:
        """One line for each row, at most ten lines."""
        lines = [
            f"{tap}: " + " ".join(f"{self.names[int(top[0])]} {p[0]:.2f}" for top, p in zip(ids[:12], row, strict=False))
            for tap, ids, row in zip(self.taps, self.ids, self.probabilities, strict=True)
        ]
        return printed("\n".join(lines if len(lines) <= 10 else [*lines[:4], f"… {len(lines) - 9} more", *lines[-5:]]))


@attrs.frozen(eq=False)
class NotMade:
    """Why an experiment cannot be made with this model, as the error whose sentence says it. The pass stays as it is."""

    error: ExplorerError = attrs.field(converter=bare)


Experiment = (
    Variants
    | Swap
    | Leak
    | Depth
    | PaddedBatch
    | Copies
    | Effects
    | Edges
    | Costs
    | OutputWeights
    | ReadingWeights
    | Lens
    | Unchanged
    | Patching
    | NotPatched
    | Saliency
    | Vectors
    | Segmentations
    | Norms
    | Steering
    | NotSteered
    | NotFitted
    | NotMade
)
