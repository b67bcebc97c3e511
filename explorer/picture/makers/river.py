"""The River of a Trace: its lanes, its blocks, and the words that come out."""

import math

import attrs
import numpy as np

from explorer.errors import NotKept
from explorer.lang import Words
from explorer.picture.kinds import Caption, Heatmap
from explorer.picture.makers.excerpt import Excerpt, cut, excerpt_of, shows_words, whole_of
from explorer.picture.makers.heatmaps import caption, closed_of, masked_values, symbol, token_axis
from explorer.picture.makers.opened import opened, opened_attention
from explorer.picture.makers.output import written
from explorer.picture.makers.pooled import heads_map
from explorer.picture.makers.river_contributions import contributions
from explorer.picture.makers.river_words import first_query, in_words
from explorer.picture.river.river import Half, River, Sublayer, Written
from explorer.picture.scales import Scale, unit_scale
from explorer.state.look import Look, attentions
from explorer.trace.arrays import Array
from explorer.trace.levels import all_closed, pooled
from explorer.trace.model_card import SideCard
from explorer.trace.sampling import cut_away, sampling_probabilities
from explorer.trace.tap_names import without_place
from explorer.trace.trace import Trace

_CANDIDATES = 8
_USUAL = 0.8  # the quantile of lengths that a lane of full thickness stands for; longer ones are as thick
_PLACES = 64  # places of the table of positions whose waves are drawn
_FEATURES = (0, 4, 8, 16, 24)  # whose waves are drawn, from fast to slow
_FINER = 8  # points of a wave for each place
_ALIKE = 1e-4
_FEW_ABOVE = 0.98  # the quantile of weights at which the scale of a long text ends


def river(trace: Trace, look: Look, words: Words) -> River:
    """The whole pass, with what the Look has chosen. Raises UnknownTap; NotKept where a long text left a map out."""
    look = look if look.attention in attentions(trace) else look.fitted(trace)
    part = excerpt_of(trace, look)
    block = part.block
    pools = _pools(trace, look, part)
    pool = ("layer_max" if look.aligned.endswith("_max") else "layer") if pools and look.aligned != "head" else ""
    halves = tuple(_half(trace, side, look, part, pool) for side in trace.card.sides)
    step = look.step(trace)
    focus = next((b for h in halves for layer in h.layers for b in layer if _is_focus(b, look)), None)
    waves, smooth, finer = _waves(trace)
    inside = opened(trace, look) if block == 1 and part.whole else None
    added, absent = contributions(trace, look, part, words)
    shown, wanted = _map(trace, look, focus, words, part, pool)
    made = River(
        halves=halves,
        written=_written(trace, step, part, look),
        attention=look.attention,
        layer=look.layer,
        head=None if pool else look.head,
        pooled=pool,
        pools=pools,
        opened=inside,
        opened_attention="" if inside is None else opened_attention(look),
        unit_colours=look.unit_colours,
        signed_colours=look.signed_colours,
        query=first_query(halves, focus, look, step),
        map=shown,
        wanted=wanted,
        position=trace.card.position,
        waves=waves,
        features=_features(trace),
        bands=look.bands if not absent else "weights",
        contributions=added,
        no_contributions=absent,
        smooth=smooth,
        finer=finer,
        scale=_scale(halves, part, look),
        n_parameters=trace.parameters,
        trained=trace.trained,
        longest=_round_up(float(np.quantile(np.concatenate([length for half in halves for length in _lengths(half)]), _USUAL))),
        caption=Caption(
            title=words("river.title" if absent or look.bands == "weights" else "river.title_contributions"),
            tap=look.attention_tap("weights"),
            name="river" if absent or look.bands == "weights" else "river.contributions",
            shape=_shape(trace, look),
            origin="recorded",
        ),
        unit=look.unit,
    )
    if not shows_words(look, block):
        return made
    everything = made.written if part.whole else _written(trace, step, whole_of(trace), look)
    return in_words(made, everything, trace, look, words)


def _pools(trace: Trace, look: Look, part: Excerpt) -> tuple[str, ...]:
    """What may stand for the heads of a block: of a long text not all heads were kept, and steps and contributions are one's.

    Every layer is seen by itself, so that a mean of all layers or a rollout is that of each layer here.
    """
    of_one = look.opened == "attention" or look.bands == "contributions" or trace.card.side(look.attention).n_heads == 1
    whole = part.block == 1 and trace.map(look.attention_tap("weights")).array is not None
    return ("layer", "layer_max") if whole and not of_one else ()


def _features(trace: Trace) -> tuple[int, ...]:
    return tuple(feature for feature in _FEATURES if feature < trace.card.d_model)


def _waves(trace: Trace) -> tuple[Array, Array, int]:
    """Some features of the table of positions [place, feature], the same with points in between, and how many."""
    table = trace.table(trace.card.sides[0].name)[:_PLACES]
    if not np.any(table):
        return table[:0], table[:0], 1
    waves = table[:, list(_features(trace))]
    if trace.card.position != "sinusoidal":
        return waves, waves, 1
    at = np.arange((len(table) - 1) * _FINER + 1)[:, None] / _FINER  # [point, 1]
    feature = np.array(_features(trace))
    # PE[p, 2i] = sin(p / base^(2i / d_model))
    smooth = np.sin(at / trace.card.position_base ** (feature / trace.card.d_model)).astype(np.float32)
    if np.abs(smooth[::_FINER] - waves).max() > _ALIKE:  # Another formula made this table.
        return waves, waves, 1
    return waves, smooth, _FINER


def _scale(halves: tuple[Half, ...], part: Excerpt, look: Look) -> Scale:
    """The scale of all weights: up to 1; among many tokens up to what few weights exceed, since all others would be dark.

    The first token of a causal attention always looks at itself with a weight of 1.
    """
    blocks = [b for half in halves for layer in half.layers for b in layer]
    kept = [next((a for a in (b.blocks, b.drawn if part.block == 1 else b.weights) if a is not None), None) for b in blocks]
    found = [weights for weights in kept if weights is not None]
    if (part.block == 1 and all(b.blocks is None for b in blocks)) or not found:
        return unit_scale(look.unit_colours)
    usual = max(float(np.nanquantile(weights, _FEW_ABOVE)) for weights in found)
    return Scale(0.0, min(1.0, _round_up(usual)), look.unit_colours)


def _is_focus(block: Sublayer, look: Look) -> bool:
    return block.attention == look.attention and block.layer == look.layer


def _lengths(half: Half) -> list[Array]:
    return [half.length, *(block.length for layer in half.layers for block in layer)]


def _shape(trace: Trace, look: Look) -> str:
    shape = trace.shape(look.attention_tap("weights"))
    return f"[head {shape[0]}, query {shape[1]}, key {shape[2]}]"


def _map(
    trace: Trace, look: Look, focus: Sublayer | None, words: Words, part: Excerpt, pool: str
) -> tuple[Heatmap | None, tuple[tuple[str, int], ...]]:
    """The map of weights of the chosen head, or of what stands for all.

    Of a long text it has blocks until its cells are there; the second value is what to ask for then.
    """
    try:
        made = heads_map(trace, attrs.evolve(look, stage="weights", aligned=pool or "head"), words)
        return made if part.whole else cut(made, part), ()
    except NotKept as error:
        missing = ((str(error.values["tap"]), error.head),)
        if not part.whole:
            return None, missing
        if focus is None or focus.drawn is None:
            raise
        made = Heatmap(
            values=focus.drawn,
            rows=token_axis(trace, focus.tap, "query", words),
            columns=token_axis(trace, focus.tap, "key", words),
            scale=unit_scale(look.unit_colours),
            caption=caption(trace, focus.tap, words),
            closed=focus.closed,
        )
        return made, missing


def _half(trace: Trace, card: SideCard, look: Look, part: Excerpt, pool: str) -> Half:
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
        layers=tuple(_layer(trace, card, layer, look, part, rows, pool) for layer in range(card.n_layers)),
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


def _parts(card: SideCard) -> tuple[str, ...]:
    return (*card.attentions, "feed_forward")


def _stream_tap(trace: Trace, side: str, layer: int, place: int) -> str:
    """The tap of the stream after sublayer `place` (from 0; -1: the last) of a layer: what the next sublayer reads."""
    n_parts = len(_parts(trace.card.side(side)))
    number = place % n_parts + 1
    if trace.card.parallel and number < n_parts:  # The next one reads what this one has read.
        number, layer = n_parts, layer - 1
    kinds = ("norm", "residual") if trace.card.norm_placement == "post" else ("residual", "norm")
    names = [f"{side}.layers.{layer}.{kind}{number}" for kind in kinds]
    return next((name for name in names if name in trace), f"{side}.embedding.output")


def _layer(
    trace: Trace, card: SideCard, layer: int, look: Look, excerpt: Excerpt, rows: slice, pool: str
) -> tuple[Sublayer, ...]:
    made = []
    for place, part in enumerate(_parts(card)):
        base = f"{card.name}.layers.{layer}.{part}"
        length = _length(trace, _stream_tap(trace, card.name, layer, place), rows, excerpt.block)
        if part == "feed_forward":
            hidden = f"{base}.chosen" if f"{base}.chosen" in trace else f"{base}.activated"  # Of experts, those that work.
            units = None if hidden not in trace.arrays else np.abs(_rows(trace[hidden][rows], excerpt.block))
            made.append(Sublayer(f"{card.name}.{part}", layer, hidden, length, hidden=units))
        else:
            made.append(_attention(trace, f"{base}.weights", f"{card.name}.{part}", layer, length, look, excerpt, pool))
    return tuple(made)


def _attention(
    trace: Trace, tap: str, attention: str, layer: int, length: Array, look: Look, part: Excerpt, pool: str
) -> Sublayer:
    closed = closed_of(trace, tap)
    kept, block = trace.map(tap), part.block
    focus = attention == look.attention and layer == look.layer
    if block == 1:
        if kept.array is None:
            return _one_head(trace, tap, attention, layer, length, look if focus else None, part)
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
    if focus and not pool:
        drawn = weights[min(look.head, len(weights) - 1)]
    else:
        # Elsewhere than in the block that is looked at, one map stands for all heads:
        # Ā[q,k] = Σ_h A[h,q,k] / n_heads, or max_h A[h,q,k]
        drawn = weights.max(axis=0) if pool == "layer_max" else weights.mean(axis=0)
    return Sublayer(
        attention=attention,
        layer=layer,
        tap=tap,
        length=length,
        weights=masked_values(weights, closed),
        recorded=weights if block == 1 else None,
        drawn=masked_values(drawn, closed),
        closed=closed,
    )


def _one_head(trace: Trace, tap: str, attention: str, layer: int, length: Array, look: Look | None, part: Excerpt) -> Sublayer:
    """An attention of a long text of which not all cells were kept: the head that is looked at, if its cells are there."""
    if part.whole:
        raise trace.not_kept(tap, -1)
    kept = trace.map(tap)
    blocks = None if kept.levels is None else kept.levels.arrays[-1]
    head = None if look is None else kept.head(min(look.head, trace.shape(tap)[0] - 1))
    if head is None:
        return Sublayer(attention=attention, layer=layer, tap=tap, length=length, blocks=blocks)
    query, key = (part.rows(trace.side_name(tap, axis)) for axis in ("query", "key"))
    closed = closed_of(trace, tap)
    closed = None if closed is None or closed.shape != head.shape else closed[query, key]
    drawn = masked_values(head[query, key], closed)
    return Sublayer(attention=attention, layer=layer, tap=tap, length=length, drawn=drawn, closed=closed, blocks=blocks)


def _written(trace: Trace, step: int, part: Excerpt, look: Look) -> Written:
    tap = "generator.probabilities"
    first, end = part.tokens[trace.side_name(tap, "position")]
    shown = slice(first, end, part.block)
    if tap not in trace:  # The model has no output: its last vectors are what it gives.
        n_lanes = len(range(first, end, part.block))
        return Written(("",) * n_lanes, np.full(n_lanes, np.nan, np.float32), (), math.nan, 0, step)
    n_steps, n_symbols = trace.shape(tap)
    probabilities = trace[tap] if tap in trace.arrays else None
    if probabilities is None:  # A long text left no room for them.
        labels = tuple(written(trace, place) for place in range(n_steps)[shown])
        return Written(labels, np.full(len(labels), np.nan, np.float32), (), math.nan, n_symbols, step)
    row = _at_temperature(trace, step, look.sampling_temperature)  # [vocab]
    best = np.argpartition(-row, min(_CANDIDATES, n_symbols - 1))[:_CANDIDATES]
    best = best[np.argsort(-row[best], kind="stable")]
    rows = _at_temperature(trace, shown, look.sampling_temperature)  # [lane, vocab]
    # Where nothing is expected of the model, its likeliest symbol stands at each place.
    said = np.array(trace.expected[shown], int) if trace.expected else rows.argmax(axis=1)  # [lane]
    cuts = look.top_k > 0 or look.top_p < 1
    return Written(
        labels=tuple(symbol(trace, int(each)) for each in said),
        probabilities=rows[np.arange(len(rows)), said],
        candidates=tuple((symbol(trace, int(i)), float(row[i]), int(i)) for i in best),
        rest=max(0.0, 1.0 - float(row[best].astype(np.float64).sum())),
        n_symbols=n_symbols,
        step=step,
        why=_why(trace, step, int(best[0])),
        temperature=look.sampling_temperature,
        cut=tuple(map(bool, cut_away(row, look.top_k, look.top_p)[best])) if cuts else (),
    )


def _at_temperature(trace: Trace, places: int | slice, temperature: float) -> Array:
    """[vocab] or [lane, vocab] the probabilities at these places; at temperature 1 those that the model itself computed."""
    if temperature == 1:
        recorded: Array = trace["generator.probabilities"][places]
        return recorded
    made: Array = sampling_probabilities(trace["generator.logits"][places], temperature).astype(np.float32)
    return made


def _why(trace: Trace, step: int, likeliest: int) -> str:
    """Why a step wrote something else than the likeliest symbol."""
    if not trace.expected or not trace.trained or trace.expected[step] == likeliest:
        return ""
    search = trace.search
    if search is None or search.nodes[search.path(search.ends[0])[step]].forced:
        return "chosen"
    return "search"


def _round_up(length: float) -> float:
    """The smallest of 1, 1.5, 2, 3, 5, 7 · 10ⁿ that is no less, so that lanes keep their scale while one types."""
    if not length > 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(length))
    return float(next(step * power for step in (1, 1.5, 2, 3, 5, 7, 10) if step * power >= length * (1 - 1e-6)))
