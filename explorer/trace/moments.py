"""Moments of a training: what the model of a snapshot answered, and what its heads looked at."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.measures.head_measures import MEASURES, head_values
from explorer.trace.trace import Trace

Values = NDArray[np.float64]
APPEARED = 0.5
"""A pattern is there where its measure is at least this: where most of a head's weight lies on it."""
PATTERNS = ("written", "previous", "first", "diagonal", "induction")
"""The measures that are shares of a head's weight, and therefore have a threshold."""


@attrs.frozen(eq=False)
class Moment:
    """The model after a step: its own `answer` to the text, and a Trace of the attention weights of one pass.

    The pass reads the same text, and the same target, at each moment, so that the maps of all moments have the same cells.
    """

    step: int
    answer: str
    trace: Trace


def measured(moments: tuple[Moment, ...], attention: str) -> dict[str, Values]:
    """[moment, layer, head] each measure of the heads of an attention; those that mean nothing for it are left out."""
    if not moments:
        return {}
    keys = [key for key in HEAD_MEASURES if MEASURES[key].formula(attention)]
    found = {key: np.stack([head_values(each.trace, attention, key) for each in moments]) for key in keys}
    if attention.endswith("cross_attn"):
        found["written"] = np.stack([written(each.trace, attention) for each in moments])
    return found


def written(trace: Trace, attention: str) -> Values:
    """[layer, head] of cross-attention: the weight of the source tokens that are the one which is written next.

    NaN where no written token stands in the source.
    """
    side, _, kind = attention.partition(".")
    card = trace.card.side(attention)
    values = np.full((card.n_layers, card.n_heads), np.nan)
    for layer in trace.card.attention_layers(attention):
        tap = f"{side}.layers.{layer}.{kind}.weights"
        following = [token.text for token in trace.tokens.target[1:]]
        same = np.array([[key.text == text for key in trace.keys(tap)] for text in following], bool)
        counted = same.any(axis=1) if same.size else np.zeros(0, bool)
        if counted.any():
            # mean_q Σ_k A[h,q,k] [s_k = t_{q+1}], over the q whose t_{q+1} stands in the source s
            weights = trace[tap][:, : len(following)][:, counted]
            values[layer] = (weights * same[counted]).sum(axis=2, dtype=np.float64).mean(axis=1)
    return values


def appeared(values: Values) -> int | None:
    """The first moment from which a measure [moment] stays at `APPEARED` or above until the last one; None without one."""
    there = values >= APPEARED
    if not len(there) or not there[-1]:
        return None
    gone = np.flatnonzero(~there)
    return int(gone[-1]) + 1 if len(gone) else 0
