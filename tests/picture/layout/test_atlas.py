"""The wall of thumbnails as one image."""

import numpy as np
import pytest

from explorer.picture.kinds import HeadGrid
from explorer.picture.layout.atlas import Atlas, atlas
from explorer.picture.scales import CLOSED, GAP, indices
from tests.picture.examples import wall


def assert_maps_back(made: Atlas, grid: HeadGrid) -> None:
    """The slow twin: every pixel, one after the other."""
    colours = [indices(layer, grid.scale, np.broadcast_to(grid.closed, layer.shape)) for layer in grid.values]
    seen = set()
    for (row, column), index in np.ndenumerate(made.index):
        found = made.find(row, column)
        if found is None:
            assert index == GAP
            continue
        layer, head, query, key = found
        assert index == colours[layer][head, query, key]
        assert (index == CLOSED) == grid.closed[query, key]
        seen.add(found)
    assert len(seen) == grid.values.size


@pytest.mark.parametrize(("layers", "heads", "n"), [(2, 4, 5), (1, 1, 1), (3, 2, 17)])
def test_every_pixel_leads_back_to_its_cell(layers: int, heads: int, n: int) -> None:
    """Layer, head, query and key are found again, with the colour of their value, and no cell is left out."""
    grid = wall(layers, heads, n)
    assert_maps_back(atlas(grid), grid)


def test_the_check_of_the_atlas_can_fail() -> None:
    """One wrong pixel is enough."""
    grid = wall(2, 2, 4)
    made = atlas(grid)
    made.index[0, 0] ^= 1
    with pytest.raises(AssertionError):
        assert_maps_back(made, grid)


@pytest.mark.parametrize("place", [(-1, 0), (0, -0.5), (11, 0), (0, 11), (5, 0), (0, 5.5)])
def test_there_is_nothing_outside_and_between(place: tuple[float, float]) -> None:
    """Two heads and layers of five tokens with a gap of one are eleven pixels each way."""
    made = atlas(wall(2, 2, 5))
    assert made.index.shape == (11, 11)
    assert made.find(*place) is None


def test_a_place_within_a_pixel_is_that_pixel() -> None:
    """A mouse stands between whole numbers."""
    assert atlas(wall(2, 2, 5)).find(6.99, 0.01) == (1, 0, 0, 0)


def test_a_wall_of_unequal_sides_maps_back() -> None:
    """Across, there are more keys than queries, and no mask."""
    values = np.random.default_rng(1).random((2, 3, 2, 7), np.float32)
    base = wall(2, 3, 7)
    grid = HeadGrid(
        values=values, rows=base.rows, columns=base.columns, scale=base.scale, caption=base.caption, layers=(0, 1), chosen=None
    )
    made = atlas(grid)
    assert CLOSED not in made.index
    place = np.argwhere(made.index != GAP)[-1]
    assert made.find(*place) == (1, 2, 1, 6)
