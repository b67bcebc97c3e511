"""The numbers and pixels of layers: their shortcuts give what the long way gives."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.picture.marks import Rect
from explorer.picture.river.pixels import sheet, stretched
from explorer.picture.river.slabs import USUAL_SHARE, thickness, usual_top
from explorer.picture.scales import Scale, indices


def magnitudes(kind: str, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Units [token, unit] as models have them, and two that no sample is like."""
    drawn = np.random.default_rng(7).standard_normal(shape).astype(np.float32)
    match kind:
        case "relu":
            return np.maximum(drawn, 0)
        case "sparse":
            return np.maximum(drawn - 2.5, 0)
        case "few":  # All that is above 0 is less than the share beyond the usual number.
            return np.where(np.arange(drawn.size).reshape(shape) < 9, np.abs(drawn), 0)
        case "every fourth":  # Large just where a sample looks, so that it takes most numbers for small ones.
            return np.abs(drawn) + 9 * (np.arange(drawn.size).reshape(shape) % (drawn.size // 4096 or 1) == 0)
        case "alike":
            return np.full(shape, 0.25, np.float32)
        case _:
            return np.abs(drawn) ** 3


@pytest.mark.parametrize("kind", ["relu", "sparse", "few", "every fourth", "alike", "cubed"])
@pytest.mark.parametrize("shape", [(5, 32), (64, 3072), (17, 1031)])
def test_the_usual_number_is_that_of_a_sort(kind: str, shape: tuple[int, int]) -> None:
    units = magnitudes(kind, shape)
    assert usual_top(units) == np.sort(units, axis=None)[int(USUAL_SHARE * (units.size - 1))]


@pytest.mark.parametrize("n", [5, 40])
def test_cells_without_a_pixel_need_no_colour(n: int) -> None:
    """To colour all cells and then to choose, or the other way round, gives the same sheet."""
    rng = np.random.default_rng(3)
    weights, shut = rng.random((3, n, n)).astype(np.float32), np.triu(np.ones((n, n), bool), 1)
    weights[0, 0, 0] = np.nan
    scale, places = Scale(0.0, 1.0, "cividis"), tuple(Rect(20.0 * each, 0, 17, 17) for each in range(3))
    room = Rect(0, 0, 60, 20)
    _where, long_way = sheet(indices(weights, scale, shut), places, room)
    chosen = indices(stretched(weights, 17, 17), scale, stretched(shut, 17, 17))
    assert (sheet(chosen, places, room)[1] == long_way).all()


def test_a_vector_that_is_no_number_has_the_thinnest_lane() -> None:
    """Behind a row of a mask that closes all of it nothing is a number, and the river is painted all the same."""
    for longest in (2.0, float("nan")):
        river = SimpleNamespace(longest=longest)
        widths = thickness(np.array([[np.nan, 0.0, 2.0]], np.float32), river, 20.0)  # type: ignore[arg-type]  # All that it asks.
        assert np.isfinite(widths).all() and widths[0, 0] == widths[0, 1] == widths.min()
