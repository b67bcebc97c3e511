"""Pictures of attention between words: the tokens of each written word folded into one row and one column.

The weights themselves are folded in `trace.folding`, which says why keys are summed and queries averaged.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, Closed, HeadGrid, Heatmap
from explorer.picture.picture import captioned
from explorer.picture.scales import Scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace
from explorer.trace.word_groups import Groups, before, folded, folded_closed, folds, singles, word_text

FORMULA = "F<sub>i,j</sub> = Σ<sub>q∈i</sub> Σ<sub>k∈j</sub> A<sub>q,k</sub> / |i|"
_WRITES = "→"  # before the name of a row that is named after what it is about to write
MapOrWall = TypeVar("MapOrWall", Heatmap, HeadGrid)
Fold = Callable[[Array], Array]
"""From weights between tokens […, query, key] to weights between words."""


@attrs.frozen
class WordAxes:
    """Two axes on which each label is a word, with the rows and the columns of its tokens."""

    rows: Axis
    columns: Axis
    queries: Groups
    keys: Groups

    @property
    def folds(self) -> bool:
        """Whether any word has more than one token."""
        return folds(self.queries) or folds(self.keys)

    def fold(self, weights: Array, closed: Closed | None = None) -> Array:
        """[…, word, word] of [..., query, key]; the same array where no word has more than one token."""
        return folded(weights, self.queries, self.keys, closed) if self.folds else weights

    def closed(self, closed: Closed | None) -> Closed | None:
        """The cells whose tokens are all masked; None where there are none."""
        if closed is None or not self.folds:
            return closed
        found = folded_closed(closed, self.queries, self.keys)
        return found if found.any() else None


def wants_words(look: Look) -> bool:
    """Whether the Look shows words and not tokens."""
    return look.unit == "words"


def between(trace: Trace, rows: Axis, columns: Axis, shape: tuple[int, ...], words: Words) -> WordAxes:
    """The axes of words of a map [..., row, column] that has these axes of tokens."""
    n_rows, n_columns = shape[-2:]
    queries, keys = _groups(trace, rows, n_rows), _groups(trace, columns, n_columns)
    if rows.name == words("axis.next_token"):
        rows = attrs.evolve(rows, name=words("axis.next_word"))
    return WordAxes(_axis(trace, rows, queries), _axis(trace, columns, keys), queries, keys)


def folded_map(trace: Trace, made: Heatmap, words: Words, largest: Callable[[Fold], Array] | None = None) -> Heatmap:
    """The map between words. `largest` makes the values of a maximum over heads, each of which is folded before it is taken.

    The maximum of sums is at most 1, as every head's weight is; the sum of maxima is not.
    """
    found = between(trace, made.rows, made.columns, made.values.shape, words)
    if not found.folds:
        return attrs.evolve(made, rows=found.rows, columns=found.columns)
    values = found.fold(made.values, made.closed) if largest is None else largest(lambda heads: found.fold(heads, made.closed))
    formula = FORMULA if made.head is not None else made.caption.formula
    return attrs.evolve(_with_words(made, found, values, words, formula), levels=None, recorded=None, made_of=None)


def folded_wall(trace: Trace, made: HeadGrid, words: Words, taps: Sequence[str]) -> HeadGrid:
    """The wall of these taps between words; one of large maps, which is drawn from blocks of tokens, stays and says so."""
    if made.large is not None:
        return captioned(made, note=made.caption.noted(words("heads.not_folded")))
    found = between(trace, made.rows, made.columns, made.values.shape, words)
    if not found.folds:
        return attrs.evolve(made, rows=found.rows, columns=found.columns)
    values = np.stack([trace.folded(tap) for tap in taps])  # [layer, head, word, word]
    return attrs.evolve(_with_words(made, found, values, words, FORMULA), recorded=(), made_of=())


def _with_words(made: MapOrWall, found: WordAxes, values: Array, words: Words, formula: str) -> MapOrWall:
    """A map or a wall with these values between words; those between tokens go along, since a file of it may hold both."""
    return attrs.evolve(
        made,
        values=values,
        rows=found.rows,
        columns=found.columns,
        closed=found.closed(made.closed),
        scale=_wide_enough(made.scale, values),
        unfolded=made.values,
        caption=folded_caption(made.caption, words, formula=formula),
    )


def folded_caption(made: Caption, words: Words, *, formula: str = "") -> Caption:
    """The caption with a note that says how words were folded; a file of the picture says it in its name."""
    note, name = made.noted(words("heads.folded_note")), f"{made.file_name}.words"
    return attrs.evolve(made, note=note, origin="computed", formula=formula or made.formula, name=name)


def _groups(trace: Trace, axis: Axis, size: int) -> Groups:
    """The rows of each word along an axis; of an axis that no text stands along, each row by itself."""
    if not axis.labels or axis.side not in trace.word_groups:
        return singles(size)
    groups = trace.word_groups[axis.side]
    return before(groups, size) if axis.shift else groups


def _axis(trace: Trace, axis: Axis, groups: Groups) -> Axis:
    if not axis.labels or axis.side not in trace.word_groups:
        return axis
    tokens = trace.tokens.source if axis.side == "source" else trace.tokens.target

    def label(group: tuple[int, ...]) -> str:
        places = [row + axis.shift for row in group]
        told = axis.labels[group[0]]
        if places[0] >= len(tokens):
            return told  # The end symbol is written behind the last token.
        sign = _WRITES if axis.shift and told.startswith(_WRITES) else ""
        return sign + word_text([tokens[place] for place in places])

    return attrs.evolve(axis, labels=tuple(map(label, groups)), groups=groups if folds(groups) else ())


def _wide_enough(scale: Scale, values: Array) -> Scale:
    """The scale, or one that ends at the largest sum where that is beyond its end."""
    largest = float(np.nanmax(values)) if np.isfinite(values).any() else scale.high
    return scale if largest <= scale.high * (1 + 1e-6) else attrs.evolve(scale, high=largest)
