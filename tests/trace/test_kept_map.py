"""One array as far as it was kept: each way of keeping it answers what is there, and nothing that is not."""

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.config import MASK_VALUES
from explorer.errors import NotKept, UnknownHead, UnknownTap
from explorer.trace.arrays import frozen_array
from explorer.trace.kept_map import KeptMap
from explorer.trace.levels import closed_levels
from explorer.trace.trace import Trace
from tests.picture.examples import example

BASE = "decoder.layers.0.self_attn"
LATER = np.triu(np.ones((40, 50), bool), 1)


def noise(*shape: int) -> NDArray[np.float32]:
    return frozen_array(np.random.default_rng(7).normal(size=shape))


def weights(**kept: object) -> KeptMap:
    return KeptMap(tap=f"{BASE}.weights", shape=(3, 40, 50), **kept)  # type: ignore[arg-type]  # by name


def test_of_an_array_that_is_there_everything_is_known() -> None:
    """Each head, and the extremes; it is small, and so there are no levels."""
    array = noise(3, 40, 50)
    kept = weights(array=array)

    assert kept.has_heads
    assert all(np.shares_memory(kept.head(head), array) for head in range(3))  # type: ignore[arg-type]  # it is there
    assert kept.extremes is array
    assert (kept.painted(0), kept.closed) == (None, None)


def test_of_a_shape_alone_nothing_else_is_known() -> None:
    """Neither a head, nor levels, nor extremes, nor a closed cell."""
    kept = weights()

    assert kept.shape == (3, 40, 50)
    assert [kept.head(0), kept.painted(0), kept.extremes, kept.closed] == [None] * 4


def test_of_blocks_no_cell_is_known() -> None:
    """They have the extremes; what is painted cell by cell is not there."""
    kept = weights()
    kept = attrs.evolve(kept, levels=kept.levels_of(noise(3, 10, 13), block=4))

    assert kept.levels is not None
    assert (kept.levels.block, kept.levels.shape) == (4, (40, 50))
    assert [kept.head(1), kept.painted(1)] == [None, None]
    assert kept.extremes is kept.levels.arrays[-1]


def test_a_close_up_is_of_its_head_alone() -> None:
    """Its cells and its levels; the other heads stay as they are, and so does the map that it was added to."""
    cells = noise(40, 50)
    before = weights()
    kept = before.with_close_ups({2: before.levels_of(cells)})

    assert kept.head(2) is cells
    assert kept.painted(2) is kept.close_ups[2]
    assert [kept.head(1), kept.painted(1)] == [None, None]
    assert not before.close_ups
    assert kept.extremes is not None
    assert kept.extremes.max() == cells.max()
    both = kept.with_close_ups({0: kept.levels_of(noise(40, 50))})
    assert set(both.close_ups) == {0, 2}


def test_levels_of_cells_are_each_heads_own() -> None:
    """Of a large map that was kept: finest are the cells of the head that is asked for."""
    array = noise(3, 40, 50)
    kept = weights(array=array).with_levels()
    painted = kept.painted(1)

    assert painted is not None
    np.testing.assert_array_equal(painted.arrays[0], array[1])
    assert kept.extremes is not None
    assert kept.extremes.max() == array.max()


def test_an_array_without_heads_is_painted_whole() -> None:
    """An embedding has no head; its levels are signed, those of weights are not."""
    array = frozen_array(-np.abs(noise(40, 50)))
    kept = KeptMap(tap="encoder.embedding.output", shape=(40, 50), array=array).with_levels()

    assert not kept.has_heads
    assert kept.painted(0) is kept.levels
    assert kept.extremes is not None
    assert kept.extremes.min() == array.min()
    assert weights().levels_of(array).arrays[-1].min() > array.min()


@pytest.mark.parametrize("value", MASK_VALUES.values())
def test_closed_cells_come_from_a_mask_or_from_masked_scores(value: float) -> None:
    """Both say the same; -inf and -1e9 alike."""
    masked = np.where(LATER, np.float32(value), noise(40, 50))
    array = np.where(LATER, np.float32(0), np.float32(0.1)) * np.ones((3, 1, 1), np.float32)
    for kept in (weights(array=array, masked=masked), weights(mask=closed_levels(LATER))):
        assert kept.closed is not None
        np.testing.assert_array_equal(kept.closed, LATER)


def test_a_row_that_is_left_nothing_has_weights_all_the_same() -> None:
    """Where -1e9 closes a whole row its weights are even: they are numbers to be seen, and its scores are closed."""
    closed = LATER.copy()
    closed[5] = True
    masked = np.where(closed, np.float32(-1e9), noise(40, 50))
    array = np.where(closed, np.float32(0), np.float32(0.1)) * np.ones((3, 1, 1), np.float32)
    array[:, 5] = 1 / 50
    shown = weights(array=array, masked=masked).closed
    scores = KeptMap(tap=f"{BASE}.masked", shape=(3, 40, 50), array=np.stack([masked] * 3), masked=masked).closed

    assert shown is not None and not shown[5].any()
    np.testing.assert_array_equal(np.delete(shown, 5, 0), np.delete(closed, 5, 0))
    np.testing.assert_array_equal(scores, closed)


def test_a_mask_that_closes_nothing_is_none() -> None:
    """Nothing is drawn in the colour of closed cells then."""
    assert weights(array=noise(3, 40, 50), masked=noise(40, 50)).closed is None


def test_a_trace_answers_for_every_tap() -> None:
    """A short text has all of each, and no map that is not simply its array."""
    trace = example()
    assert trace.whole
    assert not trace.maps
    for tap in trace.names():
        kept = trace.map(tap)
        assert (kept.tap, kept.shape) == (tap, trace.shape(tap))
        assert kept.array is trace[tap]
        causal = tap.startswith("decoder.layers.") and ".self_attn." in tap
        assert (kept.closed is not None) == (causal and tap.endswith((".masked", ".weights", ".dropped")))
        assert trace.map(tap) is kept
    other = attrs.evolve(trace, arrays={tap: -array for tap, array in trace.arrays.items()})
    assert all(other.map(tap).array is other[tap] for tap in other.names())
    for unknown in ("no.tap", ["a"], None):
        with pytest.raises(UnknownTap):
            trace.map(unknown)  # type: ignore[arg-type]  # nobody's name


def test_a_trace_refuses_what_its_map_lacks() -> None:
    """The array, another head, and a head that no model has; with an error that says which."""
    tap = f"{BASE}.weights"
    trace = example()
    bare = KeptMap(tap=tap, shape=trace.shape(tap))
    close = bare.with_close_ups({1: bare.levels_of(trace.head(tap, 1))})
    arrays = {name: array for name, array in trace.arrays.items() if name != tap}
    thin: Trace = attrs.evolve(trace, arrays=arrays, maps={tap: close})

    assert not thin.whole
    assert thin.shape(tap) == trace.shape(tap)
    np.testing.assert_array_equal(thin.head(tap, 1), trace.head(tap, 1))
    with pytest.raises(NotKept):
        thin[tap]
    with pytest.raises(NotKept) as caught:
        thin.head(tap, 0)
    assert caught.value.head == 0
    with pytest.raises(UnknownHead):
        thin.head(tap, 99)
