"""The River of a Trace: its lanes, its blocks, and the words that come out."""

import math

import attrs
import numpy as np

from explorer.errors import NotKept
from explorer.lang import Words
from explorer.picture.kinds import Caption, Heatmap
from explorer.picture.makers.excerpt import Excerpt, cut, excerpt_of, shows_words, whole_of
from explorer.picture.makers.heatmaps import caption, symbol, token_axis
from explorer.picture.makers.opened import opened, opened_attention
from explorer.picture.makers.output import written
from explorer.picture.makers.pooled import heads_map
from explorer.picture.makers.river_contributions import contributions
from explorer.picture.makers.river_halves import halves_of, lanes_of, of_trace
from explorer.picture.makers.river_words import first_query, in_words
from explorer.picture.river.river import Half, River, RiverBlock, Written
from explorer.picture.scales import Scale, round_up, unit_scale
from explorer.state.look import Look, attentions
from explorer.trace.arrays import Array
from explorer.trace.sampling import cut_away, sampling_probabilities
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
    halves = halves_of(trace, look, part, pool)
    step = look.step(trace)
    focus = next((b for h in halves for layer in h.layers for b in layer if _is_focus(b, look)), None)
    waves, smooth, finer = of_trace(trace, "waves", None, lambda: _waves(trace))
    lanes = lanes_of(part)
    said = step, look.sampling_temperature, look.top_k, look.top_p
    inside = opened(trace, look) if block == 1 and part.whole else None
    added, absent = contributions(trace, look, part, words)
    shown, wanted = _map(trace, look, focus, words, part, pool)
    made = River(
        halves=halves,
        written=of_trace(trace, "written", (*lanes, *said), lambda: _written(trace, step, part, look)),
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
        longest=of_trace(trace, "longest", lanes, lambda: _longest(halves)),
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
    """The summaries that may stand for the heads of a block; none for a long text, of which not all heads were kept, and none
    while a head is opened or contributions are shown, which belong to one head.

    Every layer is drawn by itself, so a mean of all layers or a rollout becomes the mean of each layer.
    """
    of_one = look.opened == "attention" or look.bands == "contributions" or trace.card.side(look.attention).n_heads == 1
    whole = part.block == 1 and trace.map(look.attention_tap("weights")).array is not None
    return ("layer", "layer_max") if whole and not of_one else ()


def _features(trace: Trace) -> tuple[int, ...]:
    width = trace.table(trace.card.sides[0].name).shape[1]  # That of the vocabulary's vectors, which some models widen.
    return tuple(feature for feature in _FEATURES if feature < width)


def _waves(trace: Trace) -> tuple[Array, Array, int]:
    """Some features of the table of positions [place, feature], the same with points in between, and how many."""
    table = trace.table(trace.card.sides[0].name)[:_PLACES]
    if not np.any(table):
        return table[:0], table[:0], 1
    waves = table[:, list(_features(trace))]
    if trace.card.position != "sinusoidal":
        return waves, waves, 1
    smooth = _smooth(len(table), _features(trace), trace.card.position_base, trace.card.d_model)
    if np.abs(smooth[::_FINER] - waves).max() > _ALIKE:  # Another formula made this table.
        return waves, waves, 1
    return waves, smooth, _FINER


def _smooth(n: int, features: tuple[int, ...], base: float, d_model: int) -> Array:
    """[point, feature] the classical waves of `n` places, with points in between."""
    at = np.arange((n - 1) * _FINER + 1)[:, None] / _FINER  # [point, 1]
    # PE[p, 2i] = sin(p / base^(2i / d_model))
    made: Array = np.sin(at / base ** (np.array(features) / d_model)).astype(np.float32)
    return made


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
    return Scale(0.0, min(1.0, _lane_end(usual)), look.unit_colours)


def _is_focus(block: RiverBlock, look: Look) -> bool:
    return block.attention == look.attention and block.layer == look.layer


def _longest(halves: tuple[Half, ...]) -> float:
    """The length of a vector whose lane is as thick as a lane can be."""
    return _lane_end(float(np.quantile(np.concatenate([length for half in halves for length in _lengths(half)]), _USUAL)))


def _lengths(half: Half) -> list[Array]:
    return [half.length, *(block.length for layer in half.layers for block in layer)]


def _shape(trace: Trace, look: Look) -> str:
    shape = trace.shape(look.attention_tap("weights"))
    return f"[head {shape[0]}, query {shape[1]}, key {shape[2]}]"


def _map(
    trace: Trace, look: Look, focus: RiverBlock | None, words: Words, part: Excerpt, pool: str
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
    """Why a step generated another token than the likeliest."""
    if not trace.expected or not trace.trained or trace.expected[step] == likeliest:
        return ""
    search = trace.search
    if search is None or search.nodes[search.path(search.ends[0])[step]].forced:
        return "chosen"
    return "closed" if likeliest in search.closed_at(step) else "search"


def _lane_end(length: float) -> float:
    """The smallest of 1, 1.5, 2, 3, 5, 7 · 10ⁿ that is no less, so that lanes keep their scale while one types."""
    return round_up(length, (1, 1.5, 2, 3, 5, 7, 10)) if length > 0 else 1.0
