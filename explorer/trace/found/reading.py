"""What a part of an attribution is the sum of: a head's part by its keys, a network's by its units, and each number of Q, K or
V by what the stream held that it was made from. Each split is exact; each factor is a recorded number or its product with
weights.

An attention makes Q, K and V from the stream by one matrix each, through a norm under pre-norm. With the norm's σ held at its
recorded value all of this is linear, so the number is a sum of embedding, position, every earlier head and feed-forward, and
biases. Each earlier head opens again in the same way, so every number is led back to the embedding.

Letters: u says what each feature of Q, K or V counts, g is the direction in the stream, h what the attention reads.
"""

from collections.abc import Mapping
from functools import partial

import attrs
import numpy as np

from explorer.errors import LacksTap, NoSuchPart, NotLookedInto, bare
from explorer.mathematics import Numbers
from explorer.trace.arrays import Array
from explorer.trace.found.experiments import READERS, WHY
from explorer.trace.found.findings import NotMade
from explorer.trace.found.part import Part, PartKind, index_of
from explorer.trace.found.stream_parts import StreamWeights, WayBack, head_directions, through_norm
from explorer.trace.found.weights import WHICH, OutputWeights, ReadingWeights, Which, before_turning, rows_of
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.tabular import Columns, Tables, Tabular, cells, listed
from explorer.trace.tap_names import Cell, place_of

_BIASES: dict[Which, PartKind] = {"query": "query_bias", "key": "key_bias", "value": "value_bias"}
EXACT = 1e-4
"""The largest remainder that is rounding, of a number of the size of 1; of larger ones it is as much larger."""


@attrs.frozen(kw_only=True, eq=False)
class Attribution(Tabular):
    """A number that was read from the stream at `position`, as the exact sum of its `parts`.

    `directions` has by block the direction in which what is added there counts. σ of each norm is held as it was in this pass.
    """

    position: int
    parts: tuple[Part, ...]
    directions: Mapping[str, Numbers] = attrs.field(repr=False)
    trace: RecordedPass = attrs.field(repr=False)

    def tables(self) -> Tables:
        """`parts`: a row for each part, with its share in the number."""
        return {"parts": self._rows}

    def _rows(self) -> Columns:
        names = ("kind", "tap", "layer", "attention", "head")
        return {"part": [each.label for each in self.parts], **listed(self.parts, *names), "share": self.values}

    @property
    def values(self) -> Numbers:
        """[part] the share of each part in the number."""
        raise NotImplementedError

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return float(self.values.sum())

    def told(self, head: str, remainder: float) -> str:
        """The number, which `head` names, and its six largest parts, in eight lines."""
        largest = np.argsort(-np.abs(self.values), kind="stable")[:6]
        lines = [f"    {self.values[place]:+8.4f}  {self.parts[place].label}" for place in largest]
        rest = f"    sum of {len(self.parts)} parts {self.total:+.4f}, remainder {remainder:.1e}"
        return "\n".join((head, *lines, rest))

    def direction(self, block: str) -> Numbers:
        """[feature] the direction in which the number grows with what a block adds."""
        return self.directions[block]

    def index(self, attention: str, layer: int, head: int) -> int | None:
        """The place of a head's part, with `attention` such as "decoder.cross_attn", or of "encoder.feed_forward"; or None."""
        return index_of(self.parts, attention, layer, head)

    def inside(self, attention: str, layer: int, head: int = -1) -> "ByKey | ByUnit":
        """What a head's part is the sum of, by its keys; with `attention` "decoder.feed_forward" a network's by its units.

        Raises NoSuchPart, NotLookedInto.
        """
        place = self.index(attention, layer, head)
        found: ByKey | ByUnit | None = None
        if place is not None:
            part = self.parts[place]
            found = by_key(self.trace, self, part) if part.kind == "head" else by_unit(self.trace, self, part)
        if found is None:
            raise NoSuchPart(got=f"{attention} {layer} {head}", part="sum")
        return found


@attrs.frozen(kw_only=True, eq=False)
class Reading(Attribution):
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
    recorded: float
    values: Numbers

    @property
    def remainder(self) -> float:
        """The recorded number minus the sum of the parts."""
        return self.recorded - self.total

    @property
    def exact(self) -> bool:
        """Whether the parts sum to the recorded number but for rounding."""
        return bool(abs(self.remainder) < EXACT * max(1.0, abs(self.recorded)))

    def __repr__(self) -> str:
        feature = f", {self.feature}" if self.feature >= 0 else ""
        head = f"Reading: {self.tap}[{self.head}, {self.position}{feature}] {self.recorded:+.4f} from the {self.side}'s stream"
        return self.told(head, self.remainder)


@attrs.frozen(eq=False)
class ByKey(Tabular):
    """A head's part by its keys: `values` [key] = `weights` [key] · `along` [key], and their sum is the part.

    `weights` are what the head mixed with (after dropout), `along` how far each key's value goes toward the word. `value`
    [key, feature] is V of the head and `direction` [feature] what each of its features counts: along = value·direction.
    `position` is the query's.
    """

    part: Part
    weights: Numbers
    value: Numbers
    direction: Numbers
    position: int
    trace: RecordedPass = attrs.field(repr=False)

    def tables(self) -> Tables:
        """`keys`: a row for each key, with its weight, V[k]·direction and their product."""
        values = {"weight": self.weights, "along": self.along, "share": self.values}
        return {"keys": partial(cells, values, key=None)}

    @property
    def along(self) -> Numbers:
        """[key] V[k]·direction."""
        made: Numbers = self.value @ self.direction
        return made

    @property
    def values(self) -> Numbers:
        """[key] A[q,k] · (V[k]·direction)."""
        return self.weights * self.along

    def features(self, key: int) -> Numbers:
        """[feature] the products of a key's value with the direction; their sum is `along[key]`."""
        made: Numbers = self.value[key] * self.direction
        return made

    def cell(self, key: int) -> Cell:
        """The cell of the head's map in which a key was looked at. Raises NoSuchPart."""
        if not 0 <= key < len(self.weights):
            raise NoSuchPart(got=str(key), part=self.part.label)
        attention = f"{place_of(self.part.tap).side}.{self.part.attention}"
        return Cell(attention, self.part.layer, self.part.head, self.position, key)

    def products(self, key: int) -> Numbers:
        """[feature] Q[q]·K[k] feature by feature; their sum is the score of the key. Raises NoSuchPart."""
        return products(self.trace, self.cell(key))

    def inside(self, key: int, which: Which, feature: int | None = None) -> Reading:
        """One number of the key's cell, by what the stream held that it was made from.

        `which` is "query", "key" or "value", and `feature` one feature of it. Without a feature it is the whole: the score of
        the cell, by what Q or K was made from, or V along the direction. The Trace needs the experiment "readers".
        Raises NoSuchPart, NotLookedInto.
        """
        cell = self.cell(key)
        if feature is not None and not 0 <= feature < len(self.direction):
            raise NoSuchPart(got=str(feature), part=self.part.label)
        return reading(self.trace, cell, which, self._along(cell, which) if feature is None else feature)

    def _along(self, cell: Cell, which: Which) -> Numbers:
        """[feature] what each feature of Q, K or V counts in the whole."""
        if which == "value":
            return self.direction
        other = "key" if which == "query" else "query"
        row = cell.key if other == "key" else cell.query
        vector: Numbers = self.trace[cell.tap(other)][self.trace.card.head_in(cell.tap(other), cell.head), row].astype(
            np.float64
        )
        return vector


@attrs.frozen(eq=False)
class ByUnit(Tabular):
    """A feed-forward's part by its units: `values` [unit] = `activated` [unit] · `along` [unit], and their sum is the part."""

    part: Part
    activated: Numbers
    along: Numbers

    def tables(self) -> Tables:
        """`units`: a row for each unit, with its activation, how far it goes, and their product."""
        values = {"activated": self.activated, "along": self.along, "share": self.values}
        return {"units": partial(cells, values, unit=None)}

    @property
    def values(self) -> Numbers:
        """[unit] f(hidden)[j] · (W₂[:, j]·direction)."""
        return self.activated * self.along


def reading(trace: RecordedPass, cell: Cell, which: Which, along: int | Numbers) -> Reading:
    """Q, K or V of a cell's row, in parts: one feature of it, or its product with `along` [feature].

    The Trace needs the experiment "readers". Raises NotLookedInto, NotKept, NoSuchPart.
    """
    weights = trace.experiments.get(READERS.key)
    if isinstance(weights, NotMade):
        raise bare(weights.error)
    if not isinstance(weights, ReadingWeights):
        raise NotLookedInto(name=READERS.key)
    if which not in WHICH:
        raise NoSuchPart(got=which, part=" ".join(WHICH))
    tap, block = cell.tap(which), cell.tap("").removesuffix(".")
    head, row = trace.card.head_in(tap, cell.head), cell.query if which == "query" else cell.key
    x = trace[tap][head, row].astype(np.float64)  # [feature]
    u = np.eye(len(x))[along] if isinstance(along, int) else along
    if block not in weights.matrices(which):
        raise LacksTap(name=READERS.key, tap=tap, why="absent.made_otherwise")
    # X = R_p·(W·h + b), so u·X = (R_pᵀ·u)·(W·h + b); R_p turns by the angles of position p where positions are rotary.
    before = before_turning(trace, weights, block, which, row, u)
    weight, bias = rows_of(weights.matrices(which)[block], head, len(x))
    across = block.endswith(".cross_attn") and which != "query"
    walk = WayBack(trace, weights, "encoder" if across else cell.attention.partition(".")[0], row)
    of_norm = np.zeros(1)
    if tap in weights.head_norms:
        # X = γ·(y - mean(y))/σ + β, where y = W·h + b; of an RMS norm, the mean counts as 0.
        y = weight @ walk.read_by(block) + (0 if bias is None else bias)
        directions, of_norm = through_norm(y, weights.head_norms[tap], before[None])
        before = directions[0]
    g = (before @ weight)[None]  # [row 1, feature]
    found = list(walk.from_end(g) if across else walk.before(block, g))
    found.reverse()
    if bias is not None:
        found.append((Part(_BIASES[which], tap, cell.layer, block.rpartition(".")[2]), np.array([before @ bias])))
    if of_norm.any():
        found.append((Part("norm_bias", tap, cell.layer, block.rpartition(".")[2]), of_norm))
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


def heads_open(trace: RecordedPass, block: str) -> bool:
    """Whether the heads of an attention can be split by their keys: of some foreign models, no values are recorded."""
    return f"{block}.value" in trace.axis_names


def by_key(trace: RecordedPass, of: Attribution, part: Part) -> ByKey:
    """The part of a head, split by its keys. Raises NotKept, NotLookedInto, LacksTap."""
    block = part.block
    if not heads_open(trace, block):
        raise LacksTap(name=WHY.key, tap=f"{block}.value", why=trace.card.why_absent(f"{block}.value"))
    value = trace[f"{block}.value"][trace.card.head_in(f"{block}.value", part.head)].astype(np.float64)  # [key, feature]
    weights = trace[f"{block}.dropped"][part.head, of.position].astype(np.float64)  # [key]
    direction = head_directions(_weights(trace, block), block, of.direction(block), value.shape[1])[part.head]
    gate = _gate(weights @ value, trace[f"{block}.mixed"][part.head, of.position])
    return ByKey(part, weights, value, direction * gate, of.position, trace)


def _gate(mixed: Numbers, arrived: Array) -> Numbers:
    """[…, feature] what a model multiplies the mixed values with before W_O, held as it was; 1 where W_O reads them plainly."""
    if np.allclose(mixed, arrived, rtol=1e-3, atol=1e-4 * float(np.abs(mixed).max())):
        return np.ones_like(mixed)
    # o = gate ⊙ Σ_k A[q,k]·V[k]
    made: Numbers = np.divide(arrived, mixed, out=np.zeros_like(mixed), where=mixed != 0)
    return made


def by_keys(trace: RecordedPass, parts: Attribution, block: str) -> Numbers:
    """[head, key] the parts of all heads of an attention, split by their keys: row h is `by_key(…).values` of head h.

    `block` is the beginning of its taps, one of `parts.directions`. Raises NotKept.
    """
    weights = trace[f"{block}.dropped"][:, parts.position].astype(np.float64)  # [head, key]
    heads = [trace.card.head_in(f"{block}.value", head) for head in range(len(weights))]
    value = trace[f"{block}.value"].astype(np.float64)[heads]  # [head, key, feature]
    direction = head_directions(_weights(trace, block), block, parts.direction(block), value.shape[2])  # [head, feature]
    mixed = (weights[:, None] @ value)[:, 0]  # [head, feature]
    direction = direction * _gate(mixed, trace[f"{block}.mixed"][:, parts.position])
    # c[h,k] = A[h,q,k] · (V[h,k]·direction[h])
    made: Numbers = weights * (value @ direction[:, :, None])[..., 0]
    return made


def by_unit(trace: RecordedPass, of: Attribution, part: Part) -> ByUnit | None:
    """The part of a feed-forward, split by its units; None while dropout hides which of them count, and for several experts.

    Raises NotKept, NotLookedInto.
    """
    weights = _weights(trace, part.block)
    if weights.dropout or part.block not in weights.networks:
        return None
    along = of.direction(part.block).astype(np.float32) @ weights.networks[part.block].weight  # [unit]
    activated = trace[f"{part.block}.activated"][of.position]  # [unit]
    return ByUnit(part, activated.astype(np.float64), along.astype(np.float64))


def products(trace: RecordedPass, cell: Cell) -> Numbers:
    """[feature] Q[q]·K[k] feature by feature, in the cell's head; their sum is the score before the softmax. Raises NotKept."""
    query = trace[cell.tap("query")][cell.head, cell.query].astype(np.float64)
    key = trace[cell.tap("key")][trace.card.head_in(cell.tap("key"), cell.head), cell.key].astype(np.float64)
    # S[q,k] = Σ_i Q[q,i]·K[k,i]
    made: Numbers = query * key
    return made


def _weights(trace: RecordedPass, block: str) -> StreamWeights:
    """The weights of a block: those of both sides where they are there, else those of the decoder."""
    readers, output = trace.experiments.get(READERS.key), trace.experiments.get(WHY.key)
    if isinstance(readers, ReadingWeights):
        return readers
    if isinstance(output, OutputWeights) and block.startswith("decoder."):
        return output
    raise NotLookedInto(name=(READERS if isinstance(output, OutputWeights) else WHY).key)
