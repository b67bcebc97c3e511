"""What one further change does to a translation, found out before anybody switches it on."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array


@attrs.frozen(eq=False)
class Consequence:
    """What a change adds to a state of the model.

    `before` and `after` are the translations without and with it; both are "" where the model writes none. `words` are those
    of the unchanged translation, "" for its end, with their log-probabilities `log_p` and `log_p_after` [word] (nats) without
    and with the change. Every word is given the words before it from that one translation, so a word is the same everywhere.
    """

    words: tuple[str, ...]
    log_p: Array
    log_p_after: Array
    before: str
    after: str

    @property
    def differences(self) -> NDArray[np.float64]:
        """[word] Δ log p = log p with the change − log p without it (nats)."""
        with np.errstate(invalid="ignore"):  # The difference of two infinite values is NaN.
            made: NDArray[np.float64] = self.log_p_after.astype(np.float64) - self.log_p
        return made

    @property
    def largest(self) -> int:
        """The place of the word that is hit most; a NaN is hit more than any number."""
        return int(np.where(np.isnan(self.differences), np.inf, np.abs(self.differences)).argmax())
