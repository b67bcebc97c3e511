"""Pooling held against loops written out: every block's maximum, closed cells left out, sizes that no block divides."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from explorer.engine.recording import pooling_recorder
from explorer.trace.levels import all_closed, blocks, closed_levels, levels, pooled

Array = NDArray[np.float32]


def noise(*shape: int) -> Array:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def plainly(values: Array, closed: NDArray[np.bool_], block: int, signed: bool) -> Array:
    """[row, column] block by block; NaN where all of it is closed."""
    rows, columns = (-(-size // block) for size in values.shape)
    made = np.full((rows, columns), np.nan, np.float32)
    for row, column in np.ndindex(rows, columns):
        cut = np.s_[row * block : (row + 1) * block, column * block : (column + 1) * block]
        cells = values[cut][~closed[cut]]
        if cells.size:
            made[row, column] = cells[np.abs(cells).argmax()] if signed else cells.max()
    return made


SHAPES = [(1, 1), (1, 7), (8, 8), (33, 64), (65, 31)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("block", [1, 2, 4, 16])
def test_unsigned_pooling_is_the_maximum(shape: tuple[int, int], block: int) -> None:
    """Of several maps at once."""
    values = np.abs(noise(3, *shape))
    for made, one in zip(pooled(values, block, signed=False), values, strict=True):
        assert np.array_equal(made, plainly(one, np.zeros(shape, bool), block, signed=False))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("block", [2, 8])
def test_signed_pooling_keeps_what_is_farthest_from_zero(shape: tuple[int, int], block: int) -> None:
    """With its sign; closed cells do not count, whatever stands in them."""
    closed = noise(*shape) > 0.3
    values = np.where(closed, np.float32(-1e9), noise(*shape))
    wanted = plainly(values, closed, block, signed=True)
    made = pooled(values, block, signed=True, closed=closed)

    assert np.array_equal(all_closed(closed, block), np.isnan(wanted))
    assert np.array_equal(made[~np.isnan(wanted)], wanted[~np.isnan(wanted)])


@pytest.mark.parametrize("stage", ["weights", "masked", "scores"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_recorders_pooling_is_the_same(stage: str, shape: tuple[int, int]) -> None:
    """The two were written apart: one works on tensors as they come, the other on arrays."""
    values = noise(2, *shape)
    closed = np.zeros(shape, bool)
    if stage == "masked":
        closed = np.triu(np.ones(shape, bool), 1)
        values[:, closed] = -np.inf
    shut = torch.from_numpy(closed) if stage == "masked" else None
    found = pooling_recorder.pooled(torch.from_numpy(values), 4, signed=stage != "weights", closed=shut).numpy()

    for made, one in zip(found, values, strict=True):
        wanted = plainly(one, closed, 4, stage != "weights")
        assert np.array_equal(made[~np.isnan(wanted)], wanted[~np.isnan(wanted)])
        assert (made[np.isnan(wanted)] == -np.inf).all()


ODD = st.sampled_from([np.float32(value) for value in (0, -1, 1, 3, -3, -1e9, np.inf, np.nan)])


@st.composite
def masked_maps(draw: st.DrawFn) -> tuple[Array, NDArray[np.bool_] | None]:
    """[head, row, column] maps of any numbers, infinities and NaN among them, and [row, column] which cells are closed."""
    shape = draw(st.integers(1, 3)), draw(st.integers(1, 40)), draw(st.integers(1, 40))
    values = draw(arrays.arrays(np.float32, shape, elements=ODD | st.floats(width=32), fill=ODD))
    return values, draw(st.none() | arrays.arrays(np.bool_, shape[1:]))


@settings(max_examples=150, deadline=None)
@given(masked_maps(), st.sampled_from((1, 2, 4, 8, 64)), st.booleans())
def test_both_poolings_are_one(drawn: tuple[Array, NDArray[np.bool_] | None], block: int, signed: bool) -> None:
    """Of whatever numbers, sizes and masks, to the last bit: the array's rule is the tensor's."""
    values, closed = drawn
    shut = None if closed is None else torch.from_numpy(closed)
    found = pooling_recorder.pooled(torch.from_numpy(values), block, signed=signed, closed=shut).numpy()

    np.testing.assert_array_equal(pooled(values, block, signed=signed, closed=closed), found)


def test_a_difference_of_the_two_would_be_found() -> None:
    """Without its mask a block shows a closed cell, and pooled as an unsigned map it loses what is far below zero."""
    values, closed = noise(1, 8, 8), np.zeros((8, 8), bool)
    values[0, 3, 3], closed[3, 3] = -9, True
    right = pooling_recorder.pooled(torch.from_numpy(values), 4, signed=True, closed=torch.from_numpy(closed)).numpy()

    np.testing.assert_array_equal(pooled(values, 4, signed=True, closed=closed), right)
    assert not np.array_equal(pooled(values, 4, signed=True), right)
    assert not np.array_equal(pooled(values, 4, signed=False), right)


@pytest.mark.parametrize("signed", [True, False])
def test_a_cell_that_is_no_number_is_not_lost_among_others(signed: bool) -> None:
    """It makes its block, and no other, one that is none; but not where a mask has closed it."""
    values, closed = noise(1, 8, 8), np.zeros((8, 8), bool)
    values[0, 2, 5] = np.nan
    assert np.isnan(pooled(values, 4, signed=signed)).tolist() == [[[False, True], [False, False]]]
    closed[2, 5] = True
    if signed:
        assert not np.isnan(pooled(values, 4, signed=True, closed=closed)).any()


@pytest.mark.parametrize("block", [(4, 1), (1, 8), (2, 16)])
def test_a_block_may_be_longer_one_way(block: tuple[int, int]) -> None:
    """A screen may show a map from further away in one direction than in the other."""
    values, (down, across) = noise(33, 65), block
    wanted = [[values[r : r + down, c : c + across].max() for c in range(0, 65, across)] for r in range(0, 33, down)]

    assert np.array_equal(pooled(values, block, signed=False), wanted)


def test_levels_go_down_to_what_any_screen_has_room_for() -> None:
    """Each twice as coarse as the one before; the mask goes with them; nobody can write to them."""
    values = noise(2, 200, 90)
    mask = closed_levels(np.triu(np.ones((200, 90), bool)))
    made = levels(values, mask, signed=True)

    assert [array.shape for array in made.arrays] == [(2, 200, 90), (2, 100, 45), (2, 50, 23), (2, 25, 12)]
    assert made.closed is not None and [each.shape for each in made.closed] == [(200, 90), (100, 45), (50, 23), (25, 12)]
    assert (made.whole, made.shape, made.of(1).arrays[0].shape) == (True, (200, 90), (200, 90))
    assert not any(array.flags.writeable for array in made.arrays)


def test_levels_of_blocks_know_the_map_behind_them() -> None:
    """Blocks of four: the mask begins at its own level of four."""
    mask = closed_levels(np.triu(np.ones((400, 400), bool)))
    made = levels(noise(1, 100, 100), mask, signed=False, block=4, shape=(400, 400))

    assert (made.whole, made.shape, made.block) == (False, (400, 400), 4)
    assert made.closed is not None and made.closed[0].shape == (100, 100)


def test_one_bright_cell_is_in_every_level() -> None:
    """That is what the maximum is for."""
    values = np.zeros((1000, 777), np.float32)
    values[613, 421] = 1

    assert all(array.max() == 1 for array in levels(values, signed=False).arrays)
    assert all(array.min() == -1 for array in levels(-values, signed=True).arrays)


def test_blocks_cover_everything_once() -> None:
    """The last one is as long as what is left."""
    assert list(blocks(10, 4)) == [(0, 4), (4, 8), (8, 10)]
