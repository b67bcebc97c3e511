"""Costs: what ablating the largest parts of an attribution does to the difference of logits that they are parts of."""

from collections.abc import Sequence

import attrs
import numpy as np

from explorer.mathematics import Numbers
from explorer.trace.arrays import Array
from explorer.trace.found.part import Part

MOST = 9
"""How many parts are ablated."""


@attrs.frozen(kw_only=True, eq=False)
class Costs:
    """The effects of ablating heads and feed-forwards on a word and on its rival at one step, each in a pass of its own.

    `effects` [part, word rival] are Δ log p (nats), the same numbers as those of the sweep over all parts (`Effects`).
    """

    position: int
    word: int
    rival: int
    parts: tuple[Part, ...]
    effects: Array

    @property
    def values(self) -> Array:
        """[part] by how much the difference of the two logits falls without the part."""
        # logit(w) − logit(r) = log p(w) − log p(r), and so are their changes.
        made: Array = self.effects[:, 1] - self.effects[:, 0]
        return made

    def is_of(self, position: int, word: int, rival: int) -> bool:
        """Whether these are the costs of the attribution of this word against this rival."""
        return (self.position, self.word, self.rival) == (position, word, rival)


@attrs.frozen
class Removable:
    """A part that can be ablated, and its whole share: of a feed-forward with its bias, which goes with it."""

    part: Part
    share: float


def removable(parts: Sequence[Part], values: Numbers, most: int = MOST) -> tuple[Removable, ...]:
    """The parts with the largest `values` [part] that can be ablated, the largest first: heads and feed-forwards."""
    bias = {part.layer: float(values[n]) for n, part in enumerate(parts) if part.kind == "feed_forward_bias"}

    def share(n: int, part: Part) -> float:
        return float(values[n]) + (bias.get(part.layer, 0.0) if part.kind == "feed_forward" else 0.0)

    found = [Removable(part, share(n, part)) for n, part in enumerate(parts) if part.block]
    return tuple(sorted(found, key=lambda each: -abs(each.share))[:most])


def shown_values(costs: Costs, shown: Sequence[Removable]) -> Array:
    """[shown] the costs of some parts; NaN for those that were not ablated."""
    known = dict(zip(costs.parts, costs.values.tolist(), strict=True))
    return np.array([known.get(each.part, np.nan) for each in shown], np.float32)
