"""Attention between words: the rows and columns of the tokens that one word was cut into, folded into one row and one column.

The attention *to* a word is the sum over its tokens, since a row is shared out among the keys and shares add up. The attention
*of* a word is the average over its tokens, each of which has a row of its own. So a folded row sums to 1 as those that it was
made of. Clark et al. 2019, section 4.1.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.levels import Closed

Groups = tuple[tuple[int, ...], ...]
"""The places of the tokens of each word; every token is in one of them."""


def singles(n_tokens: int) -> Groups:
    """Every token by itself."""
    return tuple((place,) for place in range(n_tokens))


def folds(groups: Groups) -> bool:
    """Whether a word has more than one token."""
    return any(len(group) > 1 for group in groups)


def folded(weights: Array, queries: Groups, keys: Groups, closed: Closed | None = None) -> Array:
    """[…, word of queries, word of keys] of [..., query, key], computed in float64.

    A cell that is closed, or NaN, gives nothing to a sum. A query without any number is left out of the average. A folded
    cell whose cells are all without a number is NaN. Raises ValueError where the words do not have every query and key once.
    """
    _check(queries, weights.shape[-2])
    _check(keys, weights.shape[-1])
    missing = np.isnan(weights)
    open_ = ~missing if missing.any() else np.ones(weights.shape[-2:], bool)  # All heads may share them.
    open_ = open_ if closed is None else open_ & ~closed  # […, query, key]
    numbers = weights if open_.all() else np.where(open_, weights, np.float32(0))
    # F[i,j] = Σ_q∈i Σ_k∈j A[q,k] / n_i, over the n_i tokens of word i that have numbers
    sums = _summed(numbers, queries, keys)
    n_rows = _along(np.expand_dims(open_.any(axis=-1), -1), queries, -2)  # […, word, 1]
    n_cells = _summed(open_, queries, keys)
    made: Array = np.where(n_cells > 0, sums / np.maximum(n_rows, 1), np.nan).astype(np.float32)
    return made


def folded_closed(closed: Closed, queries: Groups, keys: Groups) -> Closed:
    """[…, word of queries, word of keys] True where all cells [..., query, key] of two words are closed."""
    none: Closed = _summed(~closed, queries, keys) == 0
    return none


def before(groups: Groups, n_rows: int) -> Groups:
    """The words of rows that each stand for the token one place later, as those of cross-attention do.

    The first token has no row. Rows behind the last token, such as that of the end symbol, are words by themselves.
    """
    moved = (tuple(place - 1 for place in group if place > 0) for group in groups)
    written = tuple(group for group in moved if group)
    n_written = sum(map(len, written))
    return (*written, *((place,) for place in range(n_written, n_rows)))


def _summed(values: NDArray[Any], queries: Groups, keys: Groups) -> NDArray[np.float64]:
    """[…, word, word] the sums over each word's rows and columns, in float64."""
    return _along(_along(values, queries, -2), keys, -1)  # Rows lie apart in memory and are added faster: they come first.


def _along(values: NDArray[Any], groups: Groups, axis: int) -> NDArray[np.float64]:
    order = list(chain.from_iterable(groups))
    if order != list(range(len(order))):
        values = values.take(order, axis=axis)
    starts = np.cumsum([0, *map(len, groups[:-1])])
    summed: NDArray[np.float64] = np.add.reduceat(values, starts, axis=axis, dtype=np.float64)
    return summed


def _check(groups: Sequence[Sequence[int]], n_places: int) -> None:
    if sorted(chain.from_iterable(groups)) != list(range(n_places)) or not all(groups):
        raise ValueError(f"the words have to have each of the {n_places} places once")
