"""Attention maps that a long text left no room for, made again head by head from the recorded queries and keys.

For files: they are written as they are made, so that no more than one head's map is ever in memory. The formula stands in
`mathematics`; a test holds what comes out against the pass itself.
"""

from collections.abc import Iterator

import numpy as np

from explorer.mathematics import alibi, alibi_slope, attention_step
from explorer.trace.arrays import Array
from explorer.trace.levels import blocks
from explorer.trace.tap_names import ATTENTION_MAP, place_of
from explorer.trace.trace import Trace

_ROWS = 1024  # queries that are taken at once: what is made on the way to a map is never as large as the map


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
    by_chance = stage == "dropped" and trace.card.dropout_active
    return (
        bool(ATTENTION_MAP.search(tap)) and not by_chance and all(f"{base}.{part}" in trace.arrays for part in ("query", "key"))
    )


def remade(trace: Trace, tap: str, head: int) -> Array:
    """[query, key] one head at one step of attention, read-only. The tap must be one that `can_be_remade`."""
    base, _, stage = tap.rpartition(".")
    card, place = trace.card, place_of(base)
    query = trace.arrays[f"{base}.query"][head]
    key = trace.arrays[f"{base}.key"][card.head_in(f"{base}.key", head)]
    closed = trace.map(f"{base}.masked").closed
    biased = card.position == "alibi" and place.part == "self_attn"
    slope = alibi_slope(head, card.side(base).n_heads) / card.temperature  # the temperature divides the bias as well
    made = np.empty((len(query), len(key)), np.float32)
    for first, last in blocks(len(query), _ROWS):
        with np.errstate(invalid="ignore"):  # a row of nothing but -inf has weights that are no numbers
            made[first:last] = attention_step(
                "weights" if stage == "dropped" else stage,  # where chance rests the two are one
                query[first:last],
                key,
                divisor=card.score_divisor,
                bias=alibi(slope, last - first, len(key), first) if biased else None,
                closed=None if closed is None else closed[first:last],
                mask_value=card.mask_value,
            )
    made.setflags(write=False)
    return made
