"""Attention maps of long texts, which were not kept, computed again from the recorded queries and keys.

Files are written from these maps one head at a time, so that only one head's map is in memory. The formula is in
`mathematics`; a test compares the maps with those of the pass.
"""

from collections.abc import Iterator

import numpy as np

from explorer.mathematics import alibi, alibi_slope, attention_step
from explorer.trace.arrays import Array
from explorer.trace.levels import blocks
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.tap_names import ATTENTION_MAP, place_of

_ROWS = 1024  # So many queries are computed at once, so that intermediate results stay smaller than the map.


class Remade:
    """A tap's array [head, query, key] in which each head is made when it is asked for."""

    ndim = 3

    def __init__(self, trace: RecordedPass, tap: str) -> None:
        self._trace, self._tap = trace, tap
        self.shape = trace.shape(tap)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, head: int) -> Array:
        return remade(self._trace, self._tap, head)

    def __iter__(self) -> Iterator[Array]:
        return (self[head] for head in range(len(self)))


def can_be_remade(trace: RecordedPass, tap: str) -> bool:
    """Whether a tap's maps can be made again here: queries and keys were kept, and no change was made between them and the
    weights. Maps with changes are made by the model itself.
    """
    base = tap.rpartition(".")[0]
    changed = any(change.tap.startswith(f"{base}.") and ATTENTION_MAP.search(change.tap) for change in trace.changes)
    return not changed and has_its_sources(trace, tap)


def has_its_sources(trace: RecordedPass, tap: str) -> bool:
    """Whether queries and keys were kept, and the map depends on them and the card alone, so neither on dropout."""
    base, _, stage = tap.rpartition(".")
    follows = trace.card.remakes_maps and not (stage == "dropped" and trace.card.dropout_active)
    return bool(ATTENTION_MAP.search(tap)) and follows and all(f"{base}.{part}" in trace.arrays for part in ("query", "key"))


def remade(trace: RecordedPass, tap: str, head: int) -> Array:
    """[query, key] one head's map at a tap, read-only. `can_be_remade` must be True for the tap."""
    base, _, stage = tap.rpartition(".")
    card, place = trace.card, place_of(base)
    query = trace.arrays[f"{base}.query"][head]
    key = trace.arrays[f"{base}.key"][card.head_in(f"{base}.key", head)]
    closed = trace.map(f"{base}.masked").closed
    biased = card.position == "alibi" and place.part == "self_attn"
    slope = alibi_slope(head, card.side(base).n_heads) / card.temperature  # The temperature divides the bias as well.
    made = np.empty((len(query), len(key)), np.float32)
    for first, last in blocks(len(query), _ROWS):
        with np.errstate(invalid="ignore"):  # A row that has only -inf becomes NaN.
            made[first:last] = attention_step(
                "weights" if stage == "dropped" else stage,  # Without dropout the two are equal.
                query[first:last],
                key,
                divisor=card.score_divisor,
                bias=alibi(slope, last - first, len(key), first) if biased else None,
                closed=None if closed is None else closed[first:last],
                mask_value=card.mask_value,
            )
    made.setflags(write=False)
    return made
