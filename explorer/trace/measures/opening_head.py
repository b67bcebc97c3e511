"""Which attention head is most worth a look, measured in the trace of one pass.

Cross-attention shows where each written word comes from, so its most aligned head is the one. A model without it is looked at
where a head does more than look at a fixed place. Nothing is known of the model but its recorded weights, so this works for
any model.

Decision: heads are measured on the sentence at hand, because heads share the work. Over 300 sentences that the bundled
translator was not trained on, any head of it that is declared once and for all finds at most 69 % of the words' sources, and
the measured one 79 %. Rejected: the sharpest head, which may look at one word all the time; and the agreement with the other
heads alone, which is best for a blurred one.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.measures.measures import is_word
from explorer.trace.recorded_pass import RecordedPass, Tokens

_MOST_WORDS = 64  # words of a long text that are looked at: more would take longer and tell no more
_NEAR = 2  # tokens; looking so far to the left or right, at each token alike, is looking at a fixed place


@attrs.frozen
class Head:
    """One head: its attention, such as "decoder.cross_attn", its layer and its number."""

    attention: str
    layer: int
    head: int


def opening_head(trace: RecordedPass) -> Head | None:
    """The head that is most worth a look; None if no weights were kept, or if no head tells more than another."""
    attention = _attention(trace)
    kept = _layers(trace, attention)
    if not kept:
        return None
    cells = _cells(trace, attention, np.concatenate(list(kept.values())))  # [head of all layers, query, key]
    if not cells.size:
        return None
    scores = alignment(cells) if attention.endswith(".cross_attn") else selectivity(cells)  # [head of all layers]
    best = int(scores.argmax())  # The first one of equal ones.
    layer, head = divmod(best, trace.card.side(attention).n_heads)
    return Head(attention, list(kept)[layer], head) if scores[best] > 0 else None


def alignment_values(trace: RecordedPass) -> NDArray[np.float64]:
    """[layer, head] how much each head of cross-attention is an alignment of words.

    NaN for a sentence without words, and where the weights of any layer were not kept whole.
    """
    attention = _attention(trace)
    side = trace.card.side(attention)
    values = np.full((side.n_layers, side.n_heads), np.nan)
    kept = _layers(trace, attention)
    if attention.endswith(".cross_attn") and len(kept) == side.n_layers:
        cells = _cells(trace, attention, np.concatenate(list(kept.values())))  # [head of all layers, query, key]
        if cells.size:
            values[:] = alignment(cells).reshape(values.shape)
    return values


def alignment(weights: Array) -> NDArray[np.float64]:
    """[head] from 0 to 1: how much each head is an alignment of [head, word written, word read].

    An aligned head is sharp, since each written word looks at one word. It leaves no word of the source out. And it agrees with
    the other heads, which see the same sentence.
    """
    A = weights.astype(np.float64)
    # sharpness[h] = mean_q max_k A[h,q,k]
    sharpness = A.max(axis=2).mean(axis=1)  # [head]
    # coverage[h] = mean_k max_q A[h,q,k]
    coverage = A.max(axis=1).mean(axis=1)  # [head]
    # Coverage counts twice: a word that is left out is worse than some doubt.
    result: NDArray[np.float64] = sharpness * coverage**2 * _agreement(A)
    return result


def _agreement(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """[head] the cosine between each head's cells and those of all other heads together; 1 if no other head has any weight."""
    A = weights.reshape(len(weights), -1)  # [head, cell]
    B = A.sum(axis=0) - A  # [head, cell], the other heads
    # cos[h] = Σ A[h]·B[h] / (|A[h]|·|B[h]|)
    lengths = np.linalg.norm(A, axis=1) * np.linalg.norm(B, axis=1)
    known = lengths > 0
    return np.where(known, (A * B).sum(axis=1) / np.where(known, lengths, 1.0), 1.0)


def selectivity(weights: Array) -> NDArray[np.float64]:
    """[head] from 0 to 1: how much the place at which each head looks depends on the words, of [head, query, key].

    A head that looks at all tokens alike, at the same token from everywhere, at itself, or at a neighbour has about 0.
    """
    A = weights.astype(np.float64)
    sharpness = A.max(axis=2).mean(axis=1)  # [head]
    # fixed[h] = max(max_k mean_q A[h,q,k], max_d mean_q A[h,q,q+d]) for distances d of at most 2 tokens
    n_queries, n_keys = A.shape[1:]
    places = [A.mean(axis=1).max(axis=1)]  # [head]
    for distance in range(-_NEAR, _NEAR + 1):
        # Queries stand at the last positions, if there are fewer of them than keys.
        cells = A.diagonal(n_keys - n_queries + distance, axis1=1, axis2=2)  # [head, query that has such a key]
        if 2 * cells.shape[1] >= n_queries:
            places.append(cells.mean(axis=1))
    result: NDArray[np.float64] = sharpness * (1 - np.maximum.reduce(places))
    return result


def word_cells(weights: Array, tokens: Tokens, *, expected: bool) -> Array:
    """The cells of cross-attention [head, query, key] that belong to words, and at most 64 in each direction.

    `expected` says that a translation is expected, so that each query is made for the word after it.
    """
    written = tokens.target[1:] if expected else tokens.target
    queries = [place for place, token in enumerate(written) if is_word(token.text)][:_MOST_WORDS]
    keys = [place for place, token in enumerate(tokens.source) if is_word(token.text)][:_MOST_WORDS]
    return np.nan_to_num(weights[:, queries][:, :, keys])


def _attention(trace: RecordedPass) -> str:
    """The attention that is looked at: cross-attention if there is one, else that of the last side."""
    last = trace.card.sides[-1]
    return f"{last.name}.{'cross_attn' if 'cross_attn' in last.attentions else 'self_attn'}"


def _layers(trace: RecordedPass, attention: str) -> dict[int, Array]:
    """[head, query, key] of each layer whose weights were kept whole."""
    side, _, kind = attention.partition(".")
    taps = {layer: f"{side}.layers.{layer}.{kind}.weights" for layer in trace.card.attention_layers(side)}
    return {layer: trace.arrays[tap] for layer, tap in taps.items() if tap in trace.arrays}


def _cells(trace: RecordedPass, attention: str, weights: Array) -> Array:
    """The cells of [head, query, key] that count: of words alone in cross-attention, and at most 64 in each direction."""
    if attention.endswith(".cross_attn"):
        return word_cells(weights, trace.tokens, expected=bool(trace.expected))
    # Under a causal mask the first token can look at itself only.
    first = 1 if attention in trace.card.causal else 0
    return np.nan_to_num(weights[:, first:_MOST_WORDS, :_MOST_WORDS])
