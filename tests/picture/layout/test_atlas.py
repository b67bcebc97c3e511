"""The wall of thumbnails as one image."""

import itertools

import attrs
import numpy as np
import pytest

from explorer.picture.kinds import HeadGrid, Measured
from explorer.picture.layout.atlas import LABEL_PX, PLAIN, Atlas, Fold, atlas, best_fold, places
from explorer.picture.makers.head_measures import falling
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


@pytest.mark.parametrize("fold", [Fold(4, 1), Fold(2, 1), Fold(1, 3), Fold(8, 2), Fold(4, 2), Fold(2, 3)])
def test_every_pixel_of_a_folded_wall_leads_back(fold: Fold) -> None:
    """However the heads of a layer and the layers are laid out; corners are where thumbnails begin."""
    grid = wall(3, 8, 5)
    made = atlas(grid, fold)
    assert_maps_back(made, grid)
    for layer in range(3):
        for head in range(8):
            assert made.find(*made.corner(layer, head)) == (layer, head, 0, 0)
    twin = places(grid, fold)
    assert (made.height, made.width) == made.index.shape == (twin.height, twin.width)


def thumbnail_px(fold: Fold, wide: float, high: float, layers: int, heads: int) -> float:
    """The side of a square thumbnail, from the counts alone: gaps of an eighth, but none behind the last."""
    down, across = -(-layers // fold.beside) * (heads // (fold.per_line or heads)), fold.beside * (fold.per_line or heads)
    return min(wide / (across * 9 / 8 - 1 / 8), high / (down * 9 / 8 - 1 / 8))


@pytest.mark.parametrize(
    ("layers", "heads", "wide", "high"),
    [(6, 8, 400, 1200), (3, 8, 500, 700), (12, 1, 1200, 300), (2, 4, 600, 300), (64, 32, 500, 900)],
)
def test_a_wall_is_folded_where_its_thumbnails_grow(layers: int, heads: int, wide: float, high: float) -> None:
    """No other fold gives thumbnails of 1.7 times the area, by a second computation of their size."""
    chosen = best_fold(wall(layers, heads, 8), wide, high)
    size = thumbnail_px(chosen, wide, high, layers, heads)
    for per_line in (n for n in range(1, heads + 1) if heads % n == 0):
        for beside in range(1, min(layers, 4) + 1):
            assert (
                thumbnail_px(Fold(per_line, beside), wide, high, layers, heads) <= size * 1.31
            )  # the area of a thumbnail would grow 1.7 times


def test_a_wall_that_fits_is_not_folded() -> None:
    """Layers downward and heads to the right, as everybody expects them."""
    assert best_fold(wall(3, 8, 8), 800, 300) == PLAIN
    assert best_fold(wall(6, 8, 8), 400, 1200) != PLAIN


def measured(grid: HeadGrid, *, in_order: bool) -> HeadGrid:
    """The wall with a measure of its own for each head, sorted by it or not."""
    values = np.random.default_rng(5).random(grid.values.shape[:2])
    order = falling(values) if in_order else ()
    return attrs.evolve(grid, measured=Measured(key="first", name="first", formula="A", values=values, order=order))


@pytest.mark.parametrize("per_line", [0, 1, 3, 5, 12, 20])
def test_every_pixel_of_a_sorted_wall_leads_back(per_line: int) -> None:
    """However many heads stand in a line, and with the largest measure first."""
    grid = measured(wall(3, 4, 5), in_order=True)
    made = atlas(grid, Fold(per_line, gap_rows=2))
    assert_maps_back(made, grid)
    values, n = grid.measured.values, per_line or 4  # type: ignore[union-attr]  # it is measured
    found = [made.thumbnail(*divmod(place, n)) for place in range(13)]
    assert found[12] is None and made.thumbnail(0, -1) is None and made.thumbnail(0, n) is None
    assert [values[place] for place in found[:12]] == sorted(values.ravel(), reverse=True)  # type: ignore[index]  # none is None
    assert all(made.find(*made.corner(*place)) == (*place, 0, 0) for place in found[:12])  # type: ignore[misc]  # none is None


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize(
    ("layers", "heads", "wide", "high"), [(3, 8, 480, 230), (6, 8, 400, 900), (1, 1, 300, 300), (12, 12, 900, 700)]
)
def test_labels_have_room_between_the_lines(layers: int, heads: int, wide: float, high: float, in_order: bool) -> None:
    """The gap takes as many px as a label; a plain wall that is not measured keeps its small gap."""
    grid = measured(wall(layers, heads, 8), in_order=in_order)
    made = places(grid, best_fold(grid, wide, high, 2.4))
    cell_px = min(wide / made.width, high / made.height)
    assert (made.pitch_rows - made.n_rows) * cell_px > LABEL_PX * 0.8
    assert made.is_folded or not in_order
    unmeasured = best_fold(wall(layers, heads, 8), wide, high, 2.4)
    assert unmeasured == PLAIN or unmeasured.gap_rows > 0


@pytest.mark.parametrize(("layers", "heads"), [(3, 8), (12, 12), (64, 1), (2, 32)])
def test_a_folded_wall_has_room_for_the_names_of_its_heads(layers: int, heads: int) -> None:
    """In any room, of any sentence: a plain wall has them at its edges, a folded one above each thumbnail."""
    folded = 0
    rooms = [(250, 50), (450, 215), (300, 800), (1200, 300), (60, 900)]
    for shape, (wide, high) in itertools.product([(25, 47), (10, 5), (8, 8), (200, 200)], rooms):
        grid = attrs.evolve(wall(layers, heads, 4), values=np.zeros((layers, heads, *shape)), closed=None)
        made = places(grid, best_fold(grid, wide, high, 2.4))
        cell_high = min(wide / made.width, high / made.height)
        cell_wide = min(wide / made.width, 2.4 * cell_high)
        folded += made.is_folded
        assert not made.is_folded or (made.pitch_rows - made.n_rows) * cell_high >= 11
        assert not made.is_folded or made.pitch_columns * cell_wide >= 6 * len(f"L{layers - 1} H{heads - 1}")
    assert folded


def test_a_wall_without_room_for_labels_has_none() -> None:
    """Sixty-four lines of labels are higher than the view, which keeps the plain gap."""
    assert best_fold(measured(wall(64, 1, 8), in_order=False), 10, 100).gap_rows == 0
