"""Why this word, one step further in: a head's part by its keys, a key's part by its features, a network's part by its units.

Each split is exact as well, and each factor is a recorded number or a product of one with weights.
"""

from typing import TYPE_CHECKING

import attrs
import numpy as np

from explorer.errors import NotLookedInto
from explorer.mathematics import Numbers
from explorer.trace.findings import OutputWeights
from explorer.trace.tap_names import Cell
from explorer.trace.why import Part, Parts, head_directions

if TYPE_CHECKING:
    from explorer.trace.trace import Trace


@attrs.frozen(eq=False)
class ByKey:
    """A head's part by its keys: `values` [key] = `weights` [key] · `along` [key], and their sum is the part.

    `weights` are what the head mixed with (after dropout), `along` how far each key's value goes toward the word. `value`
    [key, feature] is V of the head and `direction` [feature] what each of its features counts: along = value·direction.
    """

    part: Part
    weights: Numbers
    value: Numbers
    direction: Numbers

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


def by_key(trace: "Trace", parts: Parts, part: Part) -> ByKey:
    """The part of a head, split by its keys. Raises NotKept."""
    block = part.block
    direction = head_directions(_weights(trace), block, _difference(parts, block), trace.card.d_head)[part.head]
    value = trace[f"{block}.value"][trace.card.head_in(f"{block}.value", part.head)]  # [key, feature]
    weights = trace[f"{block}.dropped"][part.head, parts.position]  # [key]
    return ByKey(part, weights.astype(np.float64), value.astype(np.float64), direction)


def by_keys(trace: "Trace", parts: Parts, block: str) -> Numbers:
    """[head, key] the parts of all heads of an attention, split by their keys: row h is `by_key(…).values` of head h.

    `block` is the beginning of its taps, one of `parts.directions`. Raises NotKept.
    """
    direction = head_directions(_weights(trace), block, _difference(parts, block), trace.card.d_head)  # [head, feature]
    heads = [trace.card.head_in(f"{block}.value", head) for head in range(len(direction))]
    value = trace[f"{block}.value"].astype(np.float64)[heads]  # [head, key, feature]
    weights = trace[f"{block}.dropped"][:, parts.position].astype(np.float64)  # [head, key]
    # c[h,k] = A[h,q,k] · (V[h,k]·direction[h])
    made: Numbers = weights * (value @ direction[:, :, None])[..., 0]
    return made


def by_unit(trace: "Trace", parts: Parts, part: Part) -> ByUnit | None:
    """The part of a feed-forward, split by its units; None while dropout hides which of them count. Raises NotKept."""
    weights = _weights(trace)
    if weights.dropout:
        return None
    along = _difference(parts, part.block).astype(np.float32) @ weights.networks[part.block].weight  # [unit]
    activated = trace[f"{part.block}.activated"][parts.position]  # [unit]
    return ByUnit(part, activated.astype(np.float64), along.astype(np.float64))


def products(trace: "Trace", cell: Cell) -> Numbers:
    """[feature] Q[q]·K[k] feature by feature, in the cell's head; their sum is the score before the softmax. Raises NotKept."""
    query = trace[cell.tap("query")][cell.head, cell.query].astype(np.float64)
    key = trace[cell.tap("key")][trace.card.head_in(cell.tap("key"), cell.head), cell.key].astype(np.float64)
    # S[q,k] = Σ_i Q[q,i]·K[k,i]
    made: Numbers = query * key
    return made


def _difference(parts: Parts, block: str) -> Numbers:
    """[feature] the direction in which the difference of the two logits grows."""
    both = parts.directions[block]  # [word rival, feature]
    made: Numbers = both[0] - both[1]
    return made


def _weights(trace: "Trace") -> OutputWeights:
    found = trace.experiments.get("why")
    if not isinstance(found, OutputWeights):
        raise NotLookedInto(name="why")
    return found
