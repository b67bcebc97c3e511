"""Costs: what switching the largest parts of an account off really does to the difference that they are parts of."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from explorer.trace.arrays import Array
from explorer.trace.found.stream_parts import Part

if TYPE_CHECKING:
    from explorer.trace.found.why import Parts

MOST = 9
"""So many parts are switched off."""


@attrs.frozen(kw_only=True, eq=False)
class Costs:
    """The effects of switching off heads and feed-forwards on a word and on its rival at one step, each in a pass of its own.

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

    def is_of(self, parts: "Parts") -> bool:
        """Whether they belong to this account."""
        return (self.position, self.word, self.rival) == (parts.position, parts.word, parts.rival)


@attrs.frozen
class Removable:
    """A part that can be switched off, and its whole share: of a feed-forward with its bias, which goes with it."""

    part: Part
    share: float


def removable(parts: "Parts", most: int = MOST) -> tuple[Removable, ...]:
    """The largest parts that can be switched off, the largest first: heads and feed-forwards."""
    values = parts.values
    found = [Removable(part, float(values[n]) + _bias(parts, part)) for n, part in enumerate(parts.parts) if part.block]
    return tuple(sorted(found, key=lambda each: -abs(each.share))[:most])


def _bias(parts: "Parts", part: Part) -> float:
    """The share of the bias that a feed-forward adds with its units; 0 for a head."""
    if part.kind != "feed_forward":
        return 0.0
    return float(sum(parts.values[_places(parts.parts, part)]))


def _places(parts: Sequence[Part], part: Part) -> list[int]:
    return [n for n, each in enumerate(parts) if each.kind == "feed_forward_bias" and each.layer == part.layer]


def shown_values(costs: Costs, shown: Sequence[Removable]) -> Array:
    """[shown] the costs of some parts; NaN for those that were not switched off."""
    known = dict(zip(costs.parts, costs.values.tolist(), strict=True))
    return np.array([known.get(each.part, np.nan) for each in shown], np.float32)
