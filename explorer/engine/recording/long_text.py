"""Long texts: what is kept under the memory budget, and whole maps of single heads, made again from what was kept."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray

from explorer.engine.changing import Changing
from explorer.engine.recording.keep_plan import EVERYTHING, KeepPlan, part_of
from explorer.engine.recording.memory import map_cells, part_bytes, trace_bytes
from explorer.engine.recording.recorder import Recording
from explorer.model.attention import Attention
from explorer.model.blocks import rows_at_once
from explorer.model.hooks import hooked
from explorer.model.tap import Tap, taps
from explorer.model.transformer import Transformer
from explorer.stops import Superseded
from explorer.trace.kept_map import KeptMap, closed_cells
from explorer.trace.levels import Closed, Levels, closed_levels
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens
from explorer.trace.remake_heads import has_its_sources
from explorer.trace.tap_names import ATTENTION_MAP, mask_of_all_layers, place_of, with_layer
from explorer.trace.trace import Trace

Wanted = tuple[tuple[str, int], ...]
"""Taps and heads that the user looks at, the newest last; head -1 means the whole tap."""

_FLOAT = 4  # bytes
_MAP_TAPS = 5  # These taps of an attention come in blocks: scores, scaled, masked, weights, dropped.
_ALL_LEVELS = 4 / 3  # All levels of a map together have 1 + 1/4 + 1/16 + … of its cells.
_FOR_MAPS = _FOR_CLOSE_UPS = 0.25  # Each of the two gets this share of the budget.
_LARGEST_BLOCK = 64
_LARGE_CELLS = 2**19  # An array with more cells is drawn from levels.
# Parts are kept in this order as long as there is room. Queries and keys come first: any head's map is made again from them.
_ORDER = (
    "self_attn.query",
    "self_attn.key",
    "cross_attn.query",
    "cross_attn.key",
    "embedding.tokens",
    "embedding.scaled",
    "embedding.positions",
    "embedding.segments",
    "embedding.output",
    "self_attn.value",
    "cross_attn.value",
    "self_attn.mixed",
    "cross_attn.mixed",
    "probabilities",
    "logits",
    "norm",
    "residual",
    "self_attn.output",
    "cross_attn.output",
    "self_attn.normed",
    "cross_attn.normed",
    "other.output",
    "feed_forward.routing",
    "feed_forward.chosen",
    "feed_forward.output",
    "feed_forward.normed",
    "feed_forward.activated",
    "feed_forward.hidden",
    "feed_forward.gate",
)


def plan_for(card: ModelCard, memory_budget: int, n_source: int, n_target: int, wanted: Wanted = ()) -> KeepPlan:
    """What to keep under a budget in MB: everything if it fits, else blocks of attention maps and as many parts as fit."""
    budget = memory_budget * 2**20
    if trace_bytes(card, n_source, n_target) <= budget:
        return EVERYTHING
    stages = frozenset({"weights"}) | {tap.rpartition(".")[2] for tap, head in wanted if head < 0 and ATTENTION_MAP.search(tap)}
    block = 2
    while block < _LARGEST_BLOCK and _pooled_bytes(card, n_source, n_target, block, len(stages)) > _FOR_MAPS * budget:
        block *= 2
    room = (1 - _FOR_CLOSE_UPS) * budget - _pooled_bytes(card, n_source, n_target, block, len(stages))
    parts, single = set(), set()
    for tap in dict.fromkeys(tap for tap, _head in wanted if not ATTENTION_MAP.search(tap)):
        cost = part_bytes(part_of(tap), card, n_source, n_target) / (card.side(tap).n_layers if ".layers." in tap else 1)
        if cost <= room:
            single.add(tap)
            room -= cost
    for part in _ORDER:
        cost = part_bytes(part, card, n_source, n_target)
        if cost <= room:
            parts.add(part)
            room -= cost
    return KeepPlan(block, stages, frozenset(parts), frozenset(single))


def _pooled_bytes(card: ModelCard, n_source: int, n_target: int, block: int, n_stages: int) -> float:
    return _FLOAT * _ALL_LEVELS * n_stages * map_cells(card, n_source, n_target) / block**2


def planned_bytes(plan: KeepPlan, card: ModelCard, n_source: int, n_target: int) -> int:
    """How many bytes a pass under a plan will keep; single taps are not counted."""
    if plan.everything:
        return trace_bytes(card, n_source, n_target)
    kept = sum(part_bytes(part, card, n_source, n_target) for part in plan.parts or ())
    return round(kept + _pooled_bytes(card, n_source, n_target, plan.block, len(plan.stages)))


def covers(plan: KeepPlan, other: KeepPlan) -> bool:
    """Whether a pass under `plan` kept all that a pass under `other` would keep."""
    if plan.everything:
        return True
    parts = plan.parts is None or (other.parts is not None and other.parts <= plan.parts)
    return plan.block == other.block and other.stages <= plan.stages and parts and other.taps <= plan.taps


def taps_in(model: Transformer, card: ModelCard, tokens: Tokens) -> int:
    """About how many times a pass comes through a tap; each block of queries counts."""
    n_source, n_target = len(tokens.source), len(tokens.target)
    blocks = 0
    for side in card.sides:
        n_queries = n_source if side.name == "encoder" else n_target
        for attention in side.attentions if n_queries else ():
            rows = rows_at_once(side.n_heads, n_queries, n_source if attention == "cross_attn" else n_queries)
            blocks += side.n_layers * (-(-n_queries // rows) - 1)
    return len(taps(model)) + _MAP_TAPS * blocks


def in_levels(trace: Trace, recording: Recording, plan: KeepPlan) -> Trace:
    """A long text's Trace with what its pictures need: masks, pooled maps, and embeddings in levels."""
    closed = _closed(recording.closed)
    maps = {tap: KeptMap(tap=tap, shape=shape, mask=closed.get(_mask_of(tap))) for tap, shape in recording.shapes.items()}
    for tap, blocks in recording.pooled.items():
        maps[tap] = attrs.evolve(maps[tap], levels=maps[tap].levels_of(blocks, plan.block))
    large = [tap for tap in trace.arrays if ".embedding." in tap and _size(trace, tap) > _LARGE_CELLS]
    return attrs.evolve(trace, maps=maps | {tap: trace.map(tap).with_levels() for tap in large})


def with_levels(trace: Trace, wanted: Wanted) -> Trace:
    """A Trace that has everything, with levels of arrays that are too large to be painted cell by cell.

    Levels are made of attention weights, of embeddings, and of the other maps that the user looks at.
    """
    wishes = {tap for tap, _head in wanted}
    large = [
        tap
        for tap in trace.arrays
        if (".embedding." in tap or tap in wishes) and len(trace.shape(tap)) == 2 and _size(trace, tap) > _LARGE_CELLS
    ]
    maps = _maps_with_levels(trace, wanted) | {tap: trace.map(tap).with_levels() for tap in large}
    return attrs.evolve(trace, maps=maps) if maps else trace


def _size(trace: Trace, tap: str) -> int:
    """How many numbers a tap has. Its array is not prepared for it, since that copies most arrays."""
    return math.prod(trace.shape(tap))


def _maps_with_levels(trace: Trace, wanted: Wanted) -> dict[str, KeptMap]:
    """KeptMaps of attention taps with the masks of their attentions, and with levels for large maps that are looked at."""
    stages = {"weights"} | {tap.rpartition(".")[2] for tap, _head in wanted if ATTENTION_MAP.search(tap)}
    maps = [tap for tap in trace.arrays if ATTENTION_MAP.search(tap)]
    large = {
        tap
        for tap in maps
        if tap.rpartition(".")[2] in stages and trace.card.side(tap).n_layers * _size(trace, tap) > _LARGE_CELLS
    }
    if not large:
        return {}
    closed = _closed({mask_of_all_layers(tap): _mask(trace, tap) for tap in maps if mask_of_all_layers(tap)})
    masked = {tap: attrs.evolve(trace.map(tap), mask=closed.get(_mask_of(tap))) for tap in maps}
    return {
        tap: kept.with_levels() if tap in large else kept
        for tap, kept in masked.items()
        if tap in large or kept.mask is not None
    }


def _mask(trace: Trace, tap: str) -> NDArray[np.bool_]:
    """[query, key] the mask that all layers and heads share. With changes, and in models of others, whose layers may have
    different masks: the cells that are closed in all of them."""
    if not trace.changes and trace.config is not None:
        return closed_cells(trace.arrays[tap][0])
    layers = (trace.arrays[with_layer(tap, layer)] for layer in trace.card.attention_layers(tap))
    closed: NDArray[np.bool_] = np.logical_and.reduce([closed_cells(heads).all(axis=0) for heads in layers])
    return closed


def _closed(masks: Any) -> dict[str, Levels]:
    """The levels of masks, by attention and stage.

    A row in which the mask has closed every cell has weights all the same. For weights, no cell of such a row is closed.
    """
    found: dict[str, Levels] = {}
    for attention, closed in masks.items():
        if not closed.any():
            continue
        found[f"{attention}.masked"] = found[f"{attention}.weights"] = closed_levels(closed)
        empty = closed.all(axis=1, keepdims=True)
        if empty.any():
            found[f"{attention}.weights"] = closed_levels(closed & ~empty)
        found[f"{attention}.dropped"] = found[f"{attention}.weights"]
    return found


def _mask_of(tap: str) -> str:
    """The key of `_closed` for a tap. It has no layer, because all layers and heads of an attention have the same mask."""
    place = place_of(tap)
    return f"{place.side}.{place.part}"


def with_wanted(
    trace: Trace,
    model: Transformer,
    wanted: Wanted,
    made: dict[tuple[str, int], Levels],
    memory_budget: int,
    changing: Changing,
    stop: Callable[[], bool],
) -> Trace:
    """The Trace with close-ups of the heads that the user looks at, as many as the budget in MB allows, and levels of taps.

    `changing` has the changes of the pass. `made` has the close-ups that were made already for this pass; it is updated.
    Raises Superseded.
    """
    wanted = tuple((tap, head) for tap, head in wanted if tap in trace)  # Some may be taps of another model.
    heads = [(tap, head) for tap, head in wanted if 0 <= head < trace.shape(tap)[0] and has_its_sources(trace, tap)]
    room = max(1, int(_FOR_CLOSE_UPS * memory_budget * 2**20 / max(_close_up_bytes(trace, heads), 1)))
    heads = heads[-room:]
    for key in set(made) - set(heads):
        del made[key]
    for tap, head in heads:
        if (tap, head) not in made:
            made[tap, head] = close_up(trace, model, tap, head, changing, stop)
    maps = dict(trace.maps)
    for tap in dict.fromkeys(tap for tap, _head in wanted):
        kept, close_ups = trace.map(tap), {head: levels for (of, head), levels in made.items() if of == tap}
        if close_ups:
            maps[tap] = kept.with_close_ups(close_ups)
        elif kept.array is not None and kept.levels is None and not kept.has_heads:
            maps[tap] = kept.with_levels()
    return attrs.evolve(trace, maps=maps)


def _close_up_bytes(trace: Trace, heads: Iterable[tuple[str, int]]) -> float:
    """The size in bytes of the largest of these close-ups."""
    return max((_FLOAT * _ALL_LEVELS * float(np.prod(trace.shape(tap)[1:])) for tap, _head in heads), default=0.0)


def close_up(trace: Trace, model: Transformer, tap: str, head: int, changing: Changing, stop: Callable[[], bool]) -> Levels:
    """One head's whole map in levels, made from the recorded queries and keys by the model's own `weigh`, with the changes of
    the pass. Raises Superseded.
    """
    base, _, stage = tap.rpartition(".")
    attention: Attention = model.get_submodule(base)  # type: ignore[assignment]  # The tap belongs to an attention.
    closed = trace.map(f"{base}.masked").closed
    blocks: list[NDArray[np.float32]] = []
    made = f"{base}.weights" if stage == "dropped" else tap  # Without dropout the two are equal.

    def hook(seen: Tap, _args: tuple[Any, ...], tensor: torch.Tensor) -> None:
        if seen.name == made:
            maps = tensor[0]  # [head, query, key], all heads under ALiBi and changes, else one
            blocks.append(maps[head if len(maps) > 1 else 0].float().cpu().numpy())

    heads = slice(None) if attention.position == "alibi" or changing.at_maps_of(base) else slice(head, head + 1)
    with changing.inside(model), hooked(model, hook):
        for block in _weighed(trace, attention, base, heads, closed):
            block()
            if stop():
                raise Superseded
    return trace.map(tap).levels_of(np.concatenate(blocks))


def _weighed(
    trace: Trace, attention: Attention, base: str, heads: slice, closed: Closed | None
) -> Iterable[Callable[[], object]]:
    """Functions that each compute the attention of some heads for one block of queries."""
    device = attention.project_query.weight.device
    query, key = (
        torch.from_numpy(np.array(trace.arrays[f"{base}.{part}"][heads])).to(device)[None] for part in ("query", "key")
    )
    n_queries, n_keys = query.shape[-2], key.shape[-2]
    rows = rows_at_once(query.shape[1], n_queries, n_keys)
    open_ = None if closed is None else torch.from_numpy(~closed).to(device)
    for first in range(0, n_queries, rows):

        def block(first: int = first) -> object:
            with torch.inference_mode():
                may_look = None if open_ is None else open_[first : first + rows]
                return attention.weigh(query[..., first : first + rows, :], key, may_look, first)

        yield block
