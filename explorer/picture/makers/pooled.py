"""Attention maps of several heads, and filters of a map: means, maxima, rollout, a threshold, no special tokens.

A mean, a maximum and a rollout are summaries for the reader; the model computes none of them.
"""

from collections.abc import Callable
from functools import partial

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Closed, Heatmap
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.folded import Fold, folded_map, wants_words
from explorer.picture.makers.heatmaps import caption, closed_of, closed_reason, masked_values, scale_for, token_axis
from explorer.picture.scales import unit_scale
from explorer.state.look import ALIGNED, Look
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.found.rollout import rollout
from explorer.trace.stages import stage_of
from explorer.trace.tap_names import with_layer
from explorer.trace.trace import Trace

FORMULAS = {
    "layer": "Ā = Σ<sub>h</sub> A<sub>h</sub> / n<sub>heads</sub>",
    "all": "Ā = Σ<sub>l,h</sub> A<sub>l,h</sub> / (n<sub>layers</sub> · n<sub>heads</sub>)",
    "layer_max": "max<sub>h</sub> A<sub>h</sub>",
    "all_max": "max<sub>l,h</sub> A<sub>l,h</sub>",
    "rollout": "R<sub>l</sub> = ½ (Ā<sub>l</sub> + I) R<sub>l−1</sub>",
}


def attention_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The chosen head's map, or what stands for several heads, as far as the Look lets it be seen.

    Raises UnknownTap, UnknownHead, NotKept.
    """
    made = heads_map(trace, look, words)
    if not has_shares(look):
        return made
    if wants_words(look):
        made = folded_map(trace, made, words, largest_of(trace, look, pooled_as(look)))
    if look.specials == "hidden":
        made = without_specials(made, *_specials(trace, made), words)
    return above(made, look.threshold, words) if look.threshold else made


def heads_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The chosen head's map, or what stands for several heads, all of it. Raises UnknownTap, UnknownHead, NotKept."""
    pooled = pooled_as(look)
    return head_map(trace, look, words) if pooled == "head" else _pooled(trace, look, words, pooled)


def heads_values(trace: Trace, look: Look) -> Array:
    """The numbers [query, key] of `heads_map`, as the model computed them or as they follow from those. Raises the same."""
    pooled = pooled_as(look)
    return trace.head(look.attention_tap(), look.head) if pooled == "head" else pooled_values(trace, look, pooled)


def at_stages(look: Look) -> Look:
    """The Look for maps of several stages beside each other: a rollout has the stage of weights alone, and is a mean there."""
    return attrs.evolve(look, aligned="all") if look.aligned == "rollout" else look


def told_pool(trace: Trace, look: Look, words: Words) -> str:
    """What stands for the heads, in words: the chosen layer and head, or which of them a mean or maximum takes."""
    pooled, side = pooled_as(look), trace.card.side(look.attention)
    if pooled == "head":
        return words("picture.head", layer=look.layer, head=look.head)
    return words(f"heads.pooled_of.{pooled}", layer=look.layer, layers=side.n_layers, heads=side.n_heads)


def pooled_as(look: Look) -> str:
    """What stands for the heads: the field `aligned`, but a rollout across two texts, which there is none of, is a mean."""
    across = look.attention.endswith("cross_attn")
    return "all" if look.aligned == "rollout" and across else look.aligned


def has_shares(look: Look) -> bool:
    """Whether the cells are shares of one: weights, and not scores."""
    return pooled_as(look) == "rollout" or stage_of(look.attention_tap()).range == "unit"


def offered_pools(look: Look) -> tuple[str, ...]:
    """The summaries that can stand for the heads of the chosen attention."""
    return tuple(each for each in ALIGNED if each != "rollout" or not look.attention.endswith("cross_attn"))


def largest_of(trace: Trace, look: Look, pooled: str) -> Callable[[Fold], Array] | None:
    """What makes a maximum over heads that are folded first; None for all else, in which the order does not matter."""
    return partial(pooled_values, trace, look, pooled) if pooled.endswith("_max") else None


def pooled_values(trace: Trace, look: Look, pooled: str, fold: Fold | None = None) -> Array:
    """[query, key] of the chosen attention; of a maximum, each head is folded before. Raises UnknownTap, NotKept."""
    tap = look.attention_tap("weights" if pooled == "rollout" else "")
    last = look.layer if pooled == "rollout" else trace.card.side(tap).n_layers
    layers_there = [layer for layer in trace.card.attention_layers(tap) if layer <= last]
    taps = [tap] if pooled.startswith("layer") else [with_layer(tap, layer) for layer in layers_there]
    layers = [trace[name] for name in taps]  # [head, query, key] each
    if pooled == "rollout":
        return rollout(layers).astype(np.float32)
    if pooled.endswith("_max"):
        largest: Array = np.maximum.reduce([(heads if fold is None else fold(heads)).max(axis=0) for heads in layers])
        return largest
    # Sums are float64, so that the order of heads does not matter.
    total = np.sum([heads.sum(axis=0, dtype=np.float64) for heads in layers], axis=0)
    mean: Array = (total / sum(len(heads) for heads in layers)).astype(np.float32)
    return mean


def _pooled(trace: Trace, look: Look, words: Words, pooled: str) -> Heatmap:
    tap = look.attention_tap("weights" if pooled == "rollout" else "")
    closed, told = closed_of(trace, tap), caption(trace, tap, words)
    if not pooled.startswith("layer"):
        n_layers = look.layer + 1 if pooled == "rollout" else trace.card.side(tap).n_layers
        every = tap.replace(f".layers.{look.layer}.", ".layers.*.")
        told = attrs.evolve(told, tap=every, shape=f"[layer {n_layers}, {told.shape[1:]}")
    return Heatmap(
        values=masked_values(pooled_values(trace, look, pooled), closed),
        closed=closed,
        rows=token_axis(trace, tap, "query", words),
        columns=token_axis(trace, tap, "key", words),
        scale=unit_scale(look.unit_colours) if pooled == "rollout" else scale_for(trace, tap, look),
        caption=attrs.evolve(
            told,
            title=f"{told.title} · {told_pool(trace, look, words)}",
            formula=FORMULAS[pooled],
            note=words("heads.rollout_note") if pooled == "rollout" else "",
            origin="computed",
        ),
        reason="" if closed is None else closed_reason(trace, words, tap),
    )


def is_special(trace: Trace, token: Token) -> bool:
    """Whether a token stands for no letter of the text, such as <bos>."""
    return token.special or token.id in (trace.card.begin, trace.card.end)


def _specials(trace: Trace, made: Heatmap) -> tuple[Closed, Closed]:
    """[row] and [column] True for special tokens; a row that writes a token is named after that token."""
    tokens = trace.tokens.source, trace.tokens.target

    def special(axis: Axis, size: int) -> Closed:
        along = tokens[0] if axis.side == "source" else tokens[1]
        # Behind the last token only the end symbol is written.
        places = [axis.spot(index)[1] for index in range(size)]
        return np.array([place >= len(along) or is_special(trace, along[place]) for place in places])

    n_rows, n_columns = made.values.shape
    return special(made.rows, n_rows), special(made.columns, n_columns)


def without_specials(made: Heatmap, rows: Closed, columns: Closed, words: Words) -> Heatmap:
    """The map with the rows and columns of special tokens masked, and every other row normalized to a sum of 1."""
    if not (rows.any() or columns.any()):
        return made
    hidden = rows[:, None] | columns  # [row, column]
    values = np.where(hidden, np.nan, made.values.astype(np.float64))
    # A'[q,k] = A[q,k] / Σ_k A[q,k] over the keys that are left; a row that has no weight left stays without numbers.
    left = np.nansum(values, axis=1, keepdims=True)
    values = np.divide(values, left, out=np.full_like(values, np.nan), where=left > 0)
    return _fewer(made, values.astype(np.float32), hidden, words("heads.special"), words("heads.special_note"), words)


def above(made: Heatmap, threshold: float, words: Words) -> Heatmap:
    """The map with cells below a threshold masked; the others keep their numbers."""
    hidden = np.nan_to_num(made.values, nan=np.inf) < threshold
    values = np.where(hidden, np.float32(np.nan), made.values)
    shown = made.values[np.isfinite(made.values) & ~hidden].sum(dtype=np.float64)
    share = shown / max(1e-12, float(np.nansum(made.values, dtype=np.float64)))
    note = words("heads.threshold_note", share=rough(100 * share))
    return _fewer(made, values, hidden, words("heads.below", threshold=rough(threshold)), note, words)


def _fewer(made: Heatmap, values: Array, hidden: Closed, reason: str, note: str, words: Words) -> Heatmap:
    """The map with these values, some cells masked for a reason, and a note about it.

    Its numbers are computed from the recorded ones now, and a large map is painted cell by cell.
    """
    masked = np.zeros(hidden.shape, bool) if made.closed is None else made.closed
    before = made.reasons or ((made.reason, masked),)
    reasons = (*before, (reason, hidden & ~masked))
    return attrs.evolve(
        made,
        values=values,
        closed=masked | hidden,
        reason="; ".join(dict.fromkeys(text for text, cells in reasons if cells.any())),
        reasons=reasons,
        closed_by=words("heads.hidden"),
        levels=None,
        recorded=None,
        made_of=None,
        caption=attrs.evolve(made.caption, origin="computed", note=made.caption.noted(note)),
    )
