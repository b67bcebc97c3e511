"""The weights with which a logit, or a number of Q, K or V, is taken apart: results of the experiments "why" and "readers"."""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array


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
