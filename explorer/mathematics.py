"""The functions that formulas of lessons may call, in float64 and NumPy. They are independent of the model that they check.

`lessons.known` declares what each function costs.

Attention is written here once for all rooms without torch: lessons, pictures, and the export of heads whose maps were not
kept. `model.attention` has it in torch; a test compares the two.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Real = TypeVar("Real", np.float32, np.float64)
BLOCK = 64
"""`nearest_distance` compares this many rows of a table with as many others at once, this many features at a time.

All rows at once would need too much memory. Besides, NumPy's library multiplies larger blocks in several threads, which wait
for each other on a busy processor.
"""


def softmax(x: NDArray[Real]) -> NDArray[Real]:
    """Over the last axis: e^x / Σ e^x, in the precision of x. A row that has only -inf becomes NaN, as in torch."""
    # e^x / Σ e^x = e^(x - max) / Σ e^(x - max), and no power of the right side can overflow.
    powers: NDArray[Real] = np.exp(x - np.max(x, axis=-1, keepdims=True))
    powers /= powers.sum(axis=-1, keepdims=True)
    return powers


def alibi(slope: float, n_queries: int, n_keys: int, first: int = 0) -> Numbers:
    """[query, key] one head's bias -m·|q - k|; the first query stands at position `first`. Press et al. 2022."""
    queries, keys = np.arange(first, first + n_queries), np.arange(n_keys)
    bias: Numbers = -slope * np.abs(queries[:, None] - keys[None, :])
    return bias


def alibi_slope(head: int, n_heads: int) -> float:
    """The slope m_h = 2^(-8(h + 1)/n_heads) of head h = 0 … n_heads - 1."""
    return float(2.0 ** (-8 * (head + 1) / n_heads))


def attention_step(
    step: str,
    query: NDArray[Real],
    key: NDArray[Real],
    *,
    divisor: float,
    bias: Numbers | None = None,
    closed: NDArray[np.bool_] | None = None,
    mask_value: float = -np.inf,
) -> NDArray[Real]:
    """[query, key] one head's attention up to a step, from its Q [query, feature] and K [key, feature], in their precision.

    `step` is "scores", "scaled", "masked" or "weights". Vaswani et al. 2017, section 3.2.1: A = softmax(Q·Kᵀ / divisor +
    bias); where a cell is masked (`closed` [query, key]), `mask_value` replaces its score.
    """
    # S[q,k] = Q[q]·K[k]
    made: NDArray[Real] = query @ key.T  # [query, key]
    if step == "scores":
        return made
    # S[q,k] / divisor
    made /= divisor
    if step == "scaled":
        return made
    # M[q,k] = S[q,k] / divisor + B[q,k], and the mask's value in a masked cell
    if bias is not None:
        made += bias
    if closed is not None:
        made[closed] = mask_value
    # A[q,k] = exp(M[q,k]) / Σ_k exp(M[q,k])
    return made if step == "masked" else softmax(made)


def pe(pos: float, d: float, base: float = 10000.0, power: float = 1.0) -> Numbers:
    """[feature] the paper's sine and cosine values at position `pos`, with the exponent 2i/d multiplied by `power`.

    Vaswani et al. 2017, section 3.5.
    """
    pair = np.arange(int(d)) // 2
    angle = pos / base ** (power * 2 * pair / d)
    row: Numbers = np.where(np.arange(int(d)) % 2 == 0, np.sin(angle), np.cos(angle))
    return row


def pe_table(n: float, d: float, base: float = 10000.0, power: float = 1.0) -> Numbers:
    """[position, feature] the rows `pe(0, …)` to `pe(n - 1, …)`."""
    pair = np.arange(int(d)) // 2
    table: Numbers = np.arange(int(n))[:, None] / base ** (power * 2 * pair / d)  # [position, feature] the angles
    table[:, 0::2] = np.sin(table[:, 0::2])
    table[:, 1::2] = np.cos(table[:, 1::2])
    return table


WAVE_EXPONENTS = {
    "sinusoidal": (2, 2),
    "sinusoidal-doubled": (2, 1),
    "sinusoidal-halved": (1, 2),
    "sinusoidal-per-feature": (1, 1),
}
"""For each kind of sinusoids (a, b): feature j has the exponent a·⌊j/b⌋/d. "sine-only" has those of the last, and no cosine."""


def wave(kind: str, feature: int, places: Numbers, d: int, base: float) -> Numbers:
    """[place] one feature of sinusoidal positions at any places, whole or not: sin or cos of place / base^(exponent)."""
    factor, step = WAVE_EXPONENTS.get(kind, (1, 1))
    # sin(p·w_j) for even j, cos(p·w_j) for odd j, with w_j = base^(−a·⌊j/b⌋/d)
    angle = places / base ** (factor * (feature // step) / d)
    made: Numbers = np.cos(angle) if feature % 2 and kind != "sine-only" else np.sin(angle)
    return made


def doubled(pos: float, d: float, base: float = 10000.0) -> Numbers:
    """[feature] what tutorial A's loop computes: the exponent is 2j/d for feature j, so sine and cosine have different ones."""
    j = np.arange(int(d))
    angle = pos / base ** (2 * j / d)
    row: Numbers = np.where(j % 2 == 0, np.sin(angle), np.cos(angle))
    return row


def rotation(k: float, d: float, base: float = 10000.0) -> Numbers:
    """[feature, feature] the matrix M(k) with PE(pos + k) = M(k)·PE(pos): it turns each pair of features by k·w_i."""
    matrix, even = np.zeros((int(d), int(d))), 2 * np.arange(int(d) // 2)
    turn = k / base ** (even / d)
    matrix[even, even] = matrix[even + 1, even + 1] = np.cos(turn)
    matrix[even, even + 1] = np.sin(turn)
    matrix[even + 1, even] = -np.sin(turn)
    return matrix


def best_map(table: Numbers, k: int) -> tuple[Numbers, float]:
    """[feature, feature] the matrix that best maps each row of a table to the row k positions later, and its largest error.

    The matrix is block diagonal: each pair of features is fitted by itself, by least squares. `table` is [position, feature];
    the error is the largest absolute difference of any cell.
    """
    pairs, d = table.shape[1] // 2, table.shape[1]
    if not 0 < k < len(table) or not pairs:
        return np.zeros((d, d)), 0.0
    by_pair = table[:, : 2 * pairs].reshape(len(table), pairs, 2).transpose(1, 0, 2)  # [pair, position, 2]
    now, then = by_pair[:, :-k], by_pair[:, k:]
    # then = now @ fitted, so the block of M for a pair is fittedᵀ
    fitted = np.linalg.pinv(now) @ then  # [pair, 2, 2]
    matrix, even = np.zeros((d, d)), 2 * np.arange(pairs)
    for row in (0, 1):
        for column in (0, 1):
            matrix[even + row, even + column] = fitted[:, column, row]
    return matrix, float(np.abs(now @ fitted - then).max())


def best_pairs(table: Numbers, k: float) -> float:
    """The largest error of `best_map`."""
    return best_map(table, int(k))[1]


def layer_norm(x: Numbers, eps: float = 1e-5, shift: float = 0.0) -> Numbers:
    """nn.LayerNorm over the last axis: the variance is divided by n, and eps is added inside the root."""
    result: Numbers = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + shift
    return result


def std_eps_norm(x: Numbers, eps: float = 1e-6, shift: float = 0.0) -> Numbers:
    """The tutorials' norm classes over the last axis: the variance is divided by n - 1, eps added to the root."""
    result: Numbers = (x - x.mean(-1, keepdims=True)) / (spread(x, 1)[..., None] + eps) + shift
    return result


def batch_norm(x: Numbers, eps: float = 1e-5) -> Numbers:
    """nn.BatchNorm1d in training, over all axes but the last."""
    others = tuple(range(x.ndim - 1))
    result: Numbers = (x - x.mean(others, keepdims=True)) / np.sqrt(x.var(others, keepdims=True) + eps)
    return result


def nearest_distance(table: Numbers) -> float:
    """The smallest Euclidean distance between two rows of a table [row, feature]."""
    squares, smallest = (table**2).sum(1), np.inf
    for first in range(0, len(table), BLOCK):
        for second in range(first, len(table), BLOCK):
            some, others = slice(first, first + BLOCK), slice(second, second + BLOCK)
            # ‖a - b‖² = ‖a‖² + ‖b‖² - 2 a·b
            apart = squares[some, None] + squares[others]
            for feature in range(0, table.shape[1], BLOCK):
                features = slice(feature, feature + BLOCK)
                apart -= 2 * table[some, features] @ table[others, features].T
            if first == second:
                np.fill_diagonal(apart, np.inf)
            smallest = np.minimum(smallest, apart.min())
    return float(np.sqrt(np.maximum(0.0, smallest)))


def softmax_gradient(weights: Numbers) -> Numbers:
    """[…] the size of ∂A/∂S for each row A of weights: the Frobenius norm of diag(A) - A·Aᵀ.

    Where it is 0, no gradient flows back through the softmax.
    """
    # Σ_ij (δ_ij a_i - a_i a_j)² = Σ a_i² - 2 Σ a_i³ + (Σ a_i²)²
    squares = (weights**2).sum(-1)
    result: Numbers = np.sqrt(np.maximum(0.0, squares - 2 * (weights**3).sum(-1) + squares**2))
    return result


def zero_share(x: Numbers) -> float:
    """The share of numbers that are exactly 0."""
    return float((x == 0).mean())


def dead(activated: Numbers) -> float:
    """The share of features of `activated` [position, feature], after ReLU, that are 0 at every position of the sentence."""
    return float((activated == 0).all(axis=0).mean())


def alike(x: Numbers) -> float:
    """The mean cosine between two different rows of x [position, feature]: 1 if all rows point in the same direction."""
    unit = x / np.linalg.norm(x, axis=-1, keepdims=True)
    n = np.float64(len(x))
    # Σ_ab u_a·u_b = ‖Σ_a u_a‖². This sum has n cosines of a vector with itself, which are 1.
    return float(((unit.sum(0) ** 2).sum() - n) / (n * n - n))


def open_cells(weights: Numbers) -> Numbers:
    """[query] how many keys have a weight above 0, for each query."""
    counts: Numbers = (weights > 0).sum(axis=-1).astype(np.float64)
    return counts


def causal(n: float) -> Numbers:
    """[query, key] the causal mask: 1 where a query may see the key, else 0."""
    return np.tri(int(n))


def spread(x: Numbers, unbiased: float = 0.0) -> Numbers:
    """The standard deviation over the last axis. The variance is divided by n, or by n - 1 if `unbiased` is 1."""
    n = x.shape[-1]
    squares: Numbers = ((x - x.mean(-1, keepdims=True)) ** 2).sum(-1)
    result: Numbers = np.sqrt(np.divide(squares, n - float(unbiased)))
    return result
