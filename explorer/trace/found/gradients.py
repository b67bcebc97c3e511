"""Gradients: how the log-probability of the chosen words answers to each number of each tap.

    g = ∂ y / ∂ x,   y = Σ log p(w)   over the chosen words

x is the tensor of a tap, g has its shape. Σ x · g is what y would lose with the tensor at zero, if y were linear in it
(gradient × value: Simonyan, Vedaldi, Zisserman 2014; Shrikumar et al. 2016, section 3). It is a local estimate: `Zeroed` has
what y does lose.
"""

from collections.abc import Mapping

import attrs

from explorer.trace.arrays import Array
from explorer.trace.recorded_pass import unknown_tap


@attrs.frozen(eq=False)
class Gradients:
    """`by_tap` has the gradients (nats for each unit of the tensor), in the shapes of the taps.

    Taps from which no way leads to these words have none. `position` is the place of the word, -1 where all words are summed;
    `log_p` (nats) is y. `products` has by tap Σ x · g (nats), over all finite numbers of the tensor.
    """

    position: int
    words: tuple[str, ...]
    log_p: float
    by_tap: Mapping[str, Array]
    products: Mapping[str, float]

    def names(self) -> tuple[str, ...]:
        """The taps that have a gradient, in the order in which the data flowed through them."""
        return tuple(self.by_tap)

    def __getitem__(self, tap: str) -> Array:
        """The gradient of a tap. Raises UnknownTap."""
        if tap not in self.by_tap:
            raise unknown_tap(tap, self.by_tap)
        return self.by_tap[tap]

    def __repr__(self) -> str:
        return f"<Gradients of log p({' '.join(self.words)}) = {self.log_p:.3f} nat at {len(self.by_tap)} taps>"


@attrs.frozen(eq=False)
class Zeroed:
    """What the chosen words lose when the whole tensor of a `tap` is zero: `lost` = log p before − after (nats)."""

    tap: str
    position: int
    lost: float
