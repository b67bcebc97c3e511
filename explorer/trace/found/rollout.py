"""Attention rollout: how attention through several layers might add up. Abnar and Zuidema 2020, section 3.

It is a heuristic. Heads are averaged, the residual connection counts as half of each layer, and what values, feed-forwards and
norms do to a token on its way is left out.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array

Values = NDArray[np.float64]


def rollout(layers: Sequence[Array]) -> Values:
    """[query, key] from the weights [head, query, key] of each layer of one self-attention, the first layer first."""
    n = layers[0].shape[-1]
    R: Values = np.eye(n)
    for weights in layers:
        # Ā = Σ_h A[h] / n_heads
        mean = weights.mean(axis=0, dtype=np.float64)  # [head, query, key] to [query, key]
        # R_l = (½·Ā_l + ½·I)·R_{l−1}
        R = (0.5 * mean + 0.5 * np.eye(n)) @ R
    return R
