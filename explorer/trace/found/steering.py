"""Steering vectors: the difference of two sets of sentences in a layer's residual stream.

A Change of the kind "add" adds the vector times a factor to the stream of another sentence and steers its pass toward the
first set. Decision: a Change with one number for each feature. Rejected: a kind of its own that names both sets of
sentences, which would have every pass wait for as many other passes.
"""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import NotKept
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.changes import Change
from explorer.trace.recorded_pass import RecordedPass

_ROUNDING = 1e-5  # a share of the largest number; the vectors are float32


def mean_difference(traces: Sequence[RecordedPass], others: Sequence[RecordedPass], tap: str) -> Array:
    """[feature] the mean of a tap [position, feature] over all tokens of `traces`, minus that over all tokens of `others`.

    Raises UnknownTap, NotKept.
    """
    # v = mean_A x − mean_B x
    first, second = (np.concatenate([_rows(trace, tap) for trace in some]).mean(axis=0) for some in (traces, others))
    return frozen_array(first - second)


def _rows(trace: RecordedPass, tap: str) -> NDArray[np.float64]:
    """[token, feature] a tap in float64, so that a mean over many tokens loses nothing."""
    if trace.map(tap).array is None:
        raise NotKept(tap=tap, n_tokens=max(len(trace.tokens.source), len(trace.tokens.target)))
    return trace[tap].astype(np.float64)


@attrs.frozen(eq=False)
class Steering:
    """What tells one set of sentences, `toward`, from the other, `away`, in the stream behind every layer.

    `vectors` has by tap the difference of means [feature]. `lengths` has by tap the mean length of the vectors that the stream
    has there for all tokens of both sets, which a factor can be judged by.
    """

    toward: tuple[str, ...]
    away: tuple[str, ...]
    vectors: Mapping[str, Array]
    lengths: Mapping[str, float]

    def fits(self, trace: RecordedPass) -> bool:
        """Whether a Trace has the streams that these vectors are made for."""
        return all(tap in trace and trace.shape(tap)[-1] == len(vector) for tap, vector in self.vectors.items())

    def change(self, tap: str, factor: float) -> Change | None:
        """The Change that adds `factor` times the vector to the stream; None for 0, which adds nothing."""
        return Change(tap, "add", value=(factor * self.vectors[tap].astype(np.float64)).tolist()) if factor else None

    def steered_by(self, changes: Sequence[Change]) -> Change | None:
        """The first change that adds a vector to the whole stream behind a layer, also where it is switched off."""
        return next((each for each in changes if self._steers(each)), None)

    def _steers(self, change: Change) -> bool:
        whole = change.kind == "add" and change.rows is None and change.columns is None
        return whole and change.tap in self.vectors and isinstance(change.value, tuple)

    def factor(self, change: Change) -> float:
        """How many times the vector a change adds: f in value = f·v; the nearest f where it adds another vector."""
        vector, value = self.vectors[change.tap].astype(np.float64), np.array(change.value)
        # f = value·v / v·v
        return float(value @ vector / (vector @ vector)) if vector.any() else 0.0

    def is_own(self, change: Change) -> bool:
        """Whether a change adds a multiple of the vector, and not one that was made of other sentences."""
        vector, value = self.vectors[change.tap].astype(np.float64), np.array(change.value)
        return float(np.abs(value - self.factor(change) * vector).max()) <= _ROUNDING * float(np.abs(value).max())


def steering_of(
    sets: tuple[Sequence[str], Sequence[str]], traces: Sequence[Sequence[RecordedPass]], taps: Sequence[str]
) -> Steering:
    """The Steering of two sets of sentences with their passes. Raises UnknownTap, NotKept."""
    lengths = {}
    for tap in taps:
        rows = np.concatenate([_rows(trace, tap) for some in traces for trace in some])  # [token, feature]
        lengths[tap] = float(np.linalg.norm(rows, axis=-1).mean())
    vectors = {tap: mean_difference(traces[0], traces[1], tap) for tap in taps}
    return Steering(tuple(sets[0]), tuple(sets[1]), vectors, lengths)
