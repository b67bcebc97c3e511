"""The n-grams that a language model is measured against."""

import math
import random

import pytest

from tests.training.ngrams import NGrams, predicted

ROWS = [(*random.Random(seed).choices((4, 5, 6, 7), (6, 3, 2, 1), k=3 + seed % 5), 3) for seed in range(40)]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_sum_to_one_in_every_context(order: int) -> None:
    """In contexts that were seen, and in one that never was."""
    model = NGrams(ROWS, 9, order)
    contexts = {context for row in ROWS for context, _symbol in predicted(row, order)} | {(8,) * (order - 1)}

    for context in contexts:
        assert sum(model.probability(symbol, context) for symbol in range(9)) == pytest.approx(1, abs=1e-12)


def test_a_bigram_is_what_the_formula_says() -> None:
    """By hand: after 4 stand 5, 5, 6; 5 stands after one kind of symbol, as 6 does; the end symbol after two."""
    model = NGrams([(4, 5, 3), (4, 5, 3), (4, 6, 3)], 10, 2)
    model.discounts = [0.5, 0.5]
    # The lower order counts contexts: 5 after {4}, 6 after {4}, 3 after {5, 6}; in all 4, of 3 types.
    lower = (1 - 0.5) / 4 + 0.5 * 3 / 4 / 10

    assert model.probability(5, (4,)) == pytest.approx((2 - 0.5) / 3 + 0.5 * 2 / 3 * lower)


def test_tuning_makes_other_rows_more_probable() -> None:
    """The rows that it is tuned on; nothing is counted anew."""
    model = NGrams(ROWS[:20], 9, 3)
    before = model.nats(ROWS[20:])
    model.tune(ROWS[20:])

    assert model.nats(ROWS[20:]) < before
    assert all(0 < each < 1 for each in model.discounts)


def test_the_first_symbol_is_given_and_the_end_is_predicted() -> None:
    """A row of n symbols with its end has n - 1 predictions, each after what stands before it."""
    assert list(predicted((7, 8, 3), 3)) == [((2, 7), 8), ((7, 8), 3)]
    assert math.isfinite(NGrams([(7, 8, 3)], 9, 3).nats([(5, 6, 3)]))
