"""Folded attention, against loops in Python's floats."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import UnknownTap
from explorer.trace.folding import Groups, before, folded, folded_closed, folds, singles
from tests.picture.examples import begun, example
from tests.trace.measures.test_head_measures import random_weights


def a_partition(n: int, seed: int) -> Groups:
    """Some partition of n places, whose words need not stand in a row."""
    rng = np.random.default_rng(seed)
    word_of = rng.integers(0, max(1, n // 2 + 1), n)
    return tuple(tuple(np.flatnonzero(word_of == word).tolist()) for word in rng.permutation(np.unique(word_of)))


def by_loops(weights: np.ndarray, queries: Groups, keys: Groups, closed: np.ndarray, *, sums: bool = True) -> list[list[float]]:
    """Sums over keys and averages over queries of [query, key], cell by cell; without `sums`, means over keys: a wrong fold."""

    def cell(rows: tuple[int, ...], columns: tuple[int, ...]) -> float:
        with_numbers = [q for q in rows if any(not closed[q, k] for k in range(weights.shape[1]))]
        found = [float(weights[q, k]) for q in with_numbers for k in columns if not closed[q, k]]
        if not found:
            return math.nan
        total = math.fsum(found) / len(with_numbers)
        return total if sums else total / len(columns)

    return [[cell(rows, columns) for columns in keys] for rows in queries]


@given(n=st.integers(1, 9), seed=st.integers(0, 99), causal=st.booleans())
def test_folded_weights_are_those_of_loops(n: int, seed: int, causal: bool) -> None:
    """For any partition of queries and of keys, with a mask and without."""
    weights = random_weights(3, n, n, seed, causal=causal)
    closed = np.triu(np.ones((n, n), bool), 1) if causal else np.zeros((n, n), bool)
    queries, keys = a_partition(n, seed), a_partition(n, seed + 1)
    found = folded(weights, queries, keys, closed)
    for head in range(3):
        np.testing.assert_allclose(found[head], by_loops(weights[head], queries, keys, closed), atol=1e-6)
    np.testing.assert_array_equal(folded_closed(closed, queries, keys), np.isnan(found[0]))


@given(n=st.integers(2, 9), seed=st.integers(0, 99), causal=st.booleans())
def test_folded_rows_still_sum_to_1(n: int, seed: int, causal: bool) -> None:
    """A row of a word is shared out among words, as those of tokens are among tokens."""
    weights = random_weights(2, n, n, seed, causal=causal)
    found = folded(weights, a_partition(n, seed), a_partition(n, seed + 1))
    np.testing.assert_allclose(found.sum(axis=-1, dtype=np.float64), 1, atol=1e-6)


def test_a_mean_over_keys_is_told_from_the_sum() -> None:
    """The checker of the two tests above can fail: a mean over keys has other cells, and its rows are less than 1."""
    weights, groups = random_weights(1, 5, 5, 3, causal=False), ((0,), (1, 2, 3), (4,))
    wrong = by_loops(weights[0], groups, groups, np.zeros((5, 5), bool), sums=False)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(folded(weights, groups, groups)[0], wrong, atol=1e-6)
    assert all(math.fsum(row) < 0.9999 for row in wrong)


def test_a_query_without_numbers_is_left_out_of_the_average() -> None:
    """A mask can leave a query no key at all; its word has the rows of the other tokens, and still sums to 1."""
    weights = np.array([[np.nan, np.nan], [0.25, 0.75]], np.float32)
    np.testing.assert_array_equal(folded(weights, ((0, 1),), ((0,), (1,))), [[0.25, 0.75]])
    closed = np.array([[True, True], [False, False]])
    np.testing.assert_array_equal(folded(np.nan_to_num(weights, nan=0.5), ((0, 1),), ((0,), (1,)), closed), [[0.25, 0.75]])
    np.testing.assert_array_equal(folded(weights[:1], ((0,),), ((0, 1),)), [[np.nan]])


def test_tokens_by_themselves_stay_as_they_are() -> None:
    """Without words of several tokens nothing is computed."""
    weights = random_weights(2, 4, 4, 0, causal=False)
    np.testing.assert_array_equal(folded(weights, singles(4), singles(4)), weights)
    assert not folds(singles(4))
    assert folds(((0, 1),))


@pytest.mark.parametrize("keys", [((0, 1),), ((0, 1), (1, 2)), ((0, 1, 2), ()), ((0, 1, 2, 3),)])
def test_words_that_leave_out_or_repeat_a_token_are_refused(keys: Groups) -> None:
    """Sums over them would not be shares."""
    with pytest.raises(ValueError, match="3 places once"):
        folded(np.full((3, 3), 1 / 3, np.float32), singles(3), keys)


def test_rows_that_write_the_next_token_belong_to_the_word_that_they_write() -> None:
    """<bos> I T·ian·an: the row of I writes T, so the word Tianan is rows 1 to 3; row 4 writes the end symbol."""
    assert before(((0,), (1,), (2, 3, 4)), 5) == ((0,), (1, 2, 3), (4,))
    assert before(((0,),), 1) == ((0,),)


def test_a_trace_folds_its_weights() -> None:
    """`trace.folded` has rows of the words that cross-attention writes, keeps what it made, and takes weights alone."""
    trace = begun(example(text="I love Tiananmen", target="x Tiananmen.", tokenizer="bpe"))
    tap = "decoder.layers.0.cross_attn.weights"
    own, source = trace.word_groups["target"], trace.word_groups["source"]
    rows = (*(tuple(place - 1 for place in group) for group in own[1:]), (len(trace.tokens.target) - 1,))
    assert trace.words_of(tap) == (rows, source)
    found = trace.folded(tap)
    np.testing.assert_allclose(found[1], by_loops(trace[tap][1], rows, source, np.zeros(trace.shape(tap)[1:], bool)), atol=1e-6)
    assert trace.folded(tap) is found and not found.flags.writeable
    own_tap = "decoder.layers.0.self_attn.weights"
    assert np.isnan(trace.folded(own_tap)[0, 0, 1:]).all()
    for wrong in ("decoder.layers.0.cross_attn.scores", "encoder.norm", "nothing"):
        with pytest.raises(UnknownTap):
            trace.folded(wrong)
