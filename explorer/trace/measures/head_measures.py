"""What one attention head does, as numbers that are computed in float64 from its recorded weights.

Letters: A[h,q,k] are the weights of head h, n and m count queries and keys, t[k] is the id of the token at k. Each measure is
a mean over queries; a mean over no query is NaN. In batches, A[s,l,h,q,k] are the weights of head h of layer l in sentence s;
all sentences of a batch have as many queries, and as many keys.

Entropy and distance: Vig and Belinkov 2019. Previous token and first token: Clark et al. 2019; Voita et al. 2019. Induction:
the prefix matching of Olsson et al. 2022. The diagonal of a map between two texts goes from corner to corner.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import UnknownMeasure
from explorer.trace.arrays import Array
from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.measures.measures import entropy_bits
from explorer.trace.measures.opening_head import alignment, word_cells
from explorer.trace.recorded_pass import RecordedPass, Tokens

Ids = NDArray[np.int64]
Values = NDArray[np.float64]


@attrs.frozen(eq=False)
class Seen:
    """What a measure is computed from: `weights` [head, query, key], the ids of the keys' tokens, and the `rows` that count.

    `across` is True where queries and keys stand in different texts. `rows` are the queries that entropy and distance look
    at, which read every cell: all of them, or evenly spaced ones of a long text.
    """

    weights: Array
    ids: Ids
    rows: Ids
    across: bool = False


def entropy(seen: Seen) -> Values:
    """[head] in bits: 0 where each query looks at one token alone, log2(m) where it looks at all alike."""
    # mean_q −Σ_k A[h,q,k]·log2 A[h,q,k]
    bits: Values = entropy_bits(seen.weights[:, seen.rows]).mean(axis=1)  # [head, query] to [head]
    return bits


def distance(seen: Seen) -> Values:
    """[head] in tokens: how far from each query the tokens stand that it looks at."""
    # mean_q Σ_k A[h,q,k]·|q − k|
    far = np.abs(seen.rows[:, None] - np.arange(seen.weights.shape[2])).astype(np.float64)  # [query, key]
    result: Values = np.einsum("hqk,qk->h", seen.weights[:, seen.rows], far) / len(far)
    return result


def previous(seen: Seen) -> Values:
    """[head] from 0 to 1: the weight of the token before each query."""
    # mean_{q≥1} A[h,q,q−1]
    return _mean(seen.weights.diagonal(-1, axis1=1, axis2=2))


def first(seen: Seen) -> Values:
    """[head] from 0 to 1: the weight of the first token, where queries rest that look for nothing."""
    # mean_{q≥1} A[h,q,0]: the first token itself does not count, since a causal mask lets it see nothing else.
    return _mean(seen.weights[:, 0 if seen.across else 1 :, 0])


def diagonal(seen: Seen) -> Values:
    """[head] from 0 to 1: the weight of each query's own place."""
    if not seen.across:
        # mean_q A[h,q,q]
        return _mean(seen.weights.diagonal(axis1=1, axis2=2))
    n, m = seen.weights.shape[1:]
    q, last = np.arange(n), max(1, n - 1)
    # mean_q A[h,q,k(q)] with k(q) = ⌊q·(m − 1)/(n − 1) + ½⌋, in whole numbers
    return _mean(seen.weights[:, q, (2 * q * (m - 1) + last) // (2 * last)])


def induction(seen: Seen) -> Values:
    """[head] from 0 to 1: the weight of the tokens that followed each query's token before; NaN if none is repeated."""
    # I[q] = {k : 1 ≤ k < q, t[k − 1] = t[q]}; mean over the q whose I[q] is not empty of Σ_{k in I[q]} A[h,q,k]
    queries, keys = np.nonzero(np.tril(seen.ids[:, None] == seen.ids[None, :-1], -2))
    keys += 1  # the tokens after those that are alike
    sums: Values = seen.weights[:, queries, keys].sum(axis=1, dtype=np.float64)  # [head]
    return sums / len(np.unique(queries)) if len(queries) else np.full(len(sums), np.nan)


@attrs.frozen
class HeadMeasure:
    """A measure of heads. `own` is its formula (rich text) in self-attention, `across` in cross-attention; "": it has none."""

    key: str
    of: Callable[[Seen], Values]
    own: str
    across: str = ""
    unit: str = ""

    def formula(self, attention: str) -> str:
        """Its formula for an attention such as "decoder.cross_attn"; "" where it means nothing."""
        return self.across if attention.endswith("cross_attn") else self.own


_ENTROPY = "mean<sub>q</sub> −Σ<sub>k</sub> A<sub>qk</sub> log<sub>2</sub> A<sub>qk</sub>"
_PLACE = "mean<sub>q</sub> A<sub>q,k(q)</sub>, k(q) = ⌊q (m − 1)/(n − 1) + ½⌋"
_FOLLOWERS = "mean<sub>q</sub> Σ<sub>k</sub> A<sub>qk</sub> [t<sub>k−1</sub> = t<sub>q</sub>, 1 ≤ k ≤ q−1]"
MEASURES: Mapping[str, HeadMeasure] = MappingProxyType(
    {
        measure.key: measure
        for measure in (
            HeadMeasure("entropy", entropy, _ENTROPY, _ENTROPY, "bit"),
            HeadMeasure("distance", distance, "mean<sub>q</sub> Σ<sub>k</sub> A<sub>qk</sub> |q − k|", unit="tokens"),
            HeadMeasure("previous", previous, "mean<sub>q≥1</sub> A<sub>q,q−1</sub>"),
            HeadMeasure("first", first, "mean<sub>q≥1</sub> A<sub>q0</sub>", "mean<sub>q</sub> A<sub>q0</sub>"),
            HeadMeasure("diagonal", diagonal, "mean<sub>q</sub> A<sub>qq</sub>", _PLACE),
            HeadMeasure("induction", induction, _FOLLOWERS),
        )
    }
)
"""All measures of heads by key, in the order of `choices.HEAD_MEASURES`."""


def head_values(trace: RecordedPass, attention: str, key: str, most_cells: int = 0) -> Values:
    """[layer, head] a measure of every head of an attention such as "encoder.self_attn"; NaN where it means nothing.

    It is NaN, too, for heads of a long text whose single cells were not kept. Of layers with more than `most_cells` cells (0:
    however many), entropy and distance look at evenly spaced queries; `row_step` says how far apart. Raises UnknownMeasure,
    UnknownTap.
    """
    if key not in MEASURES:
        raise UnknownMeasure(name=key, choices=", ".join(HEAD_MEASURES))
    side = trace.card.side(attention)
    values = np.full((side.n_layers, side.n_heads), np.nan)
    if MEASURES[key].formula(attention):
        for layer in trace.card.attention_layers(attention):
            values[layer] = _layer(trace, attention, layer, key, most_cells)
    return values


def row_step(trace: RecordedPass, attention: str, most_cells: int) -> int:
    """How many queries apart those stand that entropy and distance look at: 1 where every one counts."""
    cells = int(np.prod(trace.shape(_tap(attention, trace.card.attention_layers(attention)[0]))))
    return -(-cells // most_cells) if most_cells else 1


def _layer(trace: RecordedPass, attention: str, layer: int, key: str, most_cells: int) -> Values:
    """[head] the measure in one layer."""
    tap = _tap(attention, layer)
    kept = trace.map(tap)
    n_heads, n_queries, _n_keys = kept.shape
    rows = np.arange(0, n_queries, row_step(trace, attention, most_cells))
    ids = np.array([token.id for token in trace.keys(tap)], np.int64)

    def of(weights: Array) -> Values:
        return MEASURES[key].of(Seen(weights, ids, rows, attention.endswith("cross_attn")))

    if kept.array is not None:
        return of(kept.array)
    found = np.full(n_heads, np.nan)
    for head in range(n_heads):
        cells = kept.head(head)
        if cells is not None:
            found[head] = of(cells[None])[0]
    return found


def _tap(attention: str, layer: int) -> str:
    side, _, kind = attention.partition(".")
    return f"{side}.layers.{layer}.{kind}.weights"


def _mean(weights: Array) -> Values:
    """[head] the mean of [head, query]; NaN where there is no query."""
    if not weights.shape[1]:
        return np.full(len(weights), np.nan)
    mean: Values = weights.mean(axis=1, dtype=np.float64)
    return mean


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
