"""Segmentations: one sentence cut in several ways, each read by the model in a pass of its own, on common units.

The units are the words of the first cut, jieba's exact one or that at white space, so that maps of tokens that differ can be
laid beside each other. A token that lies across several units counts to each by its share of characters.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import ExplorerError
from explorer.tokens.graphemes import Spans
from explorer.tokens.token import Token
from explorer.trace.arrays import Array

WAYS = ("jieba", "jieba-full", "jieba-search", "characters", "bpe")
"""The ways of cutting Chinese that are laid beside each other, by the values of the knob `tokenizer`."""
ENGLISH_WAYS = ("spaces", "bpe", "characters")
"""Those of a model that reads English."""
BY_HAND = ""
"""The way of a sentence that somebody has cut by hand."""


@attrs.frozen(eq=False)
class Segmentation:
    """The sentence cut in one way: the tokens that the model reads, and `weights` [layer, head, query, key].

    The weights are those of the self-attention of the first stack. `target` is the translation that the model makes of these
    tokens; "" where it makes none. `refused` says why there is no pass; then there are no tokens either.
    """

    way: str
    tokens: tuple[Token, ...] = ()
    weights: Array | None = None
    target: str = ""
    refused: ExplorerError | None = None

    @property
    def words(self) -> Spans:
        """The spans of the cut before the vocabulary broke any word, in their order."""
        return tuple(dict.fromkeys(token.word or (token.start, token.end) for token in self.tokens))

    @property
    def n_unknown(self) -> int:
        """How many tokens the vocabulary has no symbol for."""
        return sum(not token.known for token in self.tokens)


@attrs.frozen(eq=False)
class Segmentations:
    """All cuts of a text. `present` is the number of the one on screen, `attention` the name of the self-attention."""

    text: str
    attention: str
    rows: tuple[Segmentation, ...]
    present: int

    @property
    def units(self) -> Spans:
        """The spans of the words of the first cut, each with the white space before it; the whole text if there is none."""
        words = sorted(self.rows[0].words) or [(0, len(self.text))]
        ends = [*(end for _, end in words[:-1]), len(self.text)]
        return tuple(zip([0, *ends[:-1]], ends, strict=True))

    def unit_texts(self) -> tuple[str, ...]:
        """The texts of the units."""
        return tuple(self.text[start:end].strip() for start, end in self.units)

    def folded(self, row: int, layer: int | None = None, head: int | None = None) -> NDArray[np.float64] | None:
        """[unit, unit] the weights of one head of a layer on the units; without a head or layer the mean over all.

        None where the cut was refused.
        """
        found = self.rows[row]
        if found.weights is None:
            return None
        layers = found.weights if layer is None else found.weights[layer : layer + 1]
        heads = layers if head is None else layers[:, head : head + 1]  # [layer, head, query, key]
        weights = heads.mean(axis=(0, 1), dtype=np.float64)  # [query, key]
        return folded_by(weights, shares(found.tokens, self.units))

    def lies_across(self, row: int) -> tuple[Token, ...]:
        """The tokens of a cut that belong to several units."""
        parts = shares(self.rows[row].tokens, self.units)
        return tuple(token for token, part in zip(self.rows[row].tokens, parts, strict=True) if part.max() < 1)


def shares(tokens: tuple[Token, ...], units: Spans) -> NDArray[np.float64]:
    """[token, unit] the share of each token's characters that lie in each unit; each row is a sum of 1."""
    starts, ends = np.array([(token.start, token.end) for token in tokens], float).reshape(-1, 2).T[:, :, None]  # [token, 1]
    # A token of no characters counts to the unit that it stands in, as if it had the next one.
    ends = np.maximum(ends, starts + 1)
    firsts, lasts = np.array(units, float).T  # [unit]
    inside = np.minimum(ends, lasts) - np.maximum(starts, firsts)  # [token, unit]
    result: NDArray[np.float64] = np.maximum(inside, 0) / (ends - starts)
    return result


def folded_by(weights: NDArray[np.float64], parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """[unit, unit] a map [query, key] on units: summed over keys, averaged over queries, by `parts` [token, unit].

    Where each token lies in one unit this is the plain sum over the unit's keys and the plain mean over its queries. A unit in
    which no token lies has NaN.
    """
    # F[u,v] = Σ_q Σ_k b[q,u]·A[q,k]·b[k,v] / Σ_q b[q,u]
    summed = parts.T @ weights @ parts  # [unit, unit]
    queries = parts.sum(axis=0)[:, None]  # [unit, 1]
    result: NDArray[np.float64] = np.divide(summed, queries, out=np.full_like(summed, np.nan), where=queries > 0)
    return result
