"""Moments of a training: what the model of a snapshot answered, and what its heads looked at."""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.measures.head_measures import MEASURES, batch_values
from explorer.trace.trace import Trace

Values = NDArray[np.float64]
APPEARED = 0.5
"""A pattern is there where its measure is at least this: where most of a head's weight lies on it."""
_TIMES = 1.5
"""… and at least so many times what a head has that spreads its weight evenly: a short causal map is half a diagonal."""
PATTERNS = ("written", "previous", "first", "diagonal", "induction")
"""The measures that are shares of a head's weight, and therefore have a threshold."""


@attrs.frozen(eq=False)
class ModelMoment:
    """The model after a step: its own `answer` to the text, and a Trace of the attention weights of one pass.

    The pass reads the same text, and the same target, at each moment, so that the maps of all moments have the same cells.
    """

    step: int
    answer: str
    trace: Trace


def measured(moments: tuple[ModelMoment, ...], attention: str) -> dict[str, Values]:
    """[moment, layer, head] each measure of the heads of an attention; those that mean nothing for it are left out.

    Raises NotKept for a text that is too long for whole maps.
    """
    if not moments:
        return {}
    trace = moments[0].trace
    layers = list(trace.card.attention_layers(attention))
    taps = _taps(attention, layers)
    weights = np.stack([[each.trace[tap] for tap in taps] for each in moments])  # [moment, layer, head, query, key]
    found = _measures(weights, trace, taps[0], attention)
    made = {key: np.full((len(moments), trace.card.side(attention).n_layers, weights.shape[2]), np.nan) for key in found}
    for key, values in found.items():
        made[key][:, layers] = values
    return made


def even(moment: ModelMoment, attention: str) -> dict[str, float]:
    """Each measure of a head that looks at all keys alike that its mask leaves open."""
    trace = moment.trace
    tap = _taps(attention, trace.card.attention_layers(attention))[0]
    is_open = (trace[tap] > 0).any(axis=0)  # [query, key]
    spread = is_open / np.maximum(1, is_open.sum(axis=1, keepdims=True))
    found = _measures(spread.astype(np.float32)[None, None, None], trace, tap, attention)
    return {key: float(values[0, 0, 0]) for key, values in found.items()}


def _taps(attention: str, layers: Sequence[int]) -> list[str]:
    side, _, kind = attention.partition(".")
    return [f"{side}.layers.{layer}.{kind}.weights" for layer in layers]


def _measures(weights: Array, trace: Trace, tap: str, attention: str) -> dict[str, Values]:
    """[moment, layer, head] each measure of `weights` [moment, layer, head, query, key], whose tokens are those of a tap."""
    across = attention.endswith("cross_attn")
    ids = np.array([[token.id for token in trace.keys(tap)]] * len(weights), np.int64)  # [moment, key]
    keys = [key for key in HEAD_MEASURES if MEASURES[key].formula(attention)]
    found = {key: batch_values(key, weights, ids, across=across) for key in keys}
    if across:
        found["written"] = written(weights, trace.keys(tap), trace.tokens.target)
    return found


def written(weights: Array, source: Sequence[Token], target: Sequence[Token]) -> Values:
    """[moment, layer, head] of cross-attention: the weight of the source tokens that are the one which is written next.

    NaN where no written token stands in the source.
    """
    following = [token.text for token in target[1:]]
    same = np.array([[key.text == text for key in source] for text in following], bool).reshape(len(following), len(source))
    counted = same.any(axis=1)
    if not counted.any():
        return np.full(weights.shape[:3], np.nan)
    # mean_q Σ_k A[h,q,k] [s_k = t_{q+1}], over the q whose t_{q+1} stands in the source s
    seen = weights[..., : len(following), :][..., counted, :]
    values: Values = np.where(same[counted], seen, 0).sum(axis=-1, dtype=np.float64).mean(axis=-1)
    return values


def appeared(values: Values, evenly: float = 0.0) -> int | None:
    """The first moment from which a pattern with this measure [moment] is there until the last one; None without one.

    `evenly` is the measure of a head that spreads its weight evenly.
    """
    there = values >= max(APPEARED, 0.0 if np.isnan(evenly) else _TIMES * evenly)
    if not len(there) or not there[-1]:
        return None
    gone = np.flatnonzero(~there)
    return int(gone[-1]) + 1 if len(gone) else 0
