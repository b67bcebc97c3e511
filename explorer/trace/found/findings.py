"""Results of experiments: further passes with something changed, made only when a page shows them.

Each result is frozen data, which stands in `trace.experiments` under the experiment's key. `engine.experiments` makes them
with the same model that made the Trace. Larger ones have files of their own beside this one.
"""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import ExplorerError, bare
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.recorded_pass import RecordedPass

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
class NotMade:
    """Why an experiment cannot be made with this model, as the error whose sentence says it. The pass stays as it is."""

    error: ExplorerError = attrs.field(converter=bare)
