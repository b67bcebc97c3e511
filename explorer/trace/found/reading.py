"""A Reading: one number of Q, K or V, as an exact sum of what the stream held that it was made from.

An attention makes Q, K and V from the stream by one matrix each, through a norm under pre-norm. With the norm's σ held at its
recorded value all of this is linear, so the number is a sum of embedding, position, every earlier head and feed-forward, and
biases. Each earlier head opens again in the same way (`why_inside`), so every number is led back to the embedding.

Letters: u says what each feature of Q, K or V counts, g is the direction in the stream, h what the attention reads.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import attrs
import numpy as np

from explorer.errors import LacksTap, NoSuchPart, NotLookedInto, bare
from explorer.mathematics import Numbers
from explorer.trace.found.findings import Matrix, NotMade, ReadingWeights, Turn
from explorer.trace.found.stream_parts import Part, PartKind, WayBack, index_of, sigma
from explorer.trace.tap_names import Cell

if TYPE_CHECKING:
    from explorer.trace.found.why_inside import ByKey, ByUnit
    from explorer.trace.trace import Trace

Which = Literal["query", "key", "value"]
_BIASES: dict[Which, PartKind] = {"query": "query_bias", "key": "key_bias", "value": "value_bias"}
WHICH: tuple[Which, ...] = ("query", "key", "value")
EXACT = 1e-4
"""The largest remainder that is rounding, of a number of the size of 1; of larger ones it is as much larger."""


@attrs.frozen(kw_only=True, eq=False)
class Reading:
    """u·X of one row X of the tap `tap`, which is Q, K or V of one head, in parts.

    `recorded` is the number as the record has it, `values` [part] are the parts, and `remainder` is what they lack. `side` and
    `position` are where the stream stands that it was read from: for keys and values of cross-attention on the encoder's side.
    `feature` is the one feature that u picks, -1 where u has several. `directions` has by block the direction [feature] in
    which what is added there counts.
    """

    tap: str
    head: int
    feature: int
    side: str
    position: int
    recorded: float
    parts: tuple[Part, ...]
    values: Numbers
    directions: Mapping[str, Numbers] = attrs.field(repr=False)
    trace: "Trace" = attrs.field(repr=False)

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return float(self.values.sum())

    @property
    def remainder(self) -> float:
        """The recorded number minus the sum of the parts."""
        return self.recorded - self.total

    @property
    def exact(self) -> bool:
        """Whether the parts sum to the recorded number but for rounding."""
        return bool(abs(self.remainder) < EXACT * max(1.0, abs(self.recorded)))

    def direction(self, block: str) -> Numbers:
        """[feature] the direction in which the number grows with what a block adds."""
        return self.directions[block]

    def index(self, attention: str, layer: int, head: int) -> int | None:
        """The place of a head's part, or of "encoder.feed_forward"; None where it is none of the parts."""
        return index_of(self.parts, attention, layer, head)

    def inside(self, attention: str, layer: int, head: int = -1) -> "ByKey | ByUnit":
        """What one of the parts is the sum of; as in `Parts.inside`. Raises NoSuchPart."""
        from explorer.trace.found.why_inside import inside

        return inside(self, attention, layer, head)

    def __repr__(self) -> str:
        """The number and its six largest parts, in eight lines."""
        largest = np.argsort(-np.abs(self.values), kind="stable")[:6]
        feature = f", {self.feature}" if self.feature >= 0 else ""
        lines = [f"    {self.values[place]:+8.4f}  {self.parts[place].label}" for place in largest]
        head = f"Reading: {self.tap}[{self.head}, {self.position}{feature}] {self.recorded:+.4f} from the {self.side}'s stream"
        rest = f"    sum of {len(self.parts)} parts {self.total:+.4f}, remainder {self.remainder:.1e}"
        return "\n".join((head, *lines, rest))


def reading(trace: "Trace", cell: Cell, which: Which, along: int | Numbers) -> Reading:
    """Q, K or V of a cell's row, in parts: one feature of it, or its product with `along` [feature].

    The Trace needs the experiment "readers". Raises NotLookedInto, NotKept, NoSuchPart.
    """
    weights = trace.experiments.get("readers")
    if isinstance(weights, NotMade):
        raise bare(weights.error)
    if not isinstance(weights, ReadingWeights):
        raise NotLookedInto(name="readers")
    if which not in WHICH:
        raise NoSuchPart(got=which, part=" ".join(WHICH))
    tap, block = cell.tap(which), cell.tap("").removesuffix(".")
    head, row = trace.card.head_in(tap, cell.head), cell.query if which == "query" else cell.key
    x = trace[tap][head, row].astype(np.float64)  # [feature]
    u = np.eye(len(x))[along] if isinstance(along, int) else along
    if block not in weights.matrices(which):
        raise LacksTap(name="readers", tap=tap, why="absent.unknown_family")
    # X = R_p·(W·h + b), so u·X = (R_pᵀ·u)·(W·h + b); R_p turns by the angles of position p where positions are rotary.
    before = _before_turning(trace, weights, block, which, row, u)
    weight, bias = _rows(weights.matrices(which)[block], head, len(x))
    across = block.endswith(".cross_attn") and which != "query"
    walk = WayBack(trace, weights, "encoder" if across else cell.attention.partition(".")[0], row)
    if tap in weights.head_norms:
        # X = γ·y/σ, where y = W·h + b
        y, norm = weight @ walk.read_by(block) + (0 if bias is None else bias), weights.head_norms[tap]
        before = before * norm.weight / sigma(y, norm)
    g = (before @ weight)[None]  # [row 1, feature]
    found = list(walk.from_end(g) if across else walk.before(block, g))
    found.reverse()
    if bias is not None:
        found.append((Part(_BIASES[which], tap, cell.layer, block.rpartition(".")[2]), np.array([before @ bias])))
    return Reading(
        tap=tap,
        head=head,
        feature=along if isinstance(along, int) else -1,
        side=walk.side,
        position=row,
        recorded=float(u @ x),
        parts=tuple(part for part, _share in found),
        values=np.array([float(share[0]) for _part, share in found]),
        directions={name: direction[0] for name, direction in walk.directions.items()},
        trace=trace,
    )


def _rows(matrix: Matrix, head: int, d_head: int) -> tuple[Numbers, Numbers | None]:
    """The rows of one head and their biases, in float64."""
    own = slice(head * d_head, (head + 1) * d_head)
    return matrix.weight[own].astype(np.float64), None if matrix.bias is None else matrix.bias[own].astype(np.float64)


def _before_turning(trace: "Trace", weights: ReadingWeights, block: str, which: Which, row: int, u: Numbers) -> Numbers:
    """[feature] R_pᵀ·u for the queries and keys of self-attention under rotary positions, else u."""
    if which == "value" or not block.endswith(".self_attn"):
        return u
    if block in weights.turns:
        return _turned_back_by(weights.turns[block], u, row)
    own_rotary = trace.card.position == "rotary" and trace.config is not None
    return _turned_back(u, row, trace.card.position_base) if own_rotary else u


def _turned_back_by(turn: Turn, u: Numbers, position: int) -> Numbers:
    """[feature] R_pᵀ·u, where feature i is turned together with feature j."""
    cos, sin = (each[position].astype(np.float64) for each in (turn.cos, turn.sin))  # [turned feature]
    n = len(cos)
    order = np.arange(n)
    i, j = (order[::2], order[1::2]) if turn.paired else (order[: n // 2], order[n // 2 :])
    made = u.astype(np.float64)
    # (R_pᵀ·u)[i] = u[i]·cos[i] + u[j]·sin[j],  (R_pᵀ·u)[j] = u[j]·cos[j] − u[i]·sin[i]
    made[i], made[j] = u[i] * cos[i] + u[j] * sin[j], u[j] * cos[j] - u[i] * sin[i]
    return made


def _turned_back(u: Numbers, position: int, base: float) -> Numbers:
    """[feature] R_pᵀ·u: each pair of features (2i, 2i+1) turned back by the angle p·w_i; an odd last one stays."""
    n_pairs = len(u) // 2
    # w_i = base^(-2i/d_head)
    angle = position * base ** (-2.0 * np.arange(n_pairs) / len(u))  # [pair]
    even, odd = u[0 : 2 * n_pairs : 2], u[1 : 2 * n_pairs : 2]  # [pair]
    made = u.astype(np.float64)
    made[0 : 2 * n_pairs : 2] = even * np.cos(angle) + odd * np.sin(angle)
    made[1 : 2 * n_pairs : 2] = odd * np.cos(angle) - even * np.sin(angle)
    return made
