"""Figures of blocks against NumPy's of the whole."""

import numpy as np
import pytest

from explorer.trace.arrays import Array
from explorer.trace.measures.measures import summary
from explorer.trace.measures.streamed import N_BINS, Streamed


def streamed(numbers: Array, step: int) -> Streamed:
    """Both rounds over blocks of `step` numbers."""
    made = Streamed()
    blocks = [numbers[first : first + step] for first in range(0, len(numbers), step)]
    for block in blocks:
        made.take(block)
    for block in blocks:
        made.count(block)
    return made


@pytest.mark.parametrize("step", [1, 7, 1000, 5000])
def test_blocks_have_the_figures_of_the_whole(step: int) -> None:
    """Also of numbers far from zero, whose squares would cancel, and of blocks that are alike or of one number."""
    rng = np.random.default_rng(0)
    numbers = (1e4 + rng.normal(size=5000)).astype(np.float32)
    made, whole = streamed(numbers, step).summary((5000,)), summary(numbers)
    assert (made.shape, made.low, made.high) == (whole.shape, whole.low, whole.high)
    np.testing.assert_allclose((made.mean, made.deviation), (whole.mean, whole.deviation), rtol=1e-9)


def test_every_number_is_counted_once() -> None:
    """In a bin of equal width, or beyond five deviations of the mean."""
    rng = np.random.default_rng(1)
    numbers = np.append(rng.normal(size=4000), [60.0, -70.0, 80.0]).astype(np.float32)
    found = streamed(numbers, 333).histogram()
    assert (found.below, found.above) == (1, 2)
    assert int(found.counts.sum()) == len(numbers) - 3 and len(found.counts) == N_BINS
    reach = 5 * numbers.std(dtype=np.float64)
    mean = numbers.mean(dtype=np.float64)
    np.testing.assert_allclose(found.edges[[0, -1]], [mean - reach, mean + reach], rtol=1e-6)
    assert np.array_equal(found.counts, np.histogram(numbers, found.edges)[0])


@pytest.mark.parametrize("numbers", [[2.0, 2.0, 2.0], [0.0], [np.nan, np.inf]])
def test_numbers_that_do_not_differ_have_a_histogram(numbers: list[float]) -> None:
    """Its edges rise, whatever there is to count."""
    found = streamed(np.array(numbers, np.float32), 2).histogram()
    assert (np.diff(found.edges) > 0).all()
    assert int(found.counts.sum()) == sum(map(np.isfinite, numbers))


def test_what_is_not_finite_is_a_share() -> None:
    """One of four is NaN, two are infinite, as in the figures of a whole array."""
    numbers = np.array([np.nan, -np.inf, np.inf, 3], np.float32)
    made, whole = streamed(numbers, 3).summary((4,)), summary(numbers)
    assert (made.nan_share, made.infinite_share) == (whole.nan_share, whole.infinite_share) == (0.25, 0.5)
    assert (made.low, made.high, made.mean, made.deviation) == (3, 3, 3, 0)
