"""What formulas may call: the field's own functions, in float64 and NumPy, independent of the model that they check."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.errors import BadFormula
from explorer.trace.experiments import EXPERIMENTS
from explorer.trace.measures import entropy_bits
from explorer.trace.trace import Trace

Value = NDArray[np.float64]
_MOST_CELLS = 2**22


def _room(cells: float) -> None:
    if not cells <= _MOST_CELLS:
        raise BadFormula(formula="", reason=f"> {_MOST_CELLS}")


def _rows(table: Value, ids: Value) -> Value:
    """The rows of a table, one for each id."""
    _room(ids.size * (table.size // max(1, len(table))))
    found: Value = table[ids.astype(int)]
    return found


def softmax(x: Value) -> Value:
    """Over the last axis: e^x / Σ e^x. A row of -inf alone is NaN, as in torch."""
    powers = np.exp(x - np.max(x, axis=-1, keepdims=True))
    result: Value = powers / powers.sum(axis=-1, keepdims=True)
    return result


def pe(pos: float, d: float, base: float = 10000.0, power: float = 1.0) -> Value:
    """[feature] one row of the paper's positions; its exponent 2i/d times `power`. Vaswani et al. 2017, section 3.5."""
    _room(d)
    pair = np.arange(int(d)) // 2
    angle = pos / base ** (power * 2 * pair / d)
    row: Value = np.where(np.arange(int(d)) % 2 == 0, np.sin(angle), np.cos(angle))
    return row


def pe_table(n: float, d: float, base: float = 10000.0, power: float = 1.0) -> Value:
    """[position, feature] the first n rows."""
    _room(n * d)
    return np.stack([pe(pos, d, base, power) for pos in range(int(n))])


def doubled(pos: float, d: float, base: float = 10000.0) -> Value:
    """[feature] tutorial A's loop: the exponent is 2j/d for feature j, the cosine's another than the sine's."""
    _room(d)
    j = np.arange(int(d))
    angle = pos / base ** (2 * j / d)
    row: Value = np.where(j % 2 == 0, np.sin(angle), np.cos(angle))
    return row


def rotation(k: float, d: float, base: float = 10000.0) -> Value:
    """[feature, feature] M(k): PE(pos + k) = M(k)·PE(pos), a turn of each pair by k·w_i."""
    _room(d * d)
    matrix = np.zeros((int(d), int(d)))
    for i in range(int(d) // 2):
        turn = k / base ** (2 * i / d)
        matrix[2 * i:2 * i + 2, 2 * i:2 * i + 2] = [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    return matrix


def best_map(table: Value, k: int) -> tuple[Value, float]:
    """[feature, feature] block diagonal: the linear map of each pair of features that carries every place best k places
    on, by least squares; and the largest cell that it leaves over."""
    pairs, d = table.shape[1] // 2, table.shape[1]
    if not 0 < k < len(table) or not pairs:
        return np.zeros((d, d)), 0.0
    by_pair = table[:, :2 * pairs].reshape(len(table), pairs, 2).transpose(1, 0, 2)  # [pair, position, 2]
    now, then = by_pair[:, :-k], by_pair[:, k:]
    fitted = np.linalg.pinv(now) @ then  # then = now @ fitted, so the block of M is fittedᵀ
    matrix = np.zeros((d, d))
    for pair, block in enumerate(fitted):
        matrix[2 * pair:2 * pair + 2, 2 * pair:2 * pair + 2] = block.T
    return matrix, float(np.abs(now @ fitted - then).max())


def best_pairs(table: Value, k: float) -> float:
    """What `best_map` leaves over."""
    return best_map(table, int(k))[1]


def layer_norm(x: Value, eps: float = 1e-5, shift: float = 0.0) -> Value:
    """Over the last axis, biased variance, eps inside the root: what nn.LayerNorm computes."""
    result: Value = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + shift
    return result


def std_eps_norm(x: Value, eps: float = 1e-6, shift: float = 0.0) -> Value:
    """Over the last axis, unbiased deviation, eps outside the root: what the tutorials' classes compute."""
    result: Value = (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True, ddof=1) + eps) + shift
    return result


def batch_norm(x: Value, eps: float = 1e-5) -> Value:
    """Over all axes but the last: what nn.BatchNorm1d computes in training."""
    others = tuple(range(x.ndim - 1))
    result: Value = (x - x.mean(others, keepdims=True)) / np.sqrt(x.var(others, keepdims=True) + eps)
    return result


def nearest_distance(table: Value) -> float:
    """The smallest Euclidean distance between two rows."""
    _room(len(table) ** 2)
    squares = (table**2).sum(1)
    apart = squares[:, None] + squares[None, :] - 2 * table @ table.T
    np.fill_diagonal(apart, np.inf)
    return float(np.sqrt(max(0.0, apart.min())))


def softmax_gradient(weights: Value) -> Value:
    """[…] the size of ∂A/∂S of each row: the Frobenius norm of diag(A) - A·Aᵀ. Nothing flows back where it is 0."""
    # Σ_ij (δ_ij a_i - a_i a_j)² = Σ a_i² - 2 Σ a_i³ + (Σ a_i²)²
    squares = (weights**2).sum(-1)
    result: Value = np.sqrt(np.maximum(0.0, squares - 2 * (weights**3).sum(-1) + squares**2))
    return result


def zero_share(x: Value) -> float:
    """Which share of all numbers is exactly 0."""
    return float((x == 0).mean())


def dead(activated: Value) -> float:
    """[position, feature] after ReLU: which share of the units is 0 at every position of the sentence."""
    return float((activated == 0).all(axis=0).mean())


def alike(x: Value) -> float:
    """[position, feature] the mean cosine between two different positions: 1 where all point the same way."""
    unit = x / np.linalg.norm(x, axis=-1, keepdims=True)
    n = len(x)
    return float(((unit @ unit.T).sum() - n) / (n * n - n))


def open_cells(weights: Value) -> Value:
    """[query] how many keys each query gives any weight."""
    counts: Value = (weights > 0).sum(axis=-1).astype(np.float64)
    return counts


def causal(n: float) -> Value:
    """[query, key] 1 where a query may look."""
    _room(n * n)
    return np.tri(int(n))


PLAIN: dict[str, Any] = {
    "softmax": softmax, "pe": pe, "pe_table": pe_table, "doubled": doubled, "rotation": rotation, "best_pairs": best_pairs,
    "layer_norm": layer_norm, "std_eps_norm": std_eps_norm, "batch_norm": batch_norm, "nearest_distance": nearest_distance,
    "zero_share": zero_share, "dead": dead, "alike": alike, "open_cells": open_cells, "pi": np.pi,
    "softmax_gradient": softmax_gradient, "entropy": entropy_bits, "causal": causal,
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "abs": np.abs,
    "round": lambda x, places=0.0: np.round(x, int(places)), "relu": lambda x: np.maximum(x, 0.0),
    "T": lambda x: np.swapaxes(x, -1, -2),
    "sum": lambda x, axis=None: np.sum(x, axis=None if axis is None else int(axis)),
    "mean": lambda x, axis=None: np.mean(x, axis=None if axis is None else int(axis)),
    "std": lambda x, unbiased=0.0: np.std(x, axis=-1, ddof=int(unbiased)),
    "max": lambda x: np.max(x), "min": lambda x: np.min(x), "norm": lambda x: np.linalg.norm(x, axis=-1),
    "masked": lambda x, may_look, value=-np.inf: np.where(np.asarray(may_look) > 0, x, value),
    "rows": lambda table, ids: _rows(np.asarray(table), np.asarray(ids)),
    "shape": lambda x: np.array(np.shape(x), dtype=np.float64), "split_heads": lambda x, n: split_heads(x, int(n)),
    "join": lambda *parts: np.concatenate([np.atleast_1d(part) for part in parts], axis=-1),
    "count": lambda x: float(np.size(x)),
}


def split_heads(x: Value, n_heads: int) -> Value:
    """[…, position, d_model] to […, head, position, d_head]."""
    parts = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return np.swapaxes(parts, -2, -3)


def of_trace(trace: Trace) -> dict[str, Any]:
    """What a formula can ask of the pass: `tap(name)`, `knob(name)`, sizes, tokens, and what experiments found."""
    config = trace.config
    known: dict[str, Any] = {
        "tap": lambda name: trace[str(name)].astype(np.float64),
        "knob": lambda name: float(config.values()[str(name)]),
        "d_model": float(config.d_model), "d_head": float(config.d_head), "n_heads": float(config.n_heads),
        "n_layers": float(config.n_layers), "n_source": float(len(trace.tokens.source)),
        "n_target": float(len(trace.tokens.target)), "parameters": float(trace.parameters),
        "ids": np.array([token.id for token in trace.tokens.source or trace.tokens.target], dtype=np.float64),
        "places": trace.places.astype(np.float64), "inf": np.inf,
        "where": lambda text: np.array([place for place, token in enumerate(trace.tokens.source or trace.tokens.target)
                                        if token.text == text], dtype=np.float64),
    }
    return known | {name: _found(trace, name) for name in EXPERIMENTS}


def _found(trace: Trace, name: str) -> Callable[..., Any]:
    def ask(field: str, key: str = "") -> Any:
        experiment = trace.experiments.get(name)
        if experiment is None:
            raise BadFormula(formula="", reason=f"{name}: …")
        value = getattr(experiment, field, None) if not field.startswith("_") else None
        if callable(value):
            value = value()
        if isinstance(value, (int, float, np.ndarray, tuple)) and not key:
            return np.asarray(value, dtype=np.float64)
        if hasattr(value, "keys") and key in value:  # type: ignore[operator]  # a mapping of arrays
            return np.asarray(value[key], dtype=np.float64)  # type: ignore[index]
        raise BadFormula(formula="", reason=f"{name}({field!r})")

    return ask
