"""Attention maps that a long text left no room for, made again head by head from the recorded queries and keys.

For files: they are written as they are made, so that no more than one head's map is ever in memory. Vaswani et al. 2017,
section 3.2.1, as `model.attention` computes it; a test holds the two against each other.
"""

import math
from collections.abc import Iterator

import numpy as np

from explorer.trace.arrays import Array, frozen_array
from explorer.trace.stages import ATTENTION_MAP, place_of
from explorer.trace.trace import Trace

_MASK_VALUES = {"-inf": -np.inf, "-1e9": -1e9}


class Remade:
    """[head, query, key] of a tap, of which each head is made when it is asked for."""

    ndim = 3

    def __init__(self, trace: Trace, tap: str) -> None:
        self._trace, self._tap = trace, tap
        self.shape = trace.shape(tap)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, head: int) -> Array:
        return remade(self._trace, self._tap, head)

    def __iter__(self) -> Iterator[Array]:
        return (self[head] for head in range(len(self)))


def can_be_remade(trace: Trace, tap: str) -> bool:
    """Where its sources were kept, and nothing was changed between them and the weights: the model's own pass knows how."""
    base = tap.rpartition(".")[0]
    changed = any(change.tap.startswith(f"{base}.") and ATTENTION_MAP.search(change.tap) for change in trace.changes)
    return not changed and has_its_sources(trace, tap)


def has_its_sources(trace: Trace, tap: str) -> bool:
    """Where queries and keys were kept, and nothing was dropped by chance."""
    base, _, stage = tap.rpartition(".")
    by_chance = stage == "dropped" and trace.config.dropout_active
    return (
        bool(ATTENTION_MAP.search(tap)) and not by_chance and all(f"{base}.{part}" in trace.arrays for part in ("query", "key"))
    )


def remade(trace: Trace, tap: str, head: int) -> Array:
    """[query, key] one head at one step of attention. The tap must be one that `can_be_remade`."""
    base, _, stage = tap.rpartition(".")
    config, place = trace.config, place_of(base)
    query, key = (trace.arrays[f"{base}.{part}"][head] for part in ("query", "key"))
    # S[q,k] = Q[q]·K[k]
    made = query @ key.T
    if stage == "scores":
        return frozen_array(made)
    # S[q,k] / (√d_head · temperature)
    made /= np.float32((math.sqrt(config.d_head) if config.score_scaling else 1.0) * config.temperature)
    if stage == "scaled":
        return frozen_array(made)
    if config.position == "alibi" and place.part == "self_attn":
        slope = 2.0 ** (-8 * (head + 1) / config.n_heads)
        apart = np.abs(np.arange(len(query))[:, None] - np.arange(len(key))[None, :])
        made -= (slope / config.temperature * apart).astype(np.float32)
    closed = trace.closed.get(f"{place.side}.{place.part}.masked")
    if closed is not None:
        made[closed.arrays[0]] = _MASK_VALUES[config.mask_value]
    if stage == "masked":
        return frozen_array(made)
    # A[q,k] = exp(M[q,k] - max) / Σ_k exp(M[q,k] - max); a row of nothing but -inf is no number
    with np.errstate(invalid="ignore"):
        made -= made.max(axis=1, keepdims=True)
        np.exp(made, out=made)
        made /= made.sum(axis=1, keepdims=True)
    return frozen_array(made)
