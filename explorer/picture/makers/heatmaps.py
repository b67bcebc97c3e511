"""The parts that all makers share: axes, captions, scales, masks, and the Heatmap of any recorded tensor."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, Closed, Heatmap
from explorer.picture.layout.cells import LARGE_CELLS
from explorer.picture.scales import Scale, centred_scale, robust_scale, round_up, unit_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.kept_map import closed_cells
from explorer.trace.levels import Levels
from explorer.trace.model_card import PROBABILITIES
from explorer.trace.stages import SINUSOIDS, stage_of
from explorer.trace.tap_names import with_layer
from explorer.trace.trace import Trace


def tap_title(tap: str, words: Words) -> str:
    """What a tap is called; an unknown one by its own name."""
    stage = stage_of(tap)
    return stage.key if stage.plain else words(f"stage.{stage.key}.title")


def caption(trace: Trace, tap: str, words: Words, note: str = "") -> Caption:
    """A caption with the title and formula of the tap's stage and with the tap's shape. Raises UnknownTap."""
    stage = stage_of(tap)
    formula = stage.formula
    if stage.key == "embedding.positions":
        # Only sinusoids have a formula: learned positions are a table, and the other kinds add nothing here.
        formula = SINUSOIDS.get(trace.card.position, "")
    if tap == PROBABILITIES and trace.card.classes is not None and trace.card.classes.by == "sigmoid":
        formula = "1 / (1 + exp(−(h W + b)))"  # Each class is right or wrong by itself.
    # A plain stage belongs to an unknown tap, so its title is the tap's name.
    title = tap_title(tap, words)
    return Caption(title=title, tap=tap, note=note, shape=shape_badge(trace, tap), formula=formula)


def shape_badge(trace: Trace, tap: str) -> str:
    """The shape of a tap with its axes named: "[head 8, query 4, key 4]"."""
    sizes = zip(trace.axes(tap), trace.shape(tap), strict=True)
    return "[" + ", ".join(f"{name} {size}" for name, size in sizes) + "]"


def places_note(trace: Trace, side: str, words: Words) -> str:
    """The reason why no positions are added to the input, in a sentence; "" where they are."""
    return "" if np.any(trace.table(side)) else words(nothing_added(trace, words))


def nothing_added(trace: Trace, words: Words) -> str:
    """The key of the sentence that says why this kind of positions adds nothing to the input."""
    kind = "sinusoidal" if trace.card.position in SINUSOIDS else trace.card.position
    key = f"picture.nothing_added.{kind}"
    return key if key in words else "picture.nothing_added.other"


def token_axis(trace: Trace, tap: str, name: str, words: Words) -> Axis:
    """The axis `name` of a tap, labelled with tokens where it runs along a text."""
    called = words(f"axis.{name}") if f"axis.{name}" in words else name
    if name == "class" and trace.card.classes is not None:
        return Axis(called, trace.card.classes.labels)
    if name not in ("position", "query", "key"):
        return Axis(called)
    asks = name == "query" or tap.endswith(".cross_attn.query")
    if asks and ".cross_attn." in tap and trace.expected:
        # A query of cross-attention is made for the token about to be written, so it is named after that token.
        return Axis(words("axis.next_token"), tuple(f"→{symbol(trace, each)}" for each in trace.expected), "target", shift=1)
    labels = tuple(token.text for token in trace.side(tap, name))
    if stage_of(tap).plain and len(labels) != trace.shape(tap)[trace.axes(tap).index(name)]:
        return Axis(called)  # An unknown tap's axis of another length does not run along the text.
    return Axis(called, labels, trace.side_name(tap, name))


def symbol(trace: Trace, index: int) -> str:
    """The symbol of a vocabulary id; "#17" for a row of the output matrix that no symbol uses."""
    return trace.symbols[index] if index < len(trace.symbols) and trace.symbols[index] else f"#{index}"


def scale_for(trace: Trace, tap: str, look: Look) -> Scale:
    """The scale of a tap: fixed from 0 to 1 for weights and probabilities, zero-centred over the whole tensor for others.

    Dropout multiplies the weights it keeps by 1 / (1 − p), so the scale of dropped weights ends at the largest of them.
    Large maps have small weights: their scale ends at the next 1, 2 or 5 · 10ⁿ. Raises UnknownTap, NotKept.
    """
    if stage_of(tap).range == "unit":
        kept = trace.map(tap)
        if kept.has_heads and kept.levels is not None:
            return Scale(0.0, _rounded_end(_largest_weight(trace, tap)), look.unit_colours)
        top = 1.0 if not tap.endswith(".dropped") else max(1.0, float(np.nanmax(_extremes(trace, tap))))
        return Scale(0.0, top, look.unit_colours) if top > 1 else unit_scale(look.unit_colours)
    values = _extremes(trace, tap)
    # Masked cells hold −∞ or −1e9, which would leave all other cells with the middle colour.
    return centred_scale(values[~closed_cells(values)], look.signed_colours)


def _largest_weight(trace: Trace, tap: str) -> float:
    """The largest weight of a large map's tap in all layers: layers share one scale and can be compared."""
    layers = [trace.map(with_layer(tap, layer)).levels for layer in trace.card.attention_layers(tap)]
    return max(float(np.nanmax(levels.arrays[-1])) for levels in layers if levels is not None)


def _rounded_end(largest: float) -> float:
    """The end of a scale: the smallest of 1, 0.5, 0.2, 0.1, … that is no less than `largest`.

    Among a thousand tokens a weight is about a thousandth, and a scale up to 1 would show all weights dark.
    """
    return round_up(largest, (1, 2, 5, 10)) if largest > 0 else 1.0


def _extremes(trace: Trace, tap: str) -> Array:
    """Values that include the extremes of the whole tensor. Raises NotKept where nothing of it was kept."""
    found = trace.map(tap).extremes
    return trace[tap] if found is None else found


def closed_of(trace: Trace, tap: str, head: int | None = None) -> Closed | None:
    """The masked cells [query, key], for a tap behind the mask; None where no cell is masked.

    A Change may mask cells of single heads. The result then belongs to `head`; without a head, it holds only cells that are
    masked in all heads.
    """
    kept = trace.map(tap)
    return kept.closed if head is None else kept.closed_in(head)


def closed_reason(trace: Trace, words: Words, tap: str = "") -> str:
    """Why cells are masked, in words: "later tokens" for the usual mask, another reason for another mask convention.

    A change may have masked cells of this tap's attention, too, or all that are masked there.
    """
    attention = tap.rpartition(".")[0]
    if any(change.kind == "close" and change.tap == f"{attention}.masked" for change in trace.changes):
        has_own = (attention.endswith("self_attn") and attention.startswith("decoder")) or trace.card.masking != "usual"
        return words("change.closed_also" if has_own else "change.closed")
    return words("mask.future") if trace.card.masking == "usual" else words.or_other(f"mask.reason.{trace.card.masking}")


def masked_values(values: Array, closed: Closed | None) -> Array:
    """The values with NaN in masked cells, which pictures draw in a colour of their own."""
    return values if closed is None else np.where(closed, np.float32(np.nan), values)


def levels_of(trace: Trace, tap: str, head: int) -> Levels | None:
    """The levels from which a large map is painted; None for a map that is painted cell by cell.

    Raises NotKept for a large map whose levels were not requested yet.
    """
    kept = trace.map(tap)
    painted = kept.painted(head)
    if painted is None and kept.shape[-2] * kept.shape[-1] > LARGE_CELLS:
        raise trace.not_kept(tap, -1)
    return painted


def robust_band(band: Heatmap) -> Heatmap:
    """A band of strips on a scale of its own, which a few outliers cannot stretch until all else is blank."""
    return attrs.evolve(band, scale=robust_scale(band.values, band.scale.colours)) if band.scale.centred else band


def tap_heatmap(trace: Trace, tap: str, look: Look, words: Words, head: int = 0) -> Heatmap:
    """Any recorded tensor as a map; of a tensor with heads, the map of `head`. Raises UnknownTap, UnknownHead, NotKept."""
    axes = trace.axes(tap)
    if axes[0] == "head":
        array, axes = trace.head(tap, head), axes[1:]  # from [head, row, column] to [row, column]
    else:
        array = trace[tap]
    closed, large = closed_of(trace, tap, head), levels_of(trace, tap, head)
    return Heatmap(
        values=array if large is not None else masked_values(array, closed),
        closed=closed,
        levels=large,
        rows=token_axis(trace, tap, axes[0], words),
        columns=token_axis(trace, tap, axes[1], words),
        scale=scale_for(trace, tap, look),
        caption=caption(trace, tap, words),
        reason="" if closed is None else closed_reason(trace, words, tap),
        recorded=array,
        head=head if trace.axes(tap)[0] == "head" else None,
    )
