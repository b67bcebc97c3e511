"""Pictures of alignment: the cross-attention between two sentences, of one head or of several.

Bahdanau et al. 2015, figure 3. What stands for several heads is made in `pooled.py`.
"""

import attrs

from explorer.errors import UnknownHead
from explorer.lang import Words
from explorer.picture.kinds import Alignment, Axis, Caption, Closed, Heatmap
from explorer.picture.makers.folded import folded_map, wants_words
from explorer.picture.makers.heatmaps import caption, closed_of, closed_reason, masked_values, symbol, token_axis
from explorer.picture.makers.overlay import overlaid
from explorer.picture.makers.pooled import FORMULAS, largest_of, pooled_as, pooled_values
from explorer.picture.scales import unit_scale
from explorer.state.look import Look, attentions
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace

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
    return overlaid(look, words, lambda one: _alignment(trace, one, words), lambda heads: f"{heads} · {title}")


def _alignment(trace: Trace, look: Look, words: Words) -> Alignment:
    """The lines of the chosen head, or of what stands for several."""
    made = _map(trace, look, words)
    return Alignment(
        values=made.values,
        recorded=made.recorded,
        head=made.head,
        rows=made.rows,
        columns=made.columns,
        scale=made.scale,
        caption=made.caption,
    )


def alignment_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The weights of `alignment` as a map [query, key]. Raises the same errors."""
    return _map(trace, look, words)


def _map(trace: Trace, look: Look, words: Words) -> Heatmap:
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
    tap = _tap(look)
    made = caption(trace, tap, words)
    decoder = trace.card.side(_CROSS)
    layers, heads = decoder.n_layers, decoder.n_heads
    shape, formula = made.shape, made.formula
    pooled = pooled_as(_across(look))
    if pooled != "head":
        which, formula = words(f"heads.pooled_of.{pooled}", layer=look.layer, layers=layers, heads=heads), FORMULAS[pooled]
    if pooled.startswith("all"):
        tap, shape = tap.replace(f".layers.{look.layer}.", ".layers.*."), f"[layer {layers}, {shape[1:]}"
    if pooled == "head":
        which = words("alignment.of_head", layer=look.layer, head=look.head)
    rows = words("alignment.rows_expected" if trace.expected else "alignment.rows_read")
    note = words("alignment.note" if closed is None else "alignment.note_closed", rows=rows)
    return Caption(
        title=f"{which} · {words('alignment.title')}",
        tap=tap,
        shape=shape,
        formula=formula,
        note=note,
        origin="recorded" if pooled == "head" else "computed",
    )
