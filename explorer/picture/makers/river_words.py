"""The river between words: a lane for each written word instead of each token.

Of a word's tokens, vectors show the value farthest from zero and lengths the largest, as lanes of many tokens do; weights are
folded as everywhere (`trace.folding`). What a lane writes is the word after it, with the product of its tokens'
probabilities, and its cross-attention is that of the positions which write that word.
"""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Axis, Closed, Heatmap
from explorer.picture.makers.folded import folded_caption, folded_map
from explorer.picture.makers.pooled import heads_map, largest_of
from explorer.picture.makers.river_contributions import reach_of
from explorer.picture.river.river import Contributions, Half, River, RiverBlock, Written
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.measures.measures import strongest_pair
from explorer.trace.trace import Trace
from explorer.trace.word_groups import before, folds, word_text, word_texts

Parts = dict[str, slice]
"""Which words of "source" and "target" have lanes, among all of their sentence."""


def in_words(made: River, everything: Written, trace: Trace, look: Look, words: Words) -> River:
    """The river of an excerpt of whole words; `everything` is what is written at all tokens of the sentence.

    It stays as it is where no word has several tokens, or where a long text left no room for its weights.
    """
    parts = {half.tokens: _part(half, trace) for half in made.halves}
    some = any(folds(trace.word_groups[side][part]) for side, part in parts.items())
    if not some or any(block.recorded is None for block in made.blocks() if block.attends):
        return made
    folded = attrs.evolve(made, halves=tuple(_half(half, trace, look, parts, made.pooled) for half in made.halves))
    return attrs.evolve(
        folded,
        query=first_query(folded.halves, folded.focus, look, everything.step),
        written=_written(folded.halves[-1], everything, trace),
        map=None if made.map is None else _map(trace, look, words, parts, folded),
        contributions=None if made.contributions is None else _contributions(made.contributions, folded),
        caption=folded_caption(made.caption, words),
    )


def first_query(halves: tuple[Half, ...], focus: RiverBlock | None, look: Look, step: int) -> int:
    """The lane whose row is told while nothing is pointed at (see `River.query`)."""
    only_reads = len(halves) == 1 and halves[0].side == "encoder"
    if focus is not None and focus.drawn is not None and (only_reads or halves[-1].side != look.attention.partition(".")[0]):
        return strongest_pair(focus.drawn)[0]
    return halves[-1].step_lane(step)


def _part(half: Half, trace: Trace) -> slice:
    inside = [place for place, group in enumerate(trace.word_groups[half.tokens]) if half.has(group[0])]
    return slice(inside[0], inside[-1] + 1)


def _half(half: Half, trace: Trace, look: Look, parts: Parts, pool: str) -> Half:
    part, everything = parts[half.tokens], trace.word_groups[half.tokens]
    groups, tokens = everything[part], trace.tokens.source if half.tokens == "source" else trace.tokens.target
    starts = [group[0] - half.first for group in groups]
    writes = half.side == "decoder" and bool(trace.expected)
    return attrs.evolve(
        half,
        labels=word_texts(tokens, groups),
        ids=tuple(half.ids[start] for start in starts),
        groups=groups,
        steps=before(everything, half.n_tokens)[part] if writes else (),
        scaled=_farthest(half.scaled, starts),
        positions=_farthest(half.positions, starts),
        output=_farthest(half.output, starts),
        length=np.maximum.reduceat(half.length, starts),
        last=np.maximum.reduceat(half.last, starts),
        layers=tuple(tuple(_block(block, trace, look, parts, starts, pool) for block in blocks) for blocks in half.layers),
    )


def _farthest(values: Array, starts: list[int]) -> Array:
    """[word, feature] of [token, feature]: of each word's tokens the value farthest from zero."""
    high, low = np.maximum.reduceat(values, starts, axis=0), np.minimum.reduceat(values, starts, axis=0)
    made: Array = np.where(high >= -low, high, low)
    return made


def _block(block: RiverBlock, trace: Trace, look: Look, parts: Parts, starts: list[int], pool: str) -> RiverBlock:
    length = np.maximum.reduceat(block.length, starts)
    if not block.attends:
        hidden = None if block.hidden is None else np.maximum.reduceat(block.hidden, starts, axis=0)
        return attrs.evolve(block, length=length, hidden=hidden)
    queries, keys = (parts[trace.side_name(block.tap, axis)] for axis in ("query", "key"))
    weights = trace.folded(block.tap)[:, queries, keys]  # [head, word, word]
    closed: Closed = np.isnan(weights).all(axis=0)  # type: ignore[assignment]  # Two axes are left, so it is no scalar.
    focus = (block.attention, block.layer) == (look.attention, look.layer)
    # Elsewhere than in the block that is looked at, the mean or maximum of all heads is drawn, as between tokens.
    of_all = weights.max(axis=0) if pool == "layer_max" else weights.mean(axis=0)
    return attrs.evolve(
        block,
        length=length,
        weights=weights,
        recorded=None,
        unfolded=trace[block.tap],
        drawn=weights[min(look.head, len(weights) - 1)] if focus and not pool else of_all,
        closed=closed if closed.any() else None,
    )


def _map(trace: Trace, look: Look, words: Words, parts: Parts, folded: River) -> Heatmap:
    """The map of the chosen head, or of what stands for all, between the words that have lanes."""
    seen = attrs.evolve(look, stage="weights", aligned=folded.pooled or "head")
    asks, answers = folded.half_of(look.attention, "query"), folded.half_of(look.attention, "key")
    whole = folded_map(trace, heads_map(trace, seen, words), words, largest_of(trace, seen, seen.aligned))
    rows, columns = parts[whole.rows.side], parts[whole.columns.side]

    def axis(of_all: Axis, part: slice, first: int) -> Axis:
        groups = tuple(tuple(row - first for row in group) for group in of_all.groups[part])
        return attrs.evolve(of_all, labels=of_all.labels[part], groups=groups, shift=of_all.shift + first)

    return attrs.evolve(
        whole,
        values=whole.values[rows, columns],
        rows=axis(whole.rows, rows, asks.first),
        columns=axis(whole.columns, columns, answers.first),
        closed=None if whole.closed is None else whole.closed[rows, columns],
    )


def _written(last: Half, everything: Written, trace: Trace) -> Written:
    """The word after each lane's, with P(word) = Π P(token); where nothing is expected, what the last token of a lane says."""
    tokens = trace.tokens.target if last.tokens == "target" else trace.tokens.source
    groups = tuple(last.writes(lane) for lane in range(last.n))

    def label(rows: tuple[int, ...]) -> str:
        if not last.steps or rows[0] + 1 >= len(tokens):
            return everything.labels[rows[0]]
        return word_text([tokens[row + 1] for row in rows])

    p = everything.probabilities.astype(np.float64)
    return attrs.evolve(
        everything,
        labels=tuple(map(label, groups)),
        probabilities=np.array([p[list(rows)].prod() for rows in groups], np.float32),
        taken=everything.labels[everything.step],
    )


def _contributions(made: Contributions, folded: River) -> Contributions:
    """What all tokens of a word add together, which is a sum as exact as before."""
    values = {}
    for (attention, layer), tokens in made.values.items():
        keys = folded.half_of(attention, "key")
        starts = [keys.tokens_of(lane)[0] - keys.first for lane in range(keys.n)]
        values[attention, layer] = np.add.reduceat(tokens, starts, axis=1)  # [head, word]
    last = folded.halves[-1]
    return attrs.evolve(made, values=values, lane=last.step_lane(last.first + made.lane), reach=reach_of(values))
