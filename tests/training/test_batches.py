"""Batches: every row once, no larger than asked, and the same again from the same seed."""

import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.model.ids import padded
from explorer.tokens.vocabulary import BEGIN, END, PAD
from explorer.training.batches import PairExample, batch_plan, make_batch
from tests.tokens.texts import unhurried

LENGTHS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=300)


@unhurried
@given(LENGTHS, st.integers(16, 400), st.integers(0, 5))
def test_a_plan_has_every_row_once_and_no_batch_too_large(lengths: list[tuple[int, int]], tokens: int, seed: int) -> None:
    """Padded to its longest target with the end symbol; a row that is too long for any batch has its own."""
    plan = batch_plan(lengths, tokens, random.Random(seed))

    assert sorted(row for batch in plan for row in batch) == list(range(len(lengths)))
    for batch in plan:
        size = len(batch) * max(lengths[row][1] + 1 for row in batch)
        assert size <= tokens or len(batch) == 1
    assert plan == batch_plan(lengths, tokens, random.Random(seed))


def test_batches_are_full() -> None:
    """Rows of one length: no batch but the last could take one more."""
    sizes = sorted(map(len, batch_plan([(3, 9)] * 47, 100, random.Random(0))))

    assert sizes == [7, 10, 10, 10, 10]


def test_little_is_padding() -> None:
    """Rows of like length stand together, sources and targets."""
    chance = random.Random(0)
    lengths = [(n, n + chance.randrange(3)) for n in (chance.randrange(1, 40) for _ in range(3000))]
    plan = batch_plan(lengths, 400, chance)
    cells = sum(len(batch) * max(lengths[row][1] + 1 for row in batch) for batch in plan)

    assert sum(target + 1 for _source, target in lengths) / cells > 0.95


def test_another_epoch_has_other_batches_in_another_order() -> None:
    """Lengths do not follow each other either."""
    lengths = [(n % 17 + 1, n % 17 + 1) for n in range(2000)]
    first, second = (batch_plan(lengths, 40, random.Random(f"0 {epoch}")) for epoch in (0, 1))
    longest = [max(lengths[row][1] for row in batch) for batch in first]

    assert first != second
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}
    assert longest != sorted(longest)


def test_a_batch_is_given_its_begin_and_expects_its_end() -> None:
    """Everything else is padding."""
    batch = make_batch([(5, 6), (7,)], [(8,), (9, 10, 11)])

    assert batch.source.tolist() == [[5, 6], [7, PAD]]
    assert batch.lengths.tolist() == [2, 1]
    assert batch.given.tolist() == [[BEGIN, 8, PAD, PAD], [BEGIN, 9, 10, 11]]
    assert batch.expected.tolist() == [[8, END, PAD, PAD], [9, 10, 11, END]]
    assert batch.to(torch.device("cpu")).given.tolist() == batch.given.tolist()


def test_rows_of_one_length_need_no_padding() -> None:
    """As they are."""
    assert padded([(1, 2), (3, 4)], 0).tolist() == [[1, 2], [3, 4]]


EXAMPLE = PairExample((((20,), (4, 5)), ((6,),), ((21,), (7, 8, 9)), ((10,),)), (1, 2), has_stop=True)


@pytest.mark.parametrize(
    ("split", "drop", "expected"),
    [(0.0, 0.0, (20, 6, 21, 10)), (1.0, 0.0, (4, 5, 6, 7, 8, 9, 10)), (0.0, 1.0, (20, 6, 21)), (1.0, 1.0, (4, 5, 6, 7, 8, 9))],
)
def test_words_are_cut_and_the_stop_is_dropped_as_often_as_asked(split: float, drop: float, expected: tuple[int, ...]) -> None:
    """Never and always."""
    assert EXAMPLE.source_ids(split, drop, random.Random(0)) == expected


def test_chances_are_the_ones_asked_for() -> None:
    """A third of the words, a fifth of the stops, to five standard deviations of 4000 draws."""
    chance = random.Random(0)
    drawn = [EXAMPLE.source_ids(1 / 3, 0.2, chance) for _ in range(4000)]

    assert sum(20 not in row for row in drawn) / 4000 == pytest.approx(1 / 3, abs=0.037)
    assert sum(21 not in row for row in drawn) / 4000 == pytest.approx(1 / 3, abs=0.037)
    assert sum(10 not in row for row in drawn) / 4000 == pytest.approx(0.2, abs=0.032)


def test_a_sentence_without_a_stop_keeps_its_last_word() -> None:
    """Whatever the chance."""
    example = PairExample(EXAMPLE.source, (1, 2))

    assert example.source_ids(0.0, 1.0, random.Random(0)) == (20, 6, 21, 10)


def test_the_longest_side_counts_with_all_that_may_be_added() -> None:
    """Words in characters, the begin symbol before the target."""
    assert EXAMPLE.longest == 7
    assert PairExample((((4,),),), (1,) * 9).longest == 10
