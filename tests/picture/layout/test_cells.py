"""What a screen shows of a large map: at any zoom each pixel is the maximum of its cells, and closer the cells themselves."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.picture.layout.cells import VisibleArea, VisiblePart, at_most, part
from explorer.picture.scales import CLOSED, Scale, indices
from explorer.trace.levels import closed_levels, levels

UNIT, SIGNED = Scale(0.0, 1.0, "cividis"), Scale(-3.0, 3.0, "blue-red")


def noise(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(5).random(shape).astype(np.float32)


def assert_is_the_pooling(made: VisiblePart, values: NDArray[np.float32], scale: Scale, closed: NDArray[np.bool_]) -> None:
    """Each colour is that of the largest open cell (or the one farthest from zero) of the cells it stands for."""
    for row, column in np.ndindex(made.index.shape):
        top, left = made.top + row * made.down, made.left + column * made.across
        cut = np.s_[top : min(top + made.down, values.shape[0]), left : min(left + made.across, values.shape[1])]
        cells = values[cut][~closed[cut]]
        if not cells.size:
            assert made.index[row, column] == CLOSED
            continue
        best = cells[np.abs(cells).argmax()] if scale.centred else cells.max()
        assert made.index[row, column] == indices(np.array([best], np.float32), scale)[0]


VIEWS = [
    VisibleArea(0, 0, 150, 100, 60, 40),
    VisibleArea(0, 0, 150, 100, 1000, 1000),
    VisibleArea(0, 0, 150, 100, 10, 400),
    VisibleArea(0, 0, 150, 100, 400, 7),
    VisibleArea(30.4, 11.7, 90.2, 55.5, 20, 20),
    VisibleArea(149, 99, 150, 100, 50, 50),
]


@pytest.mark.parametrize(("view", "scale", "masked"), list(itertools.product(VIEWS, (UNIT, SIGNED), (False, True))))
def test_a_part_is_the_pooling_of_its_cells(view: VisibleArea, scale: Scale, masked: bool) -> None:
    """It covers what is seen, and no colour is finer than a pixel by more than its rounding."""
    values = noise(100, 150) if scale is UNIT else 6 * noise(100, 150) - 3
    closed = np.triu(np.ones((100, 150), bool), 20) if masked else np.zeros((100, 150), bool)
    if masked and scale is UNIT:
        values[closed] = 0
    made = part(levels(values, closed_levels(closed) if masked else None, signed=scale.centred), scale, view)

    assert_is_the_pooling(made, values, scale, closed)
    assert made.left <= view.left and made.top <= view.top
    assert made.right >= min(view.right, 150) and made.bottom >= min(view.bottom, 100)
    cells_a_pixel = (view.right - view.left) / view.wide_px
    assert made.across >= min(cells_a_pixel, 1) and made.across < 4 * max(cells_a_pixel, 1)


def test_closer_than_a_pixel_the_cells_themselves_are_shown() -> None:
    """None is left out and none is merged."""
    values = noise(100, 150)
    made = part(levels(values, signed=False), UNIT, VisibleArea(10, 20, 40, 50, 600, 600))

    assert (made.across, made.down) == (1, 1)
    assert np.array_equal(made.index, indices(values[20:50, 10:40], UNIT))


def test_of_blocks_the_blocks_are_all_there_is() -> None:
    """Zoomed further than they go, they are shown as they are."""
    values = noise(1, 50, 50)
    made = part(levels(values, signed=False, block=8, shape=(397, 397)).of(0), UNIT, VisibleArea(0, 0, 397, 397, 4000, 4000))

    assert (made.across, made.down, made.right, made.bottom) == (8, 8, 397, 397)
    assert np.array_equal(made.index, indices(values[0], UNIT))


def test_a_figure_takes_the_finest_level_that_it_has_room_for() -> None:
    """And says how many cells its blocks have."""
    made = levels(noise(2, 300, 200), signed=False)
    values, closed, block = at_most(made, 128)

    assert (values.shape, closed, block) == ((2, 75, 50), None, 4)
    assert at_most(made, 1)[0].shape == made.arrays[-1].shape
