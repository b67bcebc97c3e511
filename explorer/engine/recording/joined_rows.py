"""The rows of all steps of decoding, put together to the arrays of one pass.

A step reads a few further tokens. Of all that goes through a tap in it, the last rows are new; with a cache, keys and values
come with all rows before them. A map has a column for each key so far; a model that looks a few tokens back alone may have
dropped the first ones.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from explorer.engine.recording.recorder import Recording
from explorer.trace.arrays import Array, frozen_array

_ROWS = ("position", "query")
# The value of a cell whose key a step has not seen: no weight, and closed. A score of it was never computed.
_UNSEEN = {"weights": 0.0, "dropped": 0.0, "masked": -math.inf}


class JoinedRows:
    """The rows so far: `add` those of each step, and `arrays` gives all of them."""

    def __init__(self) -> None:
        self.axes: dict[str, tuple[str, ...]] = {}
        self._parts: dict[str, list[NDArray[np.float32]]] = {}
        self.n = 0

    def add(self, step: Recording, n_new: int) -> None:
        """Add the last `n_new` rows of a step's recording."""
        self.n += n_new
        for tap, array in step.arrays.items():
            axes = self.axes.setdefault(tap, tuple(step.axes[tap]))
            parts = self._parts.setdefault(tap, [])
            if is_of_source(tap):  # All steps see the same keys and values of the source.
                parts[:] = [array]
                continue
            at = next(place for place, axis in enumerate(axes) if axis in _ROWS)
            new = np.take(array, range(array.shape[at] - n_new, array.shape[at]), axis=at)
            parts.append(self._with_all_keys(tap, new) if ".self_attn." in tap and "key" in axes else new)

    def arrays(self) -> Mapping[str, Array]:
        """By tap the rows of all steps, read-only."""
        joined = {}
        for tap, parts in self._parts.items():
            axes = self.axes[tap]
            if is_of_source(tap):
                joined[tap] = frozen_array(parts[-1])
                continue
            at = next(place for place, axis in enumerate(axes) if axis in _ROWS)
            widest = [_wider(tap, part, self.n) if ".self_attn." in tap and "key" in axes else part for part in parts]
            joined[tap] = frozen_array(np.concatenate(widest, axis=at))
        return joined

    def rows(self, tap: str, first: int) -> NDArray[np.float32] | None:
        """[head, position, feature] the rows of a tap from `first` on; None of a tap that was not recorded."""
        parts = self._parts.get(tap)
        if not parts:
            return None
        # Of many steps, only the last ones are asked for.
        found, missing = [], self.n - first
        for part in reversed(parts):
            if missing <= 0:
                break
            found.append(part)
            missing -= part.shape[-2]
        joined: NDArray[np.float32] = np.concatenate(found[::-1], axis=-2)
        return joined[..., max(0, -missing) :, :]

    def _with_all_keys(self, tap: str, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """A map's new rows with a column for each of the keys so far; those that the model has dropped come first."""
        dropped = self.n - rows.shape[-1]
        if dropped <= 0:
            return rows
        return np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(dropped, 0)], constant_values=_unseen(tap))


def is_of_source(tap: str) -> bool:
    """Whether a tap shows the keys or values of the source."""
    return ".cross_attn." in tap and tap.endswith((".key", ".value"))


def _unseen(tap: str) -> float:
    return _UNSEEN.get(tap.rpartition(".")[2], math.nan)


def _wider(tap: str, rows: NDArray[np.float32], n_keys: int) -> NDArray[np.float32]:
    """A map's rows with columns for the later keys, too."""
    later = [(0, 0)] * (rows.ndim - 1) + [(0, n_keys - rows.shape[-1])]
    return np.pad(rows, later, constant_values=_unseen(tap))
