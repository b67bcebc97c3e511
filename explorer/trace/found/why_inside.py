"""Why this word, further in: a head's part by its keys, a key's part by its features, a network's part by its units; and each
number of Q, K or V by what the stream held that it was made from, down to the embedding.

Each split is exact as well, and each factor is a recorded number or a product of one with weights.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from explorer.errors import LacksTap, NoSuchPart, NotLookedInto
from explorer.mathematics import Numbers
from explorer.trace.found.findings import OutputWeights, ReadingWeights
from explorer.trace.found.reading import Reading, Which, reading
from explorer.trace.found.stream_parts import Part, StreamWeights, head_directions
from explorer.trace.found.way import Step
from explorer.trace.found.why import Parts
from explorer.trace.tap_names import Cell, place_of

if TYPE_CHECKING:
    from explorer.trace.trace import Trace


@attrs.frozen(eq=False)
class ByKey:
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
    trace: "Trace" = attrs.field(repr=False)

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
class ByUnit:
    """A feed-forward's part by its units: `values` [unit] = `activated` [unit] · `along` [unit], and their sum is the part."""

    part: Part
    activated: Numbers
    along: Numbers

    @property
    def values(self) -> Numbers:
        """[unit] f(hidden)[j] · (W₂[:, j]·direction)."""
        return self.activated * self.along


def inside(of: Parts | Reading, attention: str, layer: int, head: int) -> ByKey | ByUnit:
    """What one part is the sum of: a head's keys, or the units of "decoder.feed_forward". Raises NoSuchPart, NotLookedInto."""
    place = of.index(attention, layer, head)
    found: ByKey | ByUnit | None = None
    if place is not None:
        part = of.parts[place]
        found = by_key(of.trace, of, part) if part.kind == "head" else by_unit(of.trace, of, part)
    if found is None:
        raise NoSuchPart(got=f"{attention} {layer} {head}", part="sum")
    return found


def walked(parts: Parts, steps: Sequence[Step]) -> tuple[Parts | Reading, ...]:
    """The sums that a way leads through, first the Parts themselves, last where it ends. Raises NoSuchPart, NotLookedInto."""
    passed: list[Parts | Reading] = [parts]
    for step in steps:
        found = inside(passed[-1], step.attention, step.layer, step.head)
        assert isinstance(found, ByKey)  # A step leads through a head.
        passed.append(found.inside(step.key, step.which, step.feature))  # type: ignore[arg-type]  # `steps_of` has checked it.
    return tuple(passed)


def heads_open(trace: "Trace", block: str) -> bool:
    """Whether the heads of an attention can be split by their keys: of some models of others, no values are seen."""
    return f"{block}.value" in trace.axis_names


def by_key(trace: "Trace", of: Parts | Reading, part: Part) -> ByKey:
    """The part of a head, split by its keys. Raises NotKept, NotLookedInto, LacksTap."""
    block = part.block
    if not heads_open(trace, block):
        raise LacksTap(name="why", tap=f"{block}.value", why=trace.card.why_absent(f"{block}.value"))
    direction = head_directions(_weights(trace, block), block, of.direction(block), trace.card.d_head)[part.head]
    value = trace[f"{block}.value"][trace.card.head_in(f"{block}.value", part.head)]  # [key, feature]
    weights = trace[f"{block}.dropped"][part.head, of.position]  # [key]
    return ByKey(part, weights.astype(np.float64), value.astype(np.float64), direction, of.position, trace)


def by_keys(trace: "Trace", parts: Parts, block: str) -> Numbers:
    """[head, key] the parts of all heads of an attention, split by their keys: row h is `by_key(…).values` of head h.

    `block` is the beginning of its taps, one of `parts.directions`. Raises NotKept.
    """
    direction = head_directions(_weights(trace, block), block, parts.direction(block), trace.card.d_head)  # [head, feature]
    heads = [trace.card.head_in(f"{block}.value", head) for head in range(len(direction))]
    value = trace[f"{block}.value"].astype(np.float64)[heads]  # [head, key, feature]
    weights = trace[f"{block}.dropped"][:, parts.position].astype(np.float64)  # [head, key]
    # c[h,k] = A[h,q,k] · (V[h,k]·direction[h])
    made: Numbers = weights * (value @ direction[:, :, None])[..., 0]
    return made


def by_unit(trace: "Trace", of: Parts | Reading, part: Part) -> ByUnit | None:
    """The part of a feed-forward, split by its units; None while dropout hides which of them count, and for several experts.

    Raises NotKept, NotLookedInto.
    """
    weights = _weights(trace, part.block)
    if weights.dropout or part.block not in weights.networks:
        return None
    along = of.direction(part.block).astype(np.float32) @ weights.networks[part.block].weight  # [unit]
    activated = trace[f"{part.block}.activated"][of.position]  # [unit]
    return ByUnit(part, activated.astype(np.float64), along.astype(np.float64))


def products(trace: "Trace", cell: Cell) -> Numbers:
    """[feature] Q[q]·K[k] feature by feature, in the cell's head; their sum is the score before the softmax. Raises NotKept."""
    query = trace[cell.tap("query")][cell.head, cell.query].astype(np.float64)
    key = trace[cell.tap("key")][trace.card.head_in(cell.tap("key"), cell.head), cell.key].astype(np.float64)
    # S[q,k] = Σ_i Q[q,i]·K[k,i]
    made: Numbers = query * key
    return made


def _weights(trace: "Trace", block: str) -> StreamWeights:
    """The weights of a block: those of both sides where they are there, else those of the decoder."""
    readers, output = trace.experiments.get("readers"), trace.experiments.get("why")
    if isinstance(readers, ReadingWeights):
        return readers
    if isinstance(output, OutputWeights) and block.startswith("decoder."):
        return output
    raise NotLookedInto(name="readers" if isinstance(output, OutputWeights) else "why")
