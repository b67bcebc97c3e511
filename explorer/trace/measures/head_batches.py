"""The measures of heads for many sentences at once: the same formulas, over all heads of all sentences together.

Letters: A[s,l,h,q,k] are the weights of head h of layer l in sentence s. All sentences of a batch have as many queries, and as
many keys.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.measures.head_measures import MEASURES, Seen, Values
from explorer.trace.measures.opening_head import alignment, word_cells
from explorer.trace.recorded_pass import Tokens

Ids = NDArray[np.int64]


def batch_values(key: str, weights: Array, ids: Ids, *, across: bool) -> Values:
    """[sentence, layer, head] a measure of A; `ids` [sentence, key] are those of the keys' tokens.

    `across` is True where queries and keys stand in different texts.
    """
    n_queries = weights.shape[3]
    rows = np.arange(n_queries)
    if key != "induction":  # All others look at no token, so the sentences' heads are as good as the heads of one sentence.
        flat = weights.reshape(-1, *weights.shape[3:])  # [head of all sentences, query, key]
        return MEASURES[key].of(Seen(flat, ids[0], rows, across)).reshape(weights.shape[:3])
    values = np.full(weights.shape[:3], np.nan)
    for sentence, own in enumerate(ids):
        if len(set(own.tolist())) < len(own):  # Without a repeated token there is nothing to follow.
            flat = weights[sentence].reshape(-1, *weights.shape[3:])
            values[sentence] = MEASURES[key].of(Seen(flat, own, rows, across)).reshape(weights.shape[1:3])
    return values


def batch_alignment(weights: Array, tokens: Sequence[Tokens], *, expected: bool) -> Values:
    """[sentence, layer, head] how much each head of cross-attention is an alignment; NaN for sentences without words.

    `expected` says that each query is made for the word after it. See `opening_head.alignment`.
    """
    values = np.full(weights.shape[:3], np.nan)
    for sentence, own in enumerate(tokens):
        flat = weights[sentence].reshape(-1, *weights.shape[3:])  # [head of all layers, query, key]
        cells = word_cells(flat, own, expected=expected)
        if cells.size:
            values[sentence] = alignment(cells).reshape(weights.shape[1:3])
    return values
