"""Pictures of attention: the wall of all heads, one head, the mask."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.describe import rough
from explorer.picture.look import Look, attentions
from explorer.picture.make import caption, closed_of, closed_reason, masked_values, scale_for, tap_heatmap, token_axis
from explorer.picture.picture import Caption, Closed, HeadGrid, Heatmap, Strips
from explorer.picture.scales import Scale
from explorer.trace.catalogue import place_of, with_layer
from explorer.trace.trace import Trace


def head_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The chosen head at the chosen stage."""
    tap = look.attention_tap()
    made = tap_heatmap(trace, tap, look, words, look.head)
    where = words("picture.head", layer=look.layer, head=look.head)
    return attrs.evolve(made, caption=attrs.evolve(made.caption, title=f"{made.caption.title} · {where}"))


def head_wall(trace: Trace, look: Look, words: Words, layers: tuple[int, ...] = ()) -> HeadGrid:
    """All heads of all layers (or of some) of the chosen attention at the chosen stage, on one scale."""
    tap = look.attention_tap()
    layers = layers or tuple(range(trace.config.n_layers))
    taps = [with_layer(tap, layer) for layer in layers]
    values = np.stack([trace[name] for name in taps])  # [layer, head, query, key]
    closed = closed_of(trace, tap)
    scales = [scale_for(trace, name, look) for name in taps]
    return HeadGrid(
        values=masked_values(values, closed), closed=closed,
        rows=token_axis(trace, tap, "query", words), columns=token_axis(trace, tap, "key", words),
        scale=Scale(min(s.low for s in scales), max(s.high for s in scales), scales[0].colours),
        caption=_wall_caption(trace, tap, layers, words), layers=layers, chosen=(look.layer, look.head),
        reason="" if closed is None else closed_reason(trace, words),
    )


def _wall_caption(trace: Trace, tap: str, layers: tuple[int, ...], words: Words) -> Caption:
    place = place_of(tap)
    kind = f"{place.side}.{place.part.partition('.')[0]}"
    made = caption(trace, tap, words)
    shape = f"[layer {len(layers)}, {made.shape[1:]}"
    which = "*" if len(layers) > 1 else str(layers[0])
    return attrs.evolve(made, title=f"{words(f'attention.{kind}')} · {made.title}", shape=shape,
                        tap=tap.replace(f".layers.{place.layer}.", f".layers.{which}."))


def mask_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """Who may look at whom in the chosen attention: 1 where a query sees a key, closed where the mask forbids it."""
    tap = look.attention_tap("masked")
    closed = closed_of(trace, tap)
    shape = trace[tap].shape[1:]
    return Heatmap(
        values=masked_values(np.ones(shape, np.float32), closed), closed=closed,
        rows=token_axis(trace, tap, "query", words), columns=token_axis(trace, tap, "key", words),
        scale=Scale(0.0, 1.0, "open"),
        caption=Caption(title=f"{words('mask.title')} · {words(f'attention.{look.attention}')}", tap=tap, formula="M",
                        shape=f"[query {shape[0]}, key {shape[1]}]",
                        note=_mask_note(trace, tap, closed, words)),
        reason="" if closed is None else closed_reason(trace, words),
    )


def _mask_note(trace: Trace, tap: str, closed: Closed | None, words: Words) -> str:
    """Who may look at whom in words, and which rows are left nothing at all."""
    if closed is None:
        return words("mask.open_all")
    empty = closed.all(axis=1)
    if not empty.any():
        return words("mask.open_future" if trace.config.masking == "inverted" else "mask.open_past")
    rows = token_axis(trace, tap, "query", words)
    told = [words("mask.row", row=int(row), token=rows.label(int(row))) for row in np.flatnonzero(empty)]
    which = words("mask.all_rows") if empty.all() else ", ".join(told)
    key = "mask.nothing_left_inf" if trace.config.mask_value == "-inf" else "mask.nothing_left_finite"
    return words(key, rows=which, share=rough(1 / closed.shape[1]))


def causal_mask(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The mask of the decoder's self-attention, where causality belongs; without a decoder, of the chosen attention."""
    decoder = "decoder.self_attn" in attentions(trace)
    return mask_map(trace, attrs.evolve(look, attention="decoder.self_attn") if decoder else look, words)


def part_strips(trace: Trace, look: Look, words: Words) -> Strips:
    """Queries, keys, values and the weighted sum of the chosen head. Across, keys stand beside other tokens than queries,
    so there only what has the query's rows is shown: queries and the weighted sum."""
    across = look.attention.endswith("cross_attn")
    taps = [look.attention_tap(part) for part in (("query", "mixed") if across else ("query", "key", "value", "mixed"))]
    where = words("picture.head", layer=look.layer, head=look.head)
    made = caption(trace, taps[0], words)
    return Strips(
        bands=tuple(tap_heatmap(trace, tap, look, words, look.head) for tap in taps),
        caption=attrs.evolve(made, title=where, formula="Q, K, V, A V" if not across else "Q, A V"),
    )
