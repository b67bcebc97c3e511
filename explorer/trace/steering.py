"""Steering: the vector that tells one set of sentences from another in a layer's stream.

Added to the stream of a further sentence with a factor, by a Change of the kind "add", it pushes that sentence's pass toward
the first set. Decision: a Change with one number for each feature. Rejected: a kind of its own that names both sets of
sentences, which would have every pass wait for as many other passes.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.errors import NotKept
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.trace import Trace


def mean_difference(traces: Sequence[Trace], others: Sequence[Trace], tap: str) -> Array:
    """[feature] the mean of a tap [position, feature] over all tokens of `traces`, minus that over all tokens of `others`.

    Raises UnknownTap, NotKept.
    """
    # v = mean_A x − mean_B x
    first, second = (np.concatenate([_rows(trace, tap) for trace in some]).mean(axis=0) for some in (traces, others))
    return frozen_array(first - second)


def _rows(trace: Trace, tap: str) -> NDArray[np.float64]:
    """[token, feature] a tap in float64, so that a mean over many tokens loses nothing."""
    if trace.map(tap).array is None:
        raise NotKept(tap=tap, n_tokens=max(len(trace.tokens.source), len(trace.tokens.target)))
    return trace[tap].astype(np.float64)
