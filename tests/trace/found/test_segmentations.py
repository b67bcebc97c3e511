"""Maps of tokens that differ, on common units."""

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.tokens.token import Token
from explorer.trace.arrays import frozen_array
from explorer.trace.found.segmentations import Segmentation, Segmentations, folded_by, shares
from explorer.trace.word_groups import folded

TEXT = "南京市 长江大桥"
UNITS = ((0, 3), (3, 8))


def token(start: int, end: int, word: tuple[int, int] | None = None, known: bool = True) -> Token:
    return Token(TEXT[start:end], 5, start, end, known, word=word)


def rows(n: int, seed: int = 0) -> NDArray[np.float64]:
    """[query, key] random rows that sum to 1."""
    numbers = np.random.default_rng(seed).random((n, n))
    return numbers / numbers.sum(axis=1, keepdims=True)


def by_characters(
    weights: NDArray[np.float64], tokens: tuple[Token, ...], units: tuple[tuple[int, int], ...]
) -> list[list[float]]:
    """The same sums in another way: every token is divided into its characters, each of which has a part of its weight."""
    found = [[0.0] * len(units) for _ in units]
    for u, query_unit in enumerate(units):
        asks = [
            (q, 1 / (t.end - t.start)) for q, t in enumerate(tokens) for c in range(t.start, t.end) if c in range(*query_unit)
        ]
        for v, key_unit in enumerate(units):
            for q, part in asks:
                for k, t in enumerate(tokens):
                    inside = sum(c in range(*key_unit) for c in range(t.start, t.end))
                    found[u][v] += part * weights[q, k] * inside / (t.end - t.start)
            found[u][v] /= sum(part for _, part in asks)
    return found


CHARACTERS = tuple(token(at, at + 1) for at in (0, 1, 2, 4, 5, 6, 7))
FULL = tuple(token(*span) for span in ((0, 2), (0, 3), (1, 3), (2, 5), (4, 6), (4, 8), (6, 8)))


@pytest.mark.parametrize("tokens", [CHARACTERS, FULL])
def test_folding_is_that_of_single_characters(tokens: tuple[Token, ...]) -> None:
    """Also of tokens that overlap and that lie across two units; and every row is still a sum of 1."""
    weights = rows(len(tokens))
    made = folded_by(weights, shares(tokens, UNITS))

    assert made == pytest.approx(np.array(by_characters(weights, tokens, UNITS)))
    assert made.sum(axis=1) == pytest.approx([1, 1])


def test_where_each_token_lies_in_one_unit_it_is_the_folding_of_words() -> None:
    """The sum over a word's keys and the mean over its queries, as everywhere else."""
    weights = rows(7)
    groups = ((0, 1, 2), (3, 4, 5, 6))

    assert folded_by(weights, shares(CHARACTERS, UNITS)) == pytest.approx(folded(weights, groups, groups), abs=1e-6)


def test_the_comparison_can_fail() -> None:
    """With the tokens of another cut the sums are others."""
    weights = rows(7)

    assert folded_by(weights, shares(FULL, UNITS)) != pytest.approx(np.array(by_characters(weights, CHARACTERS, UNITS)))


def test_a_unit_without_a_token_has_no_row() -> None:
    """Nothing is made up for it."""
    made = folded_by(rows(1), shares((token(0, 3),), UNITS))

    assert made[0] == pytest.approx([1, 0]) and np.isnan(made[1]).all()


def segmentations(*others: Segmentation) -> Segmentations:
    weights = np.stack([np.stack([rows(2, seed=2 * layer + head) for head in range(2)]) for layer in range(2)])
    exact = Segmentation("jieba", (token(0, 3), token(4, 8)), frozen_array(weights.astype(np.float32)))
    return Segmentations(TEXT, "encoder.self_attn", (exact, *others), 0)


def test_units_are_the_words_of_the_exact_cut_with_the_blank_before_them() -> None:
    """So that a cut that has the blank in a token of its own lies in them too."""
    made = segmentations()

    assert made.units == UNITS and made.unit_texts() == ("南京市", "长江大桥")


def test_units_are_words_before_the_vocabulary_broke_them() -> None:
    """Characters of a word that fell apart are one unit, and the word is told once."""
    pieces = tuple(token(at, at + 1, (0, 3)) for at in range(3))
    made = Segmentations(TEXT, "encoder.self_attn", (Segmentation("jieba", (*pieces, token(4, 8))),), 0)

    assert made.rows[0].words == ((0, 3), (4, 8)) and made.units == UNITS


def test_heads_and_layers_are_taken_alone_or_averaged() -> None:
    """The mean of folded heads is the folded mean."""
    made = segmentations()
    heads = [[made.folded(0, layer, head) for head in range(2)] for layer in range(2)]

    assert made.folded(0, 1) == pytest.approx(np.mean(heads[1], axis=0))
    assert made.folded(0) == pytest.approx(np.mean(heads, axis=(0, 1)))


def test_a_cut_that_was_refused_has_no_map() -> None:
    """The other rows have theirs."""
    made = segmentations(Segmentation("characters"))

    assert made.folded(1) is None and made.folded(0) is not None


def test_tokens_across_two_units_and_unknown_ones_are_counted() -> None:
    """市长 belongs to two words; a token whose place is empty counts to the unit where it stands."""
    across = Segmentation("jieba-full", FULL), Segmentation("bpe", (token(4, 4, known=False),))
    made = segmentations(*across)

    assert [each.text for each in made.lies_across(1)] == ["市 长"] and across[1].n_unknown == 1
    assert shares(across[1].tokens, UNITS).tolist() == [[0, 1]]
