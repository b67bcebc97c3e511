"""What was found out beside the pass itself: passes with something changed, made when somebody looks at them.

Each is frozen data; `engine.experiments` makes them, on the very model that made the Trace.
"""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.tokens.token import Token
from explorer.trace.arrays import Array

EXPERIMENTS = ("variants", "swap", "leak", "depth", "batch", "copies")
DECODER_LEARNED = "learned of the decoder"
_ROUNDING = 1e-5


@attrs.frozen(eq=False)
class Variants:
    """The ways to say where a token stands, beside each other.

    `tables` [position, feature] what each kind adds to the input; kinds that act inside attention are not among them. Learned
    ones are each side's own: those of a decoder beside an encoder stand under DECODER_LEARNED.
    `against_distance` [distance] how alike two places look that are so far apart: the cosine of the two rows of a table
    (from place 1), for rotary positions the cosine of a vector of ones turned to both places, for ALiBi the bias of the
    first head, which is no cosine.
    """

    tables: Mapping[str, Array]
    against_distance: Mapping[str, Array]


@attrs.frozen(eq=False)
class Swap:
    """The sentence again with tokens `first` and `second` exchanged, once as the model is and once without positions.

    Each array is [position, feature], the output of the encoder (of the decoder in decoder-only). In `…_swapped` the rows
    are put back into the first order, so that a row is the same token in all four.
    """

    first: int
    second: int
    tokens: tuple[Token, ...]  # of the sentence with the two exchanged
    usual: Array
    usual_swapped: Array
    without: Array
    without_swapped: Array

    def differences(self) -> tuple[float, float]:
        """The largest difference of any number with the model's positions, and without positions."""
        return (float(np.abs(self.usual - self.usual_swapped).max()), float(np.abs(self.without - self.without_swapped).max()))


@attrs.frozen(eq=False)
class Leak:
    """[output, changed token] how far the last layer's output at a position moves (Euclidean length) when one token is
    replaced by another one; of a long text the first 256. Where a mask holds, a later token moves no earlier output.
    `length` is the mean length of the outputs themselves."""

    side: str  # "source" or "target": whose tokens were changed
    changes: Array
    length: float

    @property
    def noise(self) -> float:
        """What rounding alone can move an output: float32 has seven figures, and a pass adds thousands of numbers."""
        return _ROUNDING * self.length


@attrs.frozen(eq=False)
class Depth:
    """What happens to vectors on their way through the layers, with residual connections and without.

    `taps` are the places: what enters the layers and each addition. The arrays are [tap], means over all positions: the
    length of the vector, and the length of the loss's gradient with respect to it. The loss is the mean of -log p of the
    next token, in encoder-only of the token itself.
    """

    taps: tuple[str, ...]
    lengths: Array
    lengths_without: Array
    gradients: Array
    gradients_without: Array


@attrs.frozen(eq=False)
class PaddedBatch:
    """Several sentences through the encoder (the decoder in decoder-only) at once, the shorter ones padded.

    `tokens` are those of each sentence before padding, `real` [sentence, position] is True where a token stands.
    `masked` and `weights` [sentence, layer, head, query, key] are recorded. `difference` is the largest by which an
    output differs from that of the sentence alone; `difference_unmasked` the same with no padding mask.
    """

    tokens: tuple[tuple[Token, ...], ...]
    real: NDArray[np.bool_]
    masked: Array
    weights: Array
    difference: float
    difference_unmasked: float


@attrs.frozen(eq=False)
class Copies:
    """[layer] the largest difference of any weight of each layer of the first stack from the same weight of layer 0."""

    differences: Array


Experiment = Variants | Swap | Leak | Depth | PaddedBatch | Copies
