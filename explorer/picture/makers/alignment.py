"""Attention as lines: the alignment between two sentences, the arcs within one, and several heads laid over one another.

Bahdanau et al. 2015, figure 3. What stands for several heads is made in `pooled.py`.
"""

from collections.abc import Callable

import attrs
import numpy as np

from explorer.errors import UnknownHead
from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Alignment, Axis, Caption, Closed, HeadLines, Heatmap
from explorer.picture.makers.folded import folded_map, wants_words
from explorer.picture.makers.heatmaps import caption, closed_of, closed_reason, masked_values, symbol, token_axis
from explorer.picture.makers.pooled import FORMULAS, attention_map, has_shares, largest_of, pooled_as, pooled_values, told_pool
from explorer.picture.picture import Origin
from explorer.picture.scales import unit_scale
from explorer.state.look import Look, attentions
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace

MOST_LINES = 4096
_LISTED = 4  # heads that a title names
_CROSS = "decoder.cross_attn"


def has_alignment(trace: Trace) -> bool:
    """Whether the trace has a cross-attention, as only models with both sides have."""
    return _CROSS in attentions(trace)


def alignment(trace: Trace, look: Look, words: Words) -> Alignment:
    """How strongly each position of the target looks at each source token, as lines [query, key] of one head or of several.

    Raises UnknownTap where there is no cross-attention (see `has_alignment`) or no such layer; UnknownHead where there is
    no such head.
    """
    title = words("alignment.title")
    return overlaid(look, words, lambda one: _lines(alignment_map(trace, one, words)), lambda heads: f"{heads} · {title}")


def alignment_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The weights of `alignment` as a map [query, key]. Raises the same errors."""
    tap, pooled = _tap(look), pooled_as(_across(look))
    closed, weights, one = closed_of(trace, tap), _weights(trace, look), pooled == "head"
    made = Heatmap(
        values=masked_values(weights, closed),
        rows=_rows(trace, words),
        columns=token_axis(trace, tap, "key", words),
        scale=unit_scale(look.unit_colours),
        caption=_caption(trace, look, closed, words),
        closed=closed,
        reason="" if closed is None else closed_reason(trace, words, tap),
        recorded=weights if one else None,
        head=look.head if one else None,
    )
    return folded_map(trace, made, words, largest_of(trace, _across(look), pooled)) if wants_words(look) else made


def _tap(look: Look) -> str:
    return f"decoder.layers.{look.layer}.cross_attn.weights"


def _weights(trace: Trace, look: Look) -> Array:
    """The weights [query, key] of the chosen head, or what stands for several."""
    pooled = pooled_as(_across(look))
    if pooled != "head":
        return pooled_values(trace, _across(look), pooled)
    heads = trace[_tap(look)]  # [head, query, key]
    if not 0 <= look.head < len(heads):
        raise UnknownHead(got=look.head, last=len(heads) - 1)
    chosen: Array = heads[look.head]  # [query, key]
    return chosen


def _across(look: Look) -> Look:
    """The same Look at the weights of cross-attention."""
    return attrs.evolve(look, attention=_CROSS, stage="weights")


def _rows(trace: Trace, words: Words) -> Axis:
    """The rows' axis. A position writes the next token, so its row is named after the token it is about to write."""
    if not trace.expected:
        return Axis(words("axis.query"), tuple(token.text for token in trace.tokens.target), "target")
    return Axis(words("alignment.writes"), tuple(symbol(trace, index) for index in trace.expected), "target", shift=1)


def _caption(trace: Trace, look: Look, closed: Closed | None, words: Words) -> Caption:
    tap, seen = _tap(look), _across(look)
    made, pooled = caption(trace, tap, words), pooled_as(seen)
    if pooled == "head":
        which = words("alignment.of_head", layer=look.layer, head=look.head)
    else:
        made = attrs.evolve(made, formula=FORMULAS[pooled], origin="computed")
        which = told_pool(trace, seen, words)
    if pooled.startswith("all"):
        shape = f"[layer {trace.card.side(_CROSS).n_layers}, {made.shape[1:]}"
        made = attrs.evolve(made, tap=tap.replace(f".layers.{look.layer}.", ".layers.*."), shape=shape)
    rows = words("alignment.rows_expected" if trace.expected else "alignment.rows_read")
    note = words("alignment.note" if closed is None else "alignment.note_closed", rows=rows)
    return attrs.evolve(made, title=f"{which} · {words('alignment.title')}", note=note)


def attention_lines(trace: Trace, look: Look, words: Words) -> Alignment:
    """The weights of `attention_map` as lines between two rows of tokens, the strongest of them where there are many.

    Several heads may lie over one another, and of self-attention lines may be arcs. Scores are no shares and have no lines, so
    that their weights are shown. Raises UnknownTap, UnknownHead, NotKept.
    """
    look = look if has_shares(look) else attrs.evolve(look, stage="weights")
    if len(look.drawn_heads()) > 1:
        trace[look.attention_tap()]  # Of a long text all heads are asked for at once, or it is said that they do not fit.
    title = caption(trace, look.attention_tap(), words).title
    made = overlaid(look, words, lambda one: _lines(attention_map(trace, one, words)), lambda heads: f"{title} · {heads}")
    told = made.caption
    if made.overlaid and look.threshold:
        told = attrs.evolve(told, note=_note_of_all(trace, look, made, words))
    arcs = look.drawn == "arcs" and has_arcs(look)
    usual = "heads.lines_note" if not arcs else "heads.arcs_note" if made.looks_ahead else "heads.arcs_back_note"
    note = told.note or words(usual)
    return strongest(attrs.evolve(made, arcs=arcs, caption=attrs.evolve(told, note=note)), words)


def _note_of_all(trace: Trace, look: Look, made: Alignment, words: Words) -> str:
    """Which share of the weight of all overlaid heads is shown, and what else was hidden."""
    alone = [attrs.evolve(look, head=each.head, overlaid=(), threshold=0.0) for each in made.overlaid]
    whole = [attention_map(trace, one, words) for one in alone]
    shown = sum(float(np.nansum(each.values, dtype=np.float64)) for each in made.overlaid)
    every = sum(float(np.nansum(each.values, dtype=np.float64)) for each in whole)
    note = words("heads.threshold_note", share=rough(100 * shown / max(1e-12, every)))
    return whole[0].caption.noted(note)


def has_arcs(look: Look) -> bool:
    """Whether the chosen attention is one of a text at itself, whose tokens one row of arcs can join."""
    return look.attention.endswith("self_attn")


def _lines(made: Heatmap) -> Alignment:
    return Alignment(
        values=made.values,
        rows=made.rows,
        columns=made.columns,
        scale=made.scale,
        caption=made.caption,
        recorded=made.recorded,
        head=made.head,
    )


def overlaid(look: Look, words: Words, lines_of: Callable[[Look], Alignment], titled: Callable[[str], str]) -> Alignment:
    """The lines of all heads that are drawn: `lines_of` makes those of one Look, and `titled` a title that names the heads.

    Raises what `lines_of` raises.
    """
    heads = look.drawn_heads()
    if len(heads) < 2:
        return lines_of(look)
    made = {head: lines_of(attrs.evolve(look, head=head, overlaid=())) for head in heads}
    chosen = made[look.head]
    origin: Origin = "recorded" if all(each.recorded is not None for each in made.values()) else "computed"
    named = " ".join(f"H{head}" for head in heads) if len(heads) <= _LISTED else words("heads.count", count=len(heads))
    return attrs.evolve(
        chosen,
        # m[q,k] = max_h A_h[q,k] over the heads that are drawn; a closed cell stays NaN.
        values=np.fmax.reduce([each.values for each in made.values()]),
        recorded=None,
        head=None,
        overlaid=tuple(HeadLines(head, each.values, each.recorded) for head, each in made.items()),
        caption=attrs.evolve(
            chosen.caption,
            title=titled(words("heads.overlaid", layer=look.layer, heads=named)),
            formula="A<sub>h</sub>",
            origin=origin,
        ),
    )


def strongest(made: Alignment, words: Words) -> Alignment:
    """The picture with its strongest lines alone where there are many; the note says how many are left."""
    layers = [each.values for each in made.overlaid] or [made.values]
    n_lines = sum(each.size for each in layers)
    if n_lines <= MOST_LINES:
        return made
    # The weight that so many others do not reach.
    every = np.nan_to_num(np.concatenate([each.ravel() for each in layers]), nan=0.0)
    least = np.partition(every, n_lines - MOST_LINES)[-MOST_LINES]
    left = [np.where(each >= least, each, np.float32(np.nan)) for each in layers]
    note = words("heads.strongest", count=int(sum(np.isfinite(each).sum() for each in left)))
    heads = tuple(HeadLines(each.head, values) for each, values in zip(made.overlaid, left, strict=False))
    return attrs.evolve(
        made,
        values=np.fmax.reduce(left),
        overlaid=heads,
        recorded=None,
        caption=attrs.evolve(made.caption, origin="computed", note=made.caption.noted(note)),
    )
