"""All names that a formula may use: functions, each with its price, and values of the recorded pass."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

from explorer.lessons.cost import (
    MOVE,
    POWER,
    POWER_OF_E,
    PRODUCT,
    ROOT,
    ROW,
    WAVE,
    Cost,
    Later,
    Priced,
    is_tiny,
    number,
    per_cell,
    product,
    refused,
    rows,
    size,
    whole,
)
from explorer.lessons.training_logs import run, run_price
from explorer.mathematics import (
    BLOCK,
    Numbers,
    alike,
    batch_norm,
    best_pairs,
    causal,
    dead,
    doubled,
    layer_norm,
    nearest_distance,
    open_cells,
    pe,
    pe_table,
    rotation,
    softmax,
    softmax_gradient,
    spread,
    std_eps_norm,
    zero_share,
)
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.found.experiments import IN_FORMULAS
from explorer.trace.measures.measures import entropy_bits
from explorer.trace.trace import Trace

_FREE = Cost(0, 0)
_FIT, _FIT_CELL, _SLOW_FIT_CELL = 2_000.0, 30.0, 200.0  # numpy.linalg.pinv: 1.3 µs a matrix, 12 to 300 ns a cell
_BLOCK = 3_000.0  # NumPy calls for a block of distances
_TOKEN = 100.0  # compare a token's text
_MOST_PLACES = 400  # decimal places of rounding; no float has more


# Prices of functions. Each takes the same arguments as its function.


def _row_of_waves(pos: Numbers, d: Numbers, base: float = 1.0, power: float = 1.0) -> Cost:
    _single(pos, base, power)
    return Cost(6.0 * size(d), (2 * WAVE + POWER) * size(d))


def _row_of_doubled_waves(pos: Numbers, d: Numbers, base: float = 1.0) -> Cost:
    return _row_of_waves(pos, d, base)


def _table_of_waves(n: Numbers, d: Numbers, base: float = 1.0, power: float = 1.0) -> Cost:
    _single(base, power)
    return Cost(2.0 * size(n) * size(d), (WAVE + PRODUCT) * size(n) * size(d) + POWER * size(d))


def _turned(k: Numbers, d: Numbers, base: float = 1.0) -> Cost:
    _single(k, base)
    return Cost(1.0 * size(d) * size(d), MOVE * size(d) * size(d) + (WAVE + POWER) * size(d))


def _single(*numbers: Any) -> None:
    for each in numbers:
        number(each)


def _normed(x: Numbers, eps: float = 0.0, shift: float = 0.0) -> Cost:
    _single(eps, shift)
    return Cost(6 * x.size, (6 * MOVE + 2 * PRODUCT) * x.size + 3 * ROW * rows(x))


def _normed_batch(x: Numbers, eps: float = 0.0) -> Cost:
    return _normed(x, eps)


def _distances(table: Numbers) -> Cost:
    if table.ndim != 2:
        raise refused(f"{list(table.shape)}")
    n, d = table.shape
    cells = n * (n + BLOCK) / 2  # Each pair of rows counts once, and each block is also compared with itself.
    blocks = math.ceil(n / BLOCK) * math.ceil(n / BLOCK + 1) / 2 * math.ceil(d / BLOCK)
    return Cost(
        2 * n * min(n, BLOCK) + table.size,
        product(table, multiply_adds=cells * d, cells=cells) + PRODUCT * table.size + _BLOCK * blocks,
    )


def _fitted(table: Numbers, k: Numbers) -> Cost:
    whole(k)
    if table.ndim != 2:
        raise refused(f"{list(table.shape)}")
    # This includes the square matrix into which `best_map` writes the pairs.
    rate = _SLOW_FIT_CELL if is_tiny(table) else _FIT_CELL
    return Cost(
        6 * table.size + 2 * table.shape[1] ** 2, _FIT * table.shape[1] + rate * table.size + MOVE * table.shape[1] ** 2
    )


def _square(n: Numbers) -> Cost:
    return Cost(1.0 * size(n) * size(n), MOVE * size(n) * size(n))


def _rounded(x: Numbers, places: float = 0.0) -> Cost:
    if abs(whole(places)) > _MOST_PLACES:  # NumPy's time grows with the number of places.
        raise refused(f"round: {places}")
    return per_cell(PRODUCT + 2 * MOVE)(x)


def _along(x: Numbers, axis: float | None = None) -> Cost:
    if axis is not None:
        whole(axis)
    return Cost(x.size, MOVE * x.size + ROW * rows(x))


def _spread(x: Numbers, unbiased: float = 0.0) -> Cost:
    whole(unbiased)
    return Cost(2 * x.size, (3 * MOVE + PRODUCT) * x.size + 2 * ROW * rows(x))


def _masked(x: Numbers, may_look: Numbers, value: float = 0.0) -> Cost:
    number(value)
    n = float(np.broadcast(x, may_look).size)
    return Cost(n + may_look.size, 2 * MOVE * n)


def _picked(table: Numbers, ids: Numbers) -> Cost:
    n = ids.size * (table.size / max(1, len(table)))
    return Cost(n + ids.size, MOVE * n + ROW * ids.size)


def _split(x: Numbers, n: Numbers) -> Cost:
    if not size(n):
        raise refused("0")
    return Cost(x.size, MOVE * x.size)


def _joined(*parts: Numbers) -> Cost:
    n = sum(part.size for part in parts)
    return Cost(n, MOVE * n)


# The functions


def split_heads(x: Numbers, n_heads: Numbers) -> Numbers:
    """Cut features into heads: from […, position, d_model] to […, head, position, d_head]."""
    parts = x.reshape(*x.shape[:-1], int(n_heads), x.shape[-1] // int(n_heads))
    return np.swapaxes(parts, -2, -3)


def _rows(table: Numbers, ids: Numbers) -> Numbers:
    """The table's rows with these ids [id, feature]."""
    found: Numbers = table[ids.astype(int)]
    return found


def _of_each(function: Callable[[Numbers], Any], operations: float) -> Priced:
    """A function that is computed cell by cell, with its price for each cell."""
    return Priced(function, per_cell(operations), empty=True)


def _axis(axis: float | None) -> int | None:
    return None if axis is None else int(axis)


PLAIN: Mapping[str, Any] = {
    "pi": np.pi,
    "sqrt": _of_each(lambda x: np.sqrt(x), ROOT),
    "exp": _of_each(lambda x: np.exp(x), POWER_OF_E),
    "log": _of_each(lambda x: np.log(x), POWER_OF_E),
    "sin": _of_each(lambda x: np.sin(x), WAVE),
    "cos": _of_each(lambda x: np.cos(x), WAVE),
    "abs": _of_each(lambda x: np.abs(x), MOVE),
    "relu": _of_each(lambda x: np.maximum(x, 0.0), MOVE),
    "round": Priced(lambda x, places=0.0: np.round(x, int(places)), _rounded, empty=True),
    "T": Priced(lambda x: np.swapaxes(x, -1, -2), per_cell(0, 0), empty=True),
    "shape": Priced(lambda x: np.array(np.shape(x), dtype=np.float64), per_cell(0, 0), empty=True),
    "count": Priced(lambda x: float(np.size(x)), per_cell(0, 0), empty=True),
    "sum": Priced(lambda x, axis=None: np.sum(x, axis=_axis(axis)), _along, empty=True),
    "mean": Priced(lambda x, axis=None: np.mean(x, axis=_axis(axis)), _along),
    "max": Priced(lambda x: np.max(x), per_cell(MOVE, 0)),
    "min": Priced(lambda x: np.min(x), per_cell(MOVE, 0)),
    "std": Priced(spread, _spread),
    "argmin": Priced(lambda x: float(np.argmin(x)), per_cell(MOVE, 0)),
    "norm": Priced(lambda x: np.linalg.norm(x, axis=-1), per_cell(PRODUCT, 2)),
    "join": Priced(lambda *parts: np.concatenate([np.atleast_1d(part) for part in parts], axis=-1), _joined, empty=True),
    "rows": Priced(_rows, _picked, empty=True),
    "masked": Priced(lambda x, may_look, value=-np.inf: np.where(may_look > 0, x, value), _masked),
    "causal": Priced(causal, _square),
    "softmax": Priced(softmax, per_cell(POWER_OF_E + PRODUCT + 2 * MOVE, 4, passes=3)),
    "softmax_gradient": Priced(softmax_gradient, per_cell(PRODUCT + POWER, 4, passes=3)),
    "entropy": Priced(entropy_bits, per_cell(POWER_OF_E + PRODUCT + MOVE, 4, passes=2)),
    "pe": Priced(pe, _row_of_waves),
    "doubled": Priced(doubled, _row_of_doubled_waves),
    "rotation": Priced(rotation, _turned),
    "pe_table": Priced(pe_table, _table_of_waves),
    "best_pairs": Priced(best_pairs, _fitted),
    "nearest_distance": Priced(nearest_distance, _distances),
    "layer_norm": Priced(layer_norm, _normed),
    "std_eps_norm": Priced(std_eps_norm, _normed),
    "batch_norm": Priced(batch_norm, _normed_batch),
    "run": Priced(run, run_price, texts=True),
    "split_heads": Priced(split_heads, _split),
    "alike": Priced(alike, per_cell(3 * PRODUCT, 3)),
    "open_cells": Priced(open_cells, per_cell(2 * MOVE, 1)),
    "zero_share": Priced(zero_share, per_cell(2 * MOVE, 1)),
    "dead": Priced(dead, per_cell(2 * MOVE, 1)),
}


# Values of the recorded pass


def _tokens(trace: Trace) -> tuple[Token, ...]:
    return trace.tokens.source or trace.tokens.target


def _ids(trace: Trace) -> Later:
    tokens = _tokens(trace)
    return Later(lambda: np.array([token.id for token in tokens], np.float64), Cost(len(tokens), _TOKEN * len(tokens)))


def _where(trace: Trace) -> Priced:
    tokens = _tokens(trace)
    return Priced(
        lambda text: np.array([place for place, token in enumerate(tokens) if token.text == text], np.float64),
        lambda text: Cost(len(tokens), _TOKEN * len(tokens)),
        texts=True,
    )


def _written(trace: Trace) -> Priced:
    """The steps at which a token is generated, such as `written('它')`: the queries of cross-attention that look for it."""
    texts = tuple(trace.symbols[number] for number in trace.expected)
    return Priced(
        lambda text: np.array([step for step, each in enumerate(texts) if each == text], np.float64),
        lambda text: Cost(len(texts), _TOKEN * len(texts)),
        texts=True,
    )


def _weights(trace: Trace) -> Priced:
    """The weights of all layers of an attention, such as `weights('decoder.cross_attn')`, [layer · head, query, key]."""

    def taps(attention: str) -> list[Array]:
        side, _, kind = attention.partition(".")
        return [trace[f"{side}.layers.{layer}.{kind}.weights"] for layer in range(trace.card.side(attention).n_layers)]

    def price(attention: Any) -> Cost:
        cells = sum(each.size for each in taps(str(attention)))
        return Cost(cells, MOVE * cells)

    return Priced(lambda attention: np.concatenate(taps(str(attention))), price, texts=True)


# Recorded arrays are free; a formula pays for the parts that it computes with. Both sides of our models have the same sizes.
_OF_TRACE: Mapping[str, Callable[[Trace], Any]] = {
    "tap": lambda trace: Priced(lambda name: trace[str(name)], lambda name: _FREE, texts=True),
    "knob": lambda trace: Priced(lambda name: float(trace.knob(str(name))), lambda name: _FREE, texts=True),
    "d_model": lambda trace: float(trace.card.d_model),
    "d_head": lambda trace: float(trace.card.d_head),
    "n_heads": lambda trace: float(trace.card.sides[0].n_heads),
    "n_layers": lambda trace: float(trace.card.sides[0].n_layers),
    "n_source": lambda trace: float(len(trace.tokens.source)),
    "n_target": lambda trace: float(len(trace.tokens.target)),
    "parameters": lambda trace: float(trace.card.parameters),
    "ids": _ids,
    "places": lambda trace: trace.places,
    "inf": lambda trace: np.inf,
    "where": _where,
    "written": _written,
    "weights": _weights,
}
IN_TRACE = frozenset((*_OF_TRACE, *IN_FORMULAS))
"""The names that stand for something of the recorded pass: sizes, tokens, `tap(name)`, `knob(name)`, and experiments."""


def of_trace(trace: Trace) -> dict[str, Any]:
    """The values of the names IN_TRACE for one pass."""
    return {name: made(trace) for name, made in _OF_TRACE.items()} | {name: _found(trace, name) for name in IN_FORMULAS}


def _found(trace: Trace, name: str) -> Priced:
    """The function `name(field)` or `name(field, key)`: a field of an experiment, or a value that its method computes."""

    def found(field: Any) -> Any:
        experiment = trace.experiments.get(name)
        if experiment is None:
            raise refused(f"{name}: …")
        return getattr(experiment, str(field), None) if not str(field).startswith("_") else None

    def ask(field: Any, key: Any = "") -> Any:
        value = found(field)
        if callable(value):
            value = value()
        if isinstance(value, (int, float, np.ndarray, tuple)) and not key:
            return np.asarray(value)
        if isinstance(value, Mapping) and isinstance(value.get(key), (int, float, np.ndarray)):
            return np.asarray(value[key])
        raise refused(f"{name}({field!r})")

    def price(field: Any, key: Any = "") -> Cost:
        if not callable(found(field)):
            return _FREE
        experiment: Any = trace.experiments[name]  # one of the frozen classes in `trace/found`
        cells = sum(
            np.size(value) for value in attrs.asdict(experiment, recurse=False).values() if isinstance(value, np.ndarray)
        )
        return Cost(cells, 2 * MOVE * cells)

    return Priced(ask, price, texts=True)
