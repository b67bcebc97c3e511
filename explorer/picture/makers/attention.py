"""Pictures of attention: one head, the wall of all heads, the mask, and a head's vectors."""

from collections.abc import Sequence

import attrs
import numpy as np

from explorer.errors import NotKept, UnknownTap
from explorer.lang import Words
from explorer.picture.arithmetic import Arithmetic, of_heads
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Caption, Closed, HeadGrid, Heatmap, LargeWall, Strips
from explorer.picture.layout.cells import LARGE_CELLS, at_most
from explorer.picture.makers.folded import folded_wall, wants_words
from explorer.picture.makers.head_measures import measured_note, measured_wall
from explorer.picture.makers.heatmaps import (
    caption,
    closed_of,
    closed_reason,
    masked_values,
    robust_band,
    scale_for,
    tap_heatmap,
    token_axis,
)
from explorer.picture.makers.output import written
from explorer.picture.scales import Scale
from explorer.state.look import Look, attentions
from explorer.trace.arrays import Array
from explorer.trace.levels import Levels
from explorer.trace.stages import stage_of
from explorer.trace.tap_names import place_of, with_layer
from explorer.trace.trace import Trace

_MOST_CELLS = 2**22  # cells of a wall that is painted as one image
_FIGURE_CELLS = 128  # cells per side of each map when a large wall becomes one figure


def head_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The chosen head's map at the chosen stage. Raises UnknownTap, UnknownHead, NotKept."""
    tap = look.attention_tap()
    made = tap_heatmap(trace, tap, look, words, look.head)
    where = words("picture.head", layer=look.layer, head=look.head)
    told = attrs.evolve(made.caption, title=f"{made.caption.title} · {where}")
    arithmetic = _arithmetic(trace, tap)
    return attrs.evolve(made, made_of=None if arithmetic is None else arithmetic.of_head(look.head), caption=told)


def _arithmetic(trace: Trace, tap: str) -> Arithmetic | None:
    """How the cells of a tap's maps were computed; None where what they are made of was not recorded or kept."""
    try:
        return of_heads(trace, tap)
    except (NotKept, UnknownTap):
        return None


def head_wall(trace: Trace, look: Look, words: Words, layers: tuple[int, ...] = ()) -> HeadGrid:
    """All heads of the chosen attention at the chosen stage, on one scale; of all layers, or of `layers` alone.

    Raises UnknownTap, and NotKept where the maps are large and nothing of them was kept.
    """
    tap = look.attention_tap()
    layers = layers or trace.card.attention_layers(tap)
    taps = [with_layer(tap, layer) for layer in layers]
    large = _large_wall(trace, taps)
    if large is None:
        closed, block = closed_of(trace, tap), 1
        values = masked_values(np.stack([trace[name] for name in taps]), closed)  # [layer, head, query, key]
    else:
        values, closed, block = _coarse_wall(large)
    scales = [scale_for(trace, name, look) for name in taps]
    made = _wall_caption(trace, tap, layers, words)
    if large is not None and large.layers[0].block > 1:
        made = attrs.evolve(made, note=words(f"picture.pooled.{stage_of(tap).range}", block=large.layers[0].block))
    measured = measured_wall(trace, look, words, layers)
    made = attrs.evolve(made, note=measured_note(trace, look, words, measured) or made.note)
    wall = HeadGrid(
        values=values,
        closed=closed,
        block=block,
        large=large,
        rows=token_axis(trace, tap, "query", words),
        columns=token_axis(trace, tap, "key", words),
        scale=Scale(min(s.low for s in scales), max(s.high for s in scales), scales[0].colours),
        caption=made,
        layers=layers,
        chosen=(look.layer, look.head),
        reason="" if closed is None else closed_reason(trace, words, tap),
        recorded=() if large is not None else tuple(trace[name] for name in taps),
        made_of=() if large is not None else tuple(_arithmetic(trace, name) for name in taps),
        measured=measured,
    )
    return folded_wall(trace, wall, words, taps) if wants_words(look) and stage_of(tap).range == "unit" else wall


def _large_wall(trace: Trace, taps: list[str]) -> LargeWall | None:
    """The levels of a wall of large maps; None for a wall that fits one image.

    Raises NotKept where the wall is too large for one image and the pass kept no levels.
    """
    kept = [trace.map(tap) for tap in taps]
    found = [each.levels for each in kept if each.levels is not None]
    if len(found) == len(kept):
        close = {(layer, head): levels for layer, each in enumerate(kept) for head, levels in each.close_ups.items()}
        return LargeWall(tuple(found), close)
    if len(taps) * np.prod(trace.shape(taps[0])) > _MOST_CELLS:
        raise trace.not_kept(taps[0], -1)
    return None


def _coarse_wall(large: LargeWall) -> tuple[Array, Closed | None, int]:
    """Blocks [layer, head, row, column], few enough for a figure; the blocks' mask; and how many cells wide a block is."""
    found = [at_most(levels, _FIGURE_CELLS) for levels in large.layers]
    return np.stack([values for values, _closed, _block in found]), found[0][1], found[0][2]


def _wall_caption(trace: Trace, tap: str, layers: tuple[int, ...], words: Words) -> Caption:
    place = place_of(tap)
    kind = f"{place.side}.{place.part.partition('.')[0]}"
    made = caption(trace, tap, words)
    shape = f"[layer {len(layers)}, {made.shape[1:]}"
    which = "*" if len(layers) > 1 else str(layers[0])
    return attrs.evolve(
        made,
        title=f"{words(f'attention.{kind}')} · {made.title}",
        shape=shape,
        tap=tap.replace(f".layers.{place.layer}.", f".layers.{which}."),
    )


def mask_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The mask M [query, key] of the chosen attention: 1 where a query may see a key, closed where it may not."""
    tap = look.attention_tap("masked")
    closed = closed_of(trace, tap)
    shape = trace.shape(tap)[1:]
    large = _mask_levels(trace, tap, shape)
    ones = np.broadcast_to(np.float32(1), shape)  # [query, key]
    return Heatmap(
        values=masked_values(ones, closed) if large is None else ones,
        closed=closed,
        levels=large,
        rows=token_axis(trace, tap, "query", words),
        columns=token_axis(trace, tap, "key", words),
        scale=Scale(0.0, 1.0, "open"),
        caption=Caption(
            title=f"{words('mask.title')} · {words(f'attention.{look.attention}')}",
            tap=tap,
            formula="M",
            shape=f"[query {shape[0]}, key {shape[1]}]",
            origin="computed",
            note=_mask_note(trace, tap, closed, words),
        ),
        reason="" if closed is None else closed_reason(trace, words, tap),
    )


def _mask_levels(trace: Trace, tap: str, shape: tuple[int, ...]) -> Levels | None:
    """The levels of a large mask, in which a block is closed where all its cells are; None for a small mask."""
    if shape[0] * shape[1] <= LARGE_CELLS:
        return None
    mask = trace.map(tap).mask
    sizes = [(shape[0], shape[1])]
    while max(sizes[-1]) > _FIGURE_CELLS:
        sizes.append((-(-sizes[-1][0] // 2), -(-sizes[-1][1] // 2)))
    # A broadcast array holds one number in memory, whatever its shape.
    ones = tuple(np.broadcast_to(np.float32(1), size) for size in sizes)
    return Levels(ones, None if mask is None else mask.arrays[: len(ones)], 1, (shape[0], shape[1]))


def _mask_note(trace: Trace, tap: str, closed: Closed | None, words: Words) -> str:
    """The mask in words, with the rows that may see no key at all."""
    if closed is None:
        return words("mask.open_all")
    empty = closed.all(axis=1)  # [query], True: this query may see no key
    if not empty.any():
        return words("mask.open_future" if trace.card.masking == "inverted" else "mask.open_past")
    rows = token_axis(trace, tap, "query", words)
    told = [words("mask.row", row=int(row), number=int(row) + 1, token=rows.label(int(row))) for row in np.flatnonzero(empty)]
    which = words("mask.all_rows") if empty.all() else ", ".join(told)
    key = "mask.nothing_left_inf" if np.isneginf(trace.card.mask_value) else "mask.nothing_left_finite"
    return words(key, rows=which, share=rough(1 / closed.shape[1]))


def causal_mask(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The mask of the decoder's self-attention, which is the causal one; without a decoder, of the chosen attention."""
    decoder = "decoder.self_attn" in attentions(trace)
    return mask_map(trace, attrs.evolve(look, attention="decoder.self_attn") if decoder else look, words)


def part_strips(trace: Trace, look: Look, words: Words) -> Strips:
    """Queries, keys, values and the weighted sum of the chosen head, each [position, feature].

    In cross-attention, keys and values belong to other tokens than queries. Rows must be the same token in all bands, so
    only queries and the weighted sum are shown there; `source_strips` has the others.
    """
    if look.attention.endswith("cross_attn"):
        return _parts(trace, look, words, ("query", "mixed"), "Q, A V")
    return _parts(trace, look, words, ("query", "key", "value", "mixed"), "Q, K, V, A V")


def source_strips(trace: Trace, look: Look, words: Words) -> Strips:
    """Keys and values of the chosen head of a cross-attention, each [position, feature] of the source."""
    made = _parts(trace, look, words, ("key", "value"), "K, V")
    return attrs.evolve(made, caption=attrs.evolve(made.caption, title=words("picture.from_source", title=made.caption.title)))


def _parts(trace: Trace, look: Look, words: Words, parts: Sequence[str], formula: str) -> Strips:
    taps = [look.attention_tap(part) for part in parts]
    made = caption(trace, taps[0], words)
    return Strips(
        bands=tuple(robust_band(tap_heatmap(trace, tap, look, words, trace.card.head_in(tap, look.head))) for tap in taps),
        caption=attrs.evolve(made, title=words("picture.head", layer=look.layer, head=look.head), formula=formula),
    )


def step_cross(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The step's weights over the source [head + 1, key]; the last row is the mean. Raises UnknownTap without a source."""
    return _step_map(trace, "decoder.cross_attn", look, words)


def step_self(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The step's weights over the tokens before it [head + 1, key]; the last row is the mean and later tokens are closed.

    Without a decoder, the weights of the encoder's self-attention. Raises UnknownTap for an unknown layer.
    """
    return _step_map(trace, "decoder.self_attn" if trace.card.has("decoder") else "encoder.self_attn", look, words)


def _step_map(trace: Trace, attention: str, look: Look, words: Words) -> Heatmap:
    tap = attrs.evolve(look, attention=attention).attention_tap("weights")
    step = look.step(trace)
    weights = trace[tap][:, step]  # [head, key]
    n_heads, n_keys = weights.shape
    # Ā[k] = Σ_h A[h,k] / n_heads
    rows = np.vstack([weights, weights.mean(axis=0, dtype=np.float64)]).astype(np.float32)  # [head + 1, key]
    mask = closed_of(trace, tap)
    # All heads share the mask's row of this step.
    closed = None if mask is None or not mask[step].any() else np.broadcast_to(mask[step], rows.shape)
    key = "step.where" if trace.expected else "step.where_position"
    where = words(key, step=step, number=step + 1, token=written(trace, step), layer=look.layer)
    return Heatmap(
        values=masked_values(rows, closed),
        closed=closed,
        query=step,
        rows=Axis(words("axis.head"), (*map(str, range(n_heads)), words("step.mean")), numbered=False),
        columns=token_axis(trace, tap, "key", words),
        scale=scale_for(trace, tap, look),
        caption=attrs.evolve(
            caption(trace, tap, words),
            title=f"{words(f'attention.{attention}')} · {where}",
            shape=f"[head {n_heads}, key {n_keys}]",
            origin="computed",  # The last row is a mean.
        ),
        reason="" if closed is None else closed_reason(trace, words, tap),
    )
