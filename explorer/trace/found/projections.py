"""Where Q, K, V and the output of an attention come from: rows of vectors times a matrix. Vaswani et al. 2017, section 3.2.2.

Q = x·W_Q + b_Q, and so K and V; in cross-attention K and V are made of what the encoder gives out. The output is
concat(O_1, …, O_h)·W_O + b_O. Some models put a norm of each head, or a turn by the position, between a product and its tap.
"""

from collections.abc import Mapping
from typing import Literal

import attrs
import numpy as np

from explorer.mathematics import Numbers
from explorer.trace.arrays import Array
from explorer.trace.found.stream_parts import given_out_tap, normed, read_tap
from explorer.trace.found.weights import Matrix, NormWeights, Turn, turned
from explorer.trace.recorded_pass import RecordedPass

Made = Literal["query", "key", "value", "output"]
MADE: tuple[Made, ...] = ("query", "key", "value", "output")
"""What the four matrices of an attention make, in the order of computation; each is the last part of a tap's name."""

_SAME = 1e-2  # A model that computes in half precision differs by this share of the largest number.
_ROWS_HELD = 32  # A matrix that gives these rows of a long text gives the others too.


@attrs.frozen(eq=False)
class AttentionWeights:
    """The parameters of one attention ("decoder.layers.0.cross_attn"): the result of the experiment "attention_weights".

    `matrices` has by what it makes each weight [out, in] and bias [out]; heads stand one after the other, in the rows of W_Q,
    W_K and W_V and in the columns of W_O. `norms` has the norm of each head behind a product and `turn` how positions turn Q
    and K, where there is such a thing. `lacking` says why a matrix is not there, by a key of the card's reasons.
    """

    block: str
    matrices: Mapping[Made, Matrix]
    norms: Mapping[Made, NormWeights] = attrs.field(factory=dict)
    turn: Turn | None = None
    lacking: Mapping[Made, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True, eq=False)
class Projection:
    """x·W + b, in one head for Q, K and V, and what the pass makes of the product before its tap.

    `x` [row, in] was recorded at `tap`; `weight` [in, out] and `bias` [out], if there is one, are parameters of the model.
    `norm` and `turn` act in this order, where they are not None.
    """

    x: Array
    tap: str
    weight: Array
    bias: Array | None
    norm: NormWeights | None = None
    turn: Turn | None = None

    def of_rows(self, first: int, end: int) -> "Projection":
        """The product of some rows alone."""
        turn = self.turn
        if turn is not None:
            turn = attrs.evolve(turn, cos=turn.cos[first:end], sin=turn.sin[first:end])
        return attrs.evolve(self, x=self.x[first:end], turn=turn)

    @property
    def direct(self) -> bool:
        """Whether the tap has the product itself."""
        return self.norm is None and self.turn is None

    @property
    def product(self) -> Array:
        """[row, out] x·W + b."""
        # y[r,c] = Σ_i x[r,i]·W[i,c] + b[c]
        made: Array = self.x @ self.weight
        return made if self.bias is None else made + self.bias

    @property
    def normed(self) -> Numbers:
        """[row, out] the product, through the norm if there is one."""
        made: Numbers = self.product.astype(np.float64)
        return made if self.norm is None else np.stack([normed(row, self.norm) for row in made])

    @property
    def arrived(self) -> Numbers:
        """[row, out] what the tap has, by this formula: the product, through the norm and turned."""
        return self.normed if self.turn is None else turned(self.turn, self.normed)


def read_by(trace: RecordedPass, block: str, made: Made) -> str:
    """The tap of the rows that a matrix multiplies: "….mixed" of all heads for W_O."""
    if made == "output":
        return f"{block}.mixed"
    across = block.endswith(".cross_attn") and made != "query"
    return given_out_tap(trace, "encoder") if across else read_tap(trace, block)


def concatenated(heads: Array) -> Array:
    """[query, head · feature] what all heads [head, query, feature] give out, side by side."""
    # concat[q] = (O_1[q], …, O_h[q])
    return np.ascontiguousarray(heads.transpose(1, 0, 2).reshape(heads.shape[1], -1))


def projection(trace: RecordedPass, weights: AttentionWeights, made: Made, head: int) -> Projection:
    """The product behind a head's Q, K or V, or behind the output. The matrix must be there. Raises NotKept, UnknownTap."""
    matrix, tap = weights.matrices[made], read_by(trace, weights.block, made)
    if made == "output":
        return Projection(x=concatenated(trace[tap]), tap=tap, weight=matrix.weight.T, bias=matrix.bias)
    recorded = f"{weights.block}.{made}"
    d_head, own = trace.shape(recorded)[-1], trace.card.head_in(recorded, head)
    rows = slice(own * d_head, (own + 1) * d_head)
    return Projection(
        x=trace[tap],
        tap=tap,
        weight=matrix.weight[rows].T,
        bias=None if matrix.bias is None else matrix.bias[rows],
        norm=weights.norms.get(made),
        turn=weights.turn if made in ("query", "key") else None,
    )


def agrees(trace: RecordedPass, weights: AttentionWeights, made: Made) -> bool:
    """Whether a matrix, read as it is known here, gives the recorded numbers of all heads. Raises NotKept, UnknownTap."""
    tap = f"{weights.block}.{made}"
    recorded, side = trace[tap], trace.card.side(tap)
    heads = [recorded] if made == "output" else recorded
    group = side.n_heads // len(heads)
    bound = _SAME * float(np.nanmax(np.abs(recorded)))
    return all(_same(projection(trace, weights, made, number * group), rows, bound) for number, rows in enumerate(heads))


def _same(found: Projection, recorded: Array, bound: float) -> bool:
    """Whether a product arrives as it was recorded [row, out]."""
    fits = found.x.shape[1] == found.weight.shape[0] and found.weight.shape[1] == recorded.shape[1]
    if not fits or (found.norm is not None and len(found.norm.weight) != recorded.shape[1]):
        return False
    arrived = found.of_rows(0, _ROWS_HELD).arrived
    return np.allclose(arrived, recorded[:_ROWS_HELD], rtol=0, atol=bound, equal_nan=True)
