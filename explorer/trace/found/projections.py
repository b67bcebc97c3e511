"""From one number of Q, K or V back to what its attention read: through the positions' turn and the head's rows of W.

Letters: u says what each feature of Q, K or V counts, h what the attention reads, W and b are the matrix and bias of one head.
"""

from typing import Literal

import numpy as np

from explorer.mathematics import Numbers
from explorer.trace.found.weights import Matrix, ReadingWeights, Turn
from explorer.trace.recorded_pass import RecordedPass

Which = Literal["query", "key", "value"]
WHICH: tuple[Which, ...] = ("query", "key", "value")


def rows_of(matrix: Matrix, head: int, d_head: int) -> tuple[Numbers, Numbers | None]:
    """The rows of one head and their biases, in float64."""
    own = slice(head * d_head, (head + 1) * d_head)
    return matrix.weight[own].astype(np.float64), None if matrix.bias is None else matrix.bias[own].astype(np.float64)


def before_turning(trace: RecordedPass, weights: ReadingWeights, block: str, which: Which, row: int, u: Numbers) -> Numbers:
    """[feature] R_pᵀ·u for the queries and keys of self-attention under rotary positions, else u."""
    if which == "value" or not block.endswith(".self_attn"):
        return u
    if block in weights.turns:
        return _turned_back_by(weights.turns[block], u, row)
    own_rotary = trace.card.position == "rotary" and trace.config is not None
    return _turned_back(u, row, trace.card.position_base) if own_rotary else u


def _turned_back_by(turn: Turn, u: Numbers, position: int) -> Numbers:
    """[feature] R_pᵀ·u, where feature i is turned together with feature j."""
    cos, sin = (each[position].astype(np.float64) for each in (turn.cos, turn.sin))  # [turned feature]
    n = len(cos)
    order = np.arange(n)
    i, j = (order[::2], order[1::2]) if turn.paired else (order[: n // 2], order[n // 2 :])
    made = u.astype(np.float64)
    # (R_pᵀ·u)[i] = u[i]·cos[i] + u[j]·sin[j],  (R_pᵀ·u)[j] = u[j]·cos[j] − u[i]·sin[i]
    made[i], made[j] = u[i] * cos[i] + u[j] * sin[j], u[j] * cos[j] - u[i] * sin[i]
    return made


def _turned_back(u: Numbers, position: int, base: float) -> Numbers:
    """[feature] R_pᵀ·u: each pair of features (2i, 2i+1) turned back by the angle p·w_i; an odd last one stays."""
    n_pairs = len(u) // 2
    # w_i = base^(-2i/d_head)
    angle = position * base ** (-2.0 * np.arange(n_pairs) / len(u))  # [pair]
    even, odd = u[0 : 2 * n_pairs : 2], u[1 : 2 * n_pairs : 2]  # [pair]
    made = u.astype(np.float64)
    made[0 : 2 * n_pairs : 2] = even * np.cos(angle) + odd * np.sin(angle)
    made[1 : 2 * n_pairs : 2] = odd * np.cos(angle) - even * np.sin(angle)
    return made
