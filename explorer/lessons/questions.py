"""Questions made from the tensors of a pass: the reader computes one cell from others. Each sentence gives other numbers."""

import random
from collections.abc import Callable, Mapping

import attrs
import numpy as np

from explorer.errors import ExplorerError
from explorer.mathematics import pe, softmax
from explorer.trace.arrays import Array
from explorer.trace.kept_map import closed_cells
from explorer.trace.trace import Trace

_CLEAR = 1.2  # times as large as the next one, so that a reader can see the largest
_CHOICES = 4
_SHORT = 8  # the most numbers that a reader is asked to add up
_TOLERANCE = 0.01


@attrs.frozen
class Asked:
    """A question with its answer, a number or one of some `choices`: the one at `right`.

    `values` fill the sentence `question.<key>` of the language files.
    """

    key: str
    values: Mapping[str, float | str | tuple[float, ...]]
    answer: float = 0.0
    tolerance: float = _TOLERANCE
    choices: tuple[str, ...] = ()
    right: int = 0


@attrs.frozen
class Where:
    """Where questions are asked: an attention in its layer ("encoder.layers.0.self_attn"), a head, and a side."""

    attention: str
    head: int
    side: str


def ask(kind: str, trace: Trace, where: Where, seed: int) -> Asked | None:
    """A question of this kind, the same for the same seed; None where the pass has none."""
    try:
        asked = _MADE[kind](trace, where, random.Random(seed))
    except ExplorerError:  # The model lacks the tap, or it was not kept.
        return None
    return asked if asked is not None and np.isfinite(asked.answer) else None


def _of_head(trace: Trace, where: Where, part: str) -> Array:
    """Queries, keys or values of the head [position, feature]; several heads may share their keys and values."""
    tap = f"{where.attention}.{part}"
    rows: Array = trace[tap][trace.card.head_in(tap, where.head)]
    return rows


def _position(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    if trace.card.position != "sinusoidal":
        return None
    table = trace[f"{where.side}.embedding.positions"]
    pos, feature = rng.randrange(len(table)), rng.randrange(table.shape[1])
    d, base = trace.card.d_model, trace.card.position_base
    return Asked(
        "position",
        {"pos": float(pos), "feature": float(feature), "d": float(d), "base": base},
        float(pe(pos, d, base)[feature]),
    )


def _sum(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    scaled, added = trace[f"{where.side}.embedding.scaled"], trace[f"{where.side}.embedding.positions"]
    pos, feature = rng.randrange(len(scaled)), rng.randrange(scaled.shape[1])
    return Asked(
        "sum",
        {
            "pos": float(pos),
            "feature": float(feature),
            "scaled": float(scaled[pos, feature]),
            "added": float(added[pos, feature]),
        },
        float(scaled[pos, feature]) + float(added[pos, feature]),
    )


def _score(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    queries, keys = (_of_head(trace, where, part) for part in ("query", "key"))
    if queries.shape[1] > _SHORT:
        return None
    row, column = rng.randrange(len(queries)), rng.randrange(len(keys))
    q, k = queries[row].astype(np.float64), keys[column].astype(np.float64)
    return Asked("score", {"query": float(row), "key": float(column), "q": tuple(q), "k": tuple(k)}, float(q @ k))


def _scaled(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    scores = trace[f"{where.attention}.scores"][where.head]
    card = trace.card
    if not card.score_scaling or card.temperature != 1 or card.position == "alibi":
        return None
    row, column = (rng.randrange(size) for size in scores.shape)
    return Asked(
        "scaled",
        {"query": float(row), "key": float(column), "score": float(scores[row, column]), "d_head": float(card.d_head)},
        float(scores[row, column]) / card.score_divisor,
    )


def _weight(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    masked = trace[f"{where.attention}.masked"][where.head]
    finite = np.isfinite(masked)  # [query, key]
    may_look, open_keys = finite & ~closed_cells(masked), finite.sum(axis=-1)  # [query, key], [query]
    rows = np.flatnonzero((open_keys >= 2) & (open_keys <= _SHORT) & may_look.any(axis=-1)).tolist()
    if not rows:
        return None
    row = rng.choice(rows)
    scores = masked[row].astype(np.float64)
    column = rng.choice(np.flatnonzero(may_look[row]).tolist())
    return Asked("weight", {"query": float(row), "key": float(column), "scores": tuple(scores)}, float(softmax(scores)[column]))


def _mixed(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    weights = trace[f"{where.attention}.dropped"][where.head]
    if weights.shape[1] > _SHORT:
        return None
    weights, values = weights.astype(np.float64), _of_head(trace, where, "value").astype(np.float64)
    row, feature = rng.randrange(len(weights)), rng.randrange(values.shape[1])
    return Asked(
        "mixed",
        {"query": float(row), "feature": float(feature), "weights": tuple(weights[row]), "values": tuple(values[:, feature])},
        float(weights[row] @ values[:, feature]),
    )


def _looks(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    """Asks for the key with the largest weight in a row of the head, if it is clearly the largest."""
    weights = trace[f"{where.attention}.weights"][where.head].astype(np.float64)
    across, own = where.attention.endswith("cross_attn"), where.attention.partition(".")[0]
    tokens = trace.tokens.target if own == "decoder" and not across else trace.tokens.source
    keys = [token.text for token in tokens]
    queries = keys
    if across:  # Its rows are named after the tokens that they generate.
        queries = [trace.symbols[number] for number in trace.expected] or [token.text for token in trace.tokens.target]
    ordered = np.sort(weights, axis=-1)[:, ::-1]  # [query, rank]
    if ordered.shape[1] < 2 or len(queries) != len(weights):
        return None
    rows = np.flatnonzero(ordered[:, 0] > _CLEAR * ordered[:, 1]).tolist()
    if not rows:
        return None
    row = rng.choice(rows)
    layer, head = float(_layer(where.attention)), float(where.head)
    said: dict[str, float | str] = {"layer": layer, "head": head, "place": float(row + 1), "token": queries[row]}
    return _chosen("looks", said, [keys[key] for key in np.argsort(-weights[row]).tolist()], rng)


def _likeliest(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    """Asks for the likeliest token after a step's, if it is clearly the likeliest."""
    probabilities = trace["generator.probabilities"].astype(np.float64)  # [position, vocab]
    tokens = trace.tokens.target
    first, second = -np.partition(-probabilities, 1, axis=-1)[:, :2].T
    rows = np.flatnonzero(first > _CLEAR * second).tolist()
    if not rows or len(tokens) != len(probabilities):
        return None
    row = rng.choice(rows)
    best = np.argsort(-probabilities[row])[: 2 * _CHOICES].tolist()
    said: dict[str, float | str] = {"place": float(row + 1), "token": tokens[row].text}
    return _chosen("likeliest", said, [trace.symbols[number] for number in best], rng)


def _open_keys(trace: Trace, where: Where, rng: random.Random) -> Asked | None:
    """Asks how many keys a query of an attention may see."""
    masked = trace[f"{where.attention}.masked"][where.head]
    may_look = (np.isfinite(masked) & ~closed_cells(masked)).sum(axis=-1)  # [query]
    row = rng.randrange(len(may_look))
    return Asked("open_keys", {"place": float(row + 1)}, float(may_look[row]), tolerance=0.0)


def _chosen(key: str, values: Mapping[str, float | str], best: list[str], rng: random.Random) -> Asked | None:
    """A question whose right answer is the first text of `best`, among others that read differently."""
    choices = list(dict.fromkeys(best))[:_CHOICES]
    if len(choices) < 2:
        return None
    rng.shuffle(choices)
    return Asked(key, values, choices=tuple(choices), right=choices.index(best[0]))


def _layer(attention: str) -> int:
    """The number of the layer in an attention's name."""
    return int(attention.split(".")[2])


_MADE: dict[str, Callable[[Trace, Where, random.Random], Asked | None]] = {
    "position": _position,
    "sum": _sum,
    "score": _score,
    "scaled": _scaled,
    "weight": _weight,
    "mixed": _mixed,
    "looks": _looks,
    "likeliest": _likeliest,
    "open_keys": _open_keys,
}
KINDS = tuple(_MADE)
