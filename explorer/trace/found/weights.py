"""The weights with which a logit, or a number of Q, K or V, is taken apart: results of the experiments "why" and "readers".

From such a number one goes back to what its attention read: through the positions' turn and the head's rows of W. Letters: u
says what each feature of Q, K or V counts, h what the attention reads, W and b are the matrix and bias of one head.
"""

from collections.abc import Mapping
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.mathematics import Numbers
from explorer.trace.arrays import Array
from explorer.trace.recorded_pass import RecordedPass


@attrs.frozen(eq=False)
class Matrix:
    """The weights of one linear layer: `weight` [out, in], and `bias` [out] where it has one."""

    weight: Array
    bias: Array | None = None


@attrs.frozen(eq=False)
class Circuits:
    """W_Q, W_K, W_V and W_O of one attention, which make the circuits of its heads (Elhage et al. 2021).

    It has `n_heads` heads, of which several may share one head of keys and values.

    The rows of W_Q, W_K and W_V, and the columns of W_O, are those of one head after those of another.
    """

    query: Matrix
    key: Matrix
    value: Matrix
    output: Matrix
    n_heads: int

    @property
    def d_head(self) -> int:
        """How many rows of W_Q belong to a head."""
        return len(self.query.weight) // self.n_heads

    def qk_circuit(self, head: int) -> tuple[Array, Array]:
        """Two factors [feature, read], of which leftᵀ·right [read by the query, read by the key] is the head's QK circuit.

        x_q·W_Q·W_Kᵀ·x_kᵀ is the score of a query and a key before anything else acts: positions, biases, the division.
        """
        return self.query.weight[self._own(head)], self.key.weight[self._shared(head, self.key)]

    def ov_circuit(self, head: int) -> tuple[Array, Array]:
        """Two factors [feature, …], of which leftᵀ·right [read by the value, added] is the head's OV circuit.

        x_k·W_V·W_O is what the head adds to the attention's output for a key with the weight 1, without the biases.
        """
        width = len(self.value.weight) // self._n_shared
        own = slice(head * width, (head + 1) * width)
        return self.value.weight[self._shared(head, self.value)], self.output.weight[:, own].T

    def _own(self, head: int) -> slice:
        return slice(head * self.d_head, (head + 1) * self.d_head)

    @property
    def _n_shared(self) -> int:
        """How many heads keys and values have."""
        return len(self.key.weight) // self.d_head

    def _shared(self, head: int, matrix: Matrix) -> slice:
        """The rows of the head of keys and values that belongs to a head."""
        width, which = len(matrix.weight) // self._n_shared, head // (self.n_heads // self._n_shared)
        return slice(which * width, (which + 1) * width)


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

    Of foreign models, `turns` has by attention how positions turn Q and K, and `head_norms` by tap ("….query") the norm that
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


Which = Literal["query", "key", "value"]
WHICH: tuple[Which, ...] = ("query", "key", "value")


def rows_of(matrix: Matrix, head: int, d_head: int) -> tuple[Numbers, Numbers | None]:
    """The rows of one head and their biases, in float64."""
    own = slice(head * d_head, (head + 1) * d_head)
    return matrix.weight[own].astype(np.float64), None if matrix.bias is None else matrix.bias[own].astype(np.float64)


def before_turning(trace: RecordedPass, weights: ReadingWeights, block: str, which: Which, row: int, u: Numbers) -> Numbers:
    """[feature] R_pᵀ·u for the queries and keys of self-attention under rotary positions, else u."""
    if which == "value" or not block.endswith(".self_attn"):
        return u
    if block in weights.turns:
        return _turned_back(weights.turns[block], u, row)
    own_rotary = trace.card.position == "rotary" and trace.config is not None
    return _turned_back(own_turn(np.array([row]), len(u), trace.card.position_base), u, 0) if own_rotary else u


def own_turn(positions: NDArray[np.int64], d_head: int, base: float) -> Turn:
    """How our own models turn Q and K at these positions: each pair (2i, 2i+1) by the angle p·w_i; an odd last one stays."""
    # w_i = base^(-2i/d_head)
    angle = positions[:, None] * base ** (-2.0 * np.arange(d_head // 2) / d_head)  # [position, pair]
    cos, sin = (each.repeat(2, axis=1) for each in (np.cos(angle), np.sin(angle)))  # [position, turned feature]
    return Turn(cos, sin, paired=True)


def turned(turn: Turn, rows: Numbers) -> Numbers:
    """[position, feature] R_p·x of each row x, the first of which stands at the Turn's first position."""
    i, j = _pairs(turn)
    cos, sin = (each[: len(rows)] for each in (turn.cos, turn.sin))  # [position, turned feature]
    made = rows.copy()
    # (R_p·x)[i] = x[i]·cos[i] − x[j]·sin[i],  (R_p·x)[j] = x[j]·cos[j] + x[i]·sin[j]
    made[:, i] = rows[:, i] * cos[:, i] - rows[:, j] * sin[:, i]
    made[:, j] = rows[:, j] * cos[:, j] + rows[:, i] * sin[:, j]
    return made


def _turned_back(turn: Turn, u: Numbers, position: int) -> Numbers:
    """[feature] R_pᵀ·u, where feature i is turned together with feature j."""
    cos, sin = (each[position].astype(np.float64) for each in (turn.cos, turn.sin))  # [turned feature]
    i, j = _pairs(turn)
    made = u.astype(np.float64)
    # (R_pᵀ·u)[i] = u[i]·cos[i] + u[j]·sin[j],  (R_pᵀ·u)[j] = u[j]·cos[j] − u[i]·sin[i]
    made[i], made[j] = u[i] * cos[i] + u[j] * sin[j], u[j] * cos[j] - u[i] * sin[i]
    return made


def _pairs(turn: Turn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The features i and the features j that are turned with them."""
    n = turn.cos.shape[1]
    order = np.arange(n)
    return (order[::2], order[1::2]) if turn.paired else (order[: n // 2], order[n // 2 :])
