"""The excerpt: the tokens of a sentence that have lanes in the river, and how many of them a lane stands for."""

import attrs

from explorer.picture.kinds import Axis, Heatmap
from explorer.state.look import Look
from explorer.trace.trace import Trace

MOST_LANES = 160  # A lane needs 1.5 px to be seen beside its neighbours.


@attrs.frozen
class Excerpt:
    """The tokens that have lanes, by the sentence they belong to, and how many of them a lane stands for."""

    tokens: dict[str, tuple[int, int]]
    block: int
    whole: bool

    def rows(self, side: str) -> slice:
        """The tokens of a sentence."""
        return slice(*self.tokens[side])

    def lanes(self, side: str) -> slice:
        """Their lanes, where the whole sentence is in lanes."""
        first, end = self.tokens[side]
        return slice(first // self.block, -(-end // self.block))


def excerpt_of(trace: Trace, look: Look) -> Excerpt:
    """What a Look shows of the sentences of a Trace, in whole lanes."""
    lengths = {"source": len(trace.tokens.source), "target": len(trace.tokens.target)}
    found = {side: look.excerpt(side, n) for side, n in lengths.items()}
    block = _lane_block(trace, max(end - first for first, end in found.values()))
    aligned = {
        side: (first // block * block, min(-(-end // block) * block, lengths[side])) for side, (first, end) in found.items()
    }
    if shows_words(look, block):
        aligned = {side: snapped(trace, side, *ends) for side, ends in aligned.items()}
    return Excerpt(aligned, block, all(aligned[side] == (0, n) for side, n in lengths.items()))


def whole_of(trace: Trace) -> Excerpt:
    """All tokens, with a lane for each."""
    return Excerpt({"source": (0, len(trace.tokens.source)), "target": (0, len(trace.tokens.target))}, 1, True)


def shows_words(look: Look, block: int) -> bool:
    """Whether a lane is a word: not where a lane stands for several tokens, nor beside an opened block, which shows tokens."""
    return look.unit == "words" and block == 1 and not look.opened


def snapped(trace: Trace, side: str, first: int, end: int) -> tuple[int, int]:
    """The excerpt of a sentence in whole words: from the begin of the one that it begins in, as far as words end in it.

    If it grew at both ends, it would grow each time that it is scrolled.
    """
    begun = [group for group in trace.word_groups[side] if group[0] < end and group[-1] >= first]
    if not begun:
        return first, end
    return begun[0][0], max([group[-1] + 1 for group in begun if group[-1] < end], default=begun[0][-1] + 1)


def cut(whole: Heatmap, part: Excerpt) -> Heatmap:
    """The cells of a map whose tokens have lanes."""
    rows, columns = part.rows(whole.rows.side), part.rows(whole.columns.side)

    def axis(whole_axis: Axis, kept: slice) -> Axis:
        return attrs.evolve(whole_axis, labels=whole_axis.labels[kept], shift=whole_axis.shift + kept.start)

    return attrs.evolve(
        whole,
        values=whole.values[rows, columns],
        rows=axis(whole.rows, rows),
        columns=axis(whole.columns, columns),
        closed=None if whole.closed is None else whole.closed[rows, columns],
        levels=None,
        recorded=None,
    )


def _lane_block(trace: Trace, n_tokens: int) -> int:
    """How many of `n_tokens` a lane stands for: a power of two, and of many at least a block of the maps that were kept."""
    kept = [trace.maps[tap].levels for tap in trace.maps if tap.endswith("_attn.weights")]
    block = max([1, *(levels.block for levels in kept if levels is not None)]) if n_tokens > MOST_LANES else 1
    while -(-n_tokens // block) > MOST_LANES:
        block *= 2
    return block
