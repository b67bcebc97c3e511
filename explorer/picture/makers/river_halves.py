"""The halves of a River: the lanes of a Trace, and the blocks that they run through."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import ref

import attrs
import numpy as np

from explorer.picture.makers.excerpt import Excerpt
from explorer.picture.makers.heatmaps import closed_of, masked_values
from explorer.picture.river.river import Half, RiverBlock
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.levels import all_closed, pooled
from explorer.trace.model_card import SideCard
from explorer.trace.tap_names import without_place
from explorer.trace.trace import Trace

_Kept = TypeVar("_Kept")
_MOST = 3  # Traces whose parts are kept: the one on screen, one beside it, and the next one, which another thread makes
# The next head of one sentence needs no new half. The key is the identity of a Trace: looking for an equal one would compare
# all numbers, and could find one with another search.
_made: "dict[int, tuple[ref[Trace], dict[str, tuple[Hashable, Any]]]]" = {}


def halves_of(trace: Trace, look: Look, part: Excerpt, pool: str) -> tuple[Half, ...]:
    """The halves of a Trace, as a Look shows them. Raises NotKept where a long text left a map out.

    All but the chosen block is the same for every Look with the same lanes. It is made once, so that a drawing recognizes by
    identity what has not changed.
    """
    halves = of_trace(trace, "halves", (*lanes_of(part), pool), lambda: _halves(trace, part, pool))
    return tuple(_focused(half, trace, look, part, pool) for half in halves)


def lanes_of(part: Excerpt) -> tuple[Hashable, ...]:
    """The values that decide which lanes a river of an excerpt has."""
    return tuple(part.tokens.items()), part.block, part.whole


def _halves(trace: Trace, part: Excerpt, pool: str) -> tuple[Half, ...]:
    return tuple(_half(trace, side, part, pool) for side in trace.card.sides)


def _focused(half: Half, trace: Trace, look: Look, part: Excerpt, pool: str) -> Half:
    """The half with the head that is looked at in its block."""
    blocks = half.layers[look.layer] if look.layer < len(half.layers) else ()
    place = next((place for place, block in enumerate(blocks) if block.attention == look.attention), None)
    if place is None or (pool and blocks[place].weights is not None):
        return half
    block = blocks[place]
    if block.weights is None:
        shown = _one_head(trace, block.tap, block.attention, block.layer, block.length, look, part)
    else:
        shown = attrs.evolve(block, drawn=block.weights[min(look.head, len(block.weights) - 1)])
    layer = (*blocks[:place], shown, *blocks[place + 1 :])
    return attrs.evolve(half, layers=(*half.layers[: look.layer], layer, *half.layers[look.layer + 1 :]))


def _half(trace: Trace, card: SideCard, part: Excerpt, pool: str) -> Half:
    side, block = card.name, part.block
    tap = f"{side}.embedding.output"
    of = trace.side_name(tap, "position")
    rows, tokens = part.rows(of), trace.side(tap)
    # A model of others that does not scale its token vectors, or not where it is seen, has them as they are.
    vectors = next((name for part in ("scaled", "tokens") if (name := f"{side}.embedding.{part}") in trace), tap)
    last = f"{side}.norm" if f"{side}.norm" in trace else _stream_tap(trace, side, card.n_layers - 1, -1)
    return Half(
        side=side,
        tokens=of,
        labels=tuple(token.text for token in tokens[rows][::block]),
        ids=tuple(token.id for token in tokens[rows][::block]),
        block=block,
        first=rows.start,
        n_tokens=len(tokens),
        scaled=_rows(_vectors(trace, vectors, tap)[rows], block),
        positions=_rows(_vectors(trace, f"{side}.embedding.positions", tap)[rows], block),
        output=_rows(_vectors(trace, tap, tap)[rows], block),
        length=_length(trace, tap, rows, block),
        last=_length(trace, last, rows, block),
        layers=tuple(_layer(trace, card, layer, part, rows, pool) for layer in range(card.n_layers)),
        vectors=without_place(vectors),
    )


def _vectors(trace: Trace, tap: str, like: str) -> Array:
    """[position, feature] of a tap; zeros where this model has no such tap."""
    return trace[tap] if tap in trace.arrays else np.zeros(trace.shape(like), np.float32)


def _rows(values: Array, block: int) -> Array:
    return values if block == 1 else pooled(values, (block, 1), signed=True)


def _length(trace: Trace, tap: str, rows: slice, block: int) -> Array:
    """‖x‖ of each token's vector [lane]; of a block of tokens the largest; 0 where a long text left no room for the vectors."""
    if tap not in trace.arrays:
        return np.zeros(-(-(rows.stop - rows.start) // block), np.float32)
    values = trace[tap][rows].astype(np.float64)
    # ‖x‖ = √Σ x²
    lengths = np.sqrt((values * values).sum(axis=-1)).astype(np.float32)
    return lengths if block == 1 else pooled(lengths[:, None], (block, 1), signed=False)[:, 0]


def _stream_tap(trace: Trace, side: str, layer: int, place: int) -> str:
    """The tap of the stream after sublayer `place` (from 0; -1: the last) of a layer: what the next sublayer reads."""
    n_parts = len(trace.card.blocks(side, max(layer, 0)))
    number = place % n_parts + 1
    if trace.card.parallel and number < n_parts:  # The next one reads what this one has read.
        number, layer = n_parts, layer - 1
    kinds = ("norm", "residual") if trace.card.norm_placement == "post" else ("residual", "norm")
    names = [f"{side}.layers.{layer}.{kind}{number}" for kind in kinds]
    return next((name for name in names if name in trace), f"{side}.embedding.output")


def _layer(trace: Trace, card: SideCard, layer: int, excerpt: Excerpt, rows: slice, pool: str) -> tuple[RiverBlock, ...]:
    made = []
    for place, part in enumerate(trace.card.blocks(card.name, layer)):
        base = f"{card.name}.layers.{layer}.{part}"
        length = _length(trace, _stream_tap(trace, card.name, layer, place), rows, excerpt.block)
        if part == "feed_forward":
            hidden = f"{base}.chosen" if f"{base}.chosen" in trace else f"{base}.activated"  # Of experts, those that work.
            units = None if hidden not in trace.arrays else np.abs(_rows(trace[hidden][rows], excerpt.block))
            made.append(RiverBlock(f"{card.name}.{part}", layer, hidden, length, hidden=units))
        elif part == "other":
            made.append(RiverBlock(f"{card.name}.{part}", layer, f"{base}.output", length))
        else:
            made.append(_attention(trace, f"{base}.weights", f"{card.name}.{part}", layer, length, excerpt, pool))
    return tuple(made)


def _attention(trace: Trace, tap: str, attention: str, layer: int, length: Array, part: Excerpt, pool: str) -> RiverBlock:
    closed = closed_of(trace, tap)
    kept, block = trace.map(tap), part.block
    if block == 1:
        if kept.array is None:
            return _one_head(trace, tap, attention, layer, length, None, part)
        weights = kept.array
    elif kept.levels is not None:
        place = (block // kept.levels.block).bit_length() - 1
        weights = kept.levels.arrays[min(place, len(kept.levels.arrays) - 1)]
    else:
        weights = pooled(trace[tap], block, signed=False)
    if closed is not None and block > 1:
        closed = all_closed(closed, block)
    if closed is not None and closed.shape != weights.shape[1:]:
        closed = None
    if not part.whole:
        query, key = (part.lanes(trace.side_name(tap, axis)) for axis in ("query", "key"))
        weights, closed = weights[:, query, key], None if closed is None else closed[query, key]
    # Elsewhere than in the block that is looked at, one map stands for all heads:
    # Ā[q,k] = Σ_h A[h,q,k] / n_heads, or max_h A[h,q,k]
    drawn = weights.max(axis=0) if pool == "layer_max" else weights.mean(axis=0)
    return RiverBlock(
        attention=attention,
        layer=layer,
        tap=tap,
        length=length,
        weights=masked_values(weights, closed),
        recorded=weights if block == 1 else None,
        drawn=masked_values(drawn, closed),
        closed=closed,
    )


def _one_head(
    trace: Trace, tap: str, attention: str, layer: int, length: Array, look: Look | None, part: Excerpt
) -> RiverBlock:
    """An attention of a long text of which not all cells were kept: the head that is looked at, if its cells are there."""
    if part.whole:
        raise trace.not_kept(tap, -1)
    kept = trace.map(tap)
    blocks = None if kept.levels is None else kept.levels.arrays[-1]
    head = None if look is None else kept.head(min(look.head, trace.shape(tap)[0] - 1))
    if head is None:
        return RiverBlock(attention=attention, layer=layer, tap=tap, length=length, blocks=blocks)
    query, key = (part.rows(trace.side_name(tap, axis)) for axis in ("query", "key"))
    closed = closed_of(trace, tap)
    closed = None if closed is None or closed.shape != head.shape else closed[query, key]
    drawn = masked_values(head[query, key], closed)
    return RiverBlock(attention=attention, layer=layer, tap=tap, length=length, drawn=drawn, closed=closed, blocks=blocks)


def of_trace(trace: Trace, name: str, key: Hashable, make: Callable[[], _Kept]) -> _Kept:
    """A part of the pictures of a Trace: the same object as last time if `key`, all that the part depends on, is equal."""
    parts = _parts_of(trace)
    found = parts.get(name)
    if found is None or found[0] != key:
        found = parts[name] = key, make()
    made: _Kept = found[1]
    return made


def _parts_of(trace: Trace) -> dict[str, tuple[Hashable, Any]]:
    """The kept parts of a Trace; they are dropped with it."""
    place = id(trace)
    known = _made.get(place)
    if known is None or known[0]() is not trace:
        if len(_made) >= _MOST:
            _made.clear()
        known = _made[place] = ref(trace, lambda _gone: _made.pop(place, None)), {}
    return known[1]
