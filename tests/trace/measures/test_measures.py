"""Figures about arrays, with answers known beforehand."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from explorer.tokens.token import Token
from explorer.tokens.vocabulary import BEGIN
from explorer.trace.arrays import frozen_array
from explorer.trace.kept_map import closed_cells
from explorer.trace.measures.measures import entropy_bits, is_word, most_uncertain_step, summary
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace
from tests.trace.runs import a_trace, small


def test_a_summary_of_known_numbers() -> None:
    """The deviation of 1, 2, 3, 4 as a population is √1.25."""
    about = summary(np.array([[1, 2], [3, 4]], dtype=np.float32))

    assert (about.shape, about.low, about.high, about.mean) == ((2, 2), 1, 4, 2.5)
    assert about.deviation == pytest.approx(math.sqrt(1.25))
    assert (about.nan_share, about.infinite_share) == (0, 0)


def test_only_finite_values_are_summed_up() -> None:
    """The others are counted: one of four is NaN, two are infinite."""
    about = summary(np.array([np.nan, -np.inf, np.inf, 3], dtype=np.float32))

    assert (about.low, about.high, about.mean, about.deviation) == (3, 3, 3, 0)
    assert (about.nan_share, about.infinite_share) == (0.25, 0.5)


@pytest.mark.parametrize(("values", "infinite"), [([], 0.0), ([-np.inf, -np.inf], 1.0)])
def test_where_nothing_is_finite_figures_are_nan(values: list[float], infinite: float) -> None:
    """Nothing is made up, and nothing warns."""
    about = summary(np.array(values, dtype=np.float32))

    assert all(math.isnan(figure) for figure in (about.low, about.high, about.mean, about.deviation))
    assert (about.nan_share, about.infinite_share) == (0, infinite)


def test_large_numbers_do_not_overflow() -> None:
    """float32 squared would be infinite; the deviation is worked out in float64."""
    about = summary(np.array([-3e38, 3e38], dtype=np.float32))

    assert about.mean == pytest.approx(0)
    assert about.deviation == pytest.approx(3e38)


def test_entropy_is_zero_for_one_and_log2_n_for_all_alike() -> None:
    """Looking at one token takes no bit, at eight alike takes three."""
    one_hot, uniform = np.eye(8, dtype=np.float32)[:1], np.full((1, 8), 1 / 8, dtype=np.float32)

    assert entropy_bits(one_hot).tolist() == [0.0]
    assert not np.signbit(entropy_bits(one_hot)).any()
    assert entropy_bits(uniform).tolist() == [3.0]


def test_entropy_is_of_each_row() -> None:
    """[head, query, key] gives [head, query]; a half, a quarter and a quarter are 1.5 bits."""
    weights = np.tile(np.array([0.5, 0.25, 0.25, 0], dtype=np.float32), (2, 3, 1))

    assert entropy_bits(weights).tolist() == [[1.5] * 3] * 2


@given(arrays.arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=st.floats(0, 1, width=32)))
def test_entropy_lies_between_its_bounds(weights: np.ndarray) -> None:
    """0 ≤ H ≤ log2(n) for rows that sum to 1."""
    weights = weights + np.float32(1e-3)
    weights = weights / weights.sum(-1, keepdims=True)
    bits = entropy_bits(weights)

    assert (bits >= -1e-5).all()
    assert (bits <= math.log2(weights.shape[-1]) + 1e-5).all()


def test_closed_cells_are_both_mask_values() -> None:
    """-inf and -1e9; a score that is merely low is open."""
    masked = np.array([[0, -np.inf, -1e9], [-1e8, np.inf, np.nan]], dtype=np.float32)

    assert closed_cells(masked).tolist() == [[False, True, True], [False, False, False]]


def _written(*words: tuple[str, float], end: float = 0.9) -> Trace:
    """A Trace of a translation in which each word had this probability; its other symbols share the rest."""
    tokens = (
        Token("<bos>", BEGIN, 0, 0, True),
        *(Token(word, 4 + place, 0, 0, True) for place, (word, _p) in enumerate(words)),
    )
    rows = np.zeros((len(tokens), 20), np.float32)
    rows[range(len(words)), range(4, 4 + len(words))] = [p for _word, p in words]
    rows[-1, 3] = end
    return Trace(
        arrays={"generator.probabilities": frozen_array(rows)},
        axis_names={"generator.probabilities": ("position", "vocab")},
        tokens=Tokens(source=tokens[1:], target=tokens),
        config=small(),
        places=frozen_array(np.zeros((1, 1), np.float32)),
    )


def test_the_most_uncertain_step_is_that_of_the_least_probable_word() -> None:
    """Of two equal ones it is the first; neither punctuation nor the end symbol is a word."""
    assert most_uncertain_step(_written(("He", 0.9), ("in", 0.4), ("the", 0.8), (".", 0.1), end=0.05)) == 1
    assert most_uncertain_step(_written(("He", 0.9), ("in", 0.4), ("the", 0.4))) == 1
    assert most_uncertain_step(_written(("in", 0.3), ("the", 0.4))) == 0


def test_where_no_word_was_written_no_step_is_the_most_uncertain() -> None:
    """A sign alone, a pass that nothing was expected of, and probabilities that were not kept: -1 is the last position."""
    unkept = _written(("He", 0.9))

    assert most_uncertain_step(_written((".", 0.1))) == -1
    assert most_uncertain_step(a_trace()) == -1
    assert most_uncertain_step(attrs.evolve(unkept, arrays={})) == -1


def test_words_have_letters_or_figures() -> None:
    """In every script, also behind the mark of a word's beginning."""
    assert [text for text in ("书", "ing", "▁a", "3", "。", ".", "▁,", "", "'s") if is_word(text)] == [
        "书",
        "ing",
        "▁a",
        "3",
        "'s",
    ]
