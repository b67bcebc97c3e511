"""A matrix that is read in slabs against the whole of it."""

from itertools import pairwise

import attrs
import numpy as np
import pytest

from explorer.trace.arrays import Array
from explorer.trace.found.matrix_reader import MatrixReader
from explorer.trace.found.parameters import Parameter, ParameterNumbers, pooling, slabs
from explorer.trace.measures.measures import summary


@attrs.frozen(eq=False)
class Whole:
    """The rows of an array, and the spans that were asked for."""

    array: Array
    spans: list[tuple[int, int]] = attrs.field(factory=list)

    def span(self, first: int, end: int) -> Array:
        self.spans.append((first, end))
        return self.array[first:end]


def read(array: Array) -> tuple[ParameterNumbers, Whole]:
    rows = Whole(array)
    reader = MatrixReader(rows, Parameter("a", array.shape, ("out", "in"), "float32"), 0)
    while not reader.step():
        pass
    return reader.found(), rows


@pytest.mark.parametrize("shape", [(1, 5), (300, 70), (2500, 2100), (9, 500_001)])
def test_what_was_read_is_the_whole_matrix(shape: tuple[int, int]) -> None:
    """Its figures; its numbers, or of each block of a large one the number that is farthest from zero."""
    array = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    found, rows = read(array)
    about = summary(array)
    np.testing.assert_allclose(
        (found.summary.low, found.summary.high, found.summary.mean, found.summary.deviation),
        (about.low, about.high, about.mean, about.deviation),
        rtol=1e-9,
        atol=1e-12,
    )
    counted = found.histogram
    assert int(counted.counts.sum()) + counted.below + counted.above == array.size
    block = found.block
    assert (block == 1) == (array.size <= 2**22)
    for row, column in np.random.default_rng(1).integers(0, found.values.shape, (200, 2)):
        own = array[row * block : (row + 1) * block, column * block : (column + 1) * block].ravel()
        assert found.values[row, column] == own[np.abs(own).argmax()]
    assert found.values.shape == tuple(-(-size // block) for size in shape)
    assert rows.spans == [*slabs(found.parameter)] * 2


def test_a_slab_has_whole_blocks_and_bounded_size() -> None:
    """So that the thread can be stopped between two of them, and no cell is made of two."""
    parameter = Parameter("a", (200_000, 1024), ("vocab", "feature"), "float32")
    spans, block = slabs(parameter), pooling(parameter)
    assert spans[0][0] == 0 and spans[-1][1] == 200_000
    assert all(end == first for (_, end), (first, _) in pairwise(spans))
    assert all(first % block == 0 for first, _ in spans)
    assert max((end - first) * 1024 for first, end in spans) <= 2**21


def test_a_model_that_is_changed_later_leaves_what_was_read() -> None:
    """The numbers are a copy, though rows are seen in the model's own memory."""
    array = np.ones((4, 4), np.float32)
    found, _rows = read(array)
    array[:] = 2
    assert (found.values == 1).all()
