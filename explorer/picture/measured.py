"""One measure of all heads of a wall: a label for each thumbnail, and their order."""

from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words


@attrs.frozen(kw_only=True, eq=False)
class Measured:
    """`values` [layer, head] of the measure `key`, NaN where it means nothing; `name` and `formula` are as a reader sees them.

    `order` has all places of the wall, layer · n_heads + head, as they stand one after the other; () where layers stay layers.
    """

    key: str
    name: str
    formula: str
    values: NDArray[np.float64]
    unit: str = ""
    order: tuple[int, ...] = ()

    @cached_property  # Each head asks, and each answer sorts all heads.
    def ranks(self) -> tuple[int, ...]:
        """For each place of the wall, layer · n_heads + head, where in `order` it stands."""
        return tuple(int(place) for place in np.argsort(self.order))

    def figure(self, layer: int, head: int) -> str:
        """The value of a head with two decimals, a dash where there is none."""
        value = float(self.values[layer, head])
        if not np.isfinite(value):
            return "–"
        return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"

    def told(self, layer: int, head: int, words: Words) -> str:
        """The value of a head in words, with its unit."""
        unit = f" {words(f'heads.unit.{self.unit}')}" if self.unit and np.isfinite(self.values[layer, head]) else ""
        return f"{self.name} {self.figure(layer, head)}{unit}"


def falling(values: NDArray[np.float64]) -> tuple[int, ...]:
    """The places of [layer, head] from the largest value to the smallest; what is no number comes last, ties as they stand."""
    return tuple(int(place) for place in np.argsort(-np.nan_to_num(values.ravel(), nan=-np.inf), kind="stable"))
