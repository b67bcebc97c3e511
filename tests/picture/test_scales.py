"""From numbers to colours: the index of each value, and tables that everybody can read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from explorer.picture.scales import (
    ABOVE,
    BELOW,
    CENTRED,
    CLOSED,
    LEVELS,
    NOT_A_NUMBER,
    SEQUENTIAL,
    Scale,
    centred_scale,
    indices,
    outliers,
    robust_scale,
    table,
    unit_scale,
)

Colours = NDArray[np.float64]
_TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
_WHITE = np.array([0.95047, 1.0, 1.08883])  # D65
_MACHADO = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def linear(colours: str) -> Colours:
    """[level, 3] linear light from sRGB. IEC 61966-2-1."""
    share = table(colours) / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(light: Colours) -> Colours:
    """[level, 3] CIE L*a*b* of linear sRGB under D65. CIE 015:2018, section 8.2.1."""
    xyz = np.clip(light, 0, 1) @ _TO_XYZ.T / _WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def lightness(colours: str) -> Colours:
    return lab(linear(colours))[:, 0]


def assert_monotone(values: Colours) -> None:
    assert np.all(np.diff(values) > -0.6), np.diff(values).min()  # rounding to bytes moves L* by half a unit
    assert np.all(np.diff(values[::10]) > 0)


def assert_tellable(seen: Colours) -> None:
    """Any two of nine colours along a scale differ by ΔE 6 at least: 2.3 is just noticeable (Mahy et al. 1994)."""
    nine = seen[np.linspace(0, LEVELS - 1, 9).astype(int)]
    distance = np.linalg.norm(nine[:, None] - nine[None], axis=2) + np.eye(9) * 100
    assert distance.min() > 6, distance.min()


def slow_index(value: float, scale: Scale) -> int:
    """One value at a time, in float64."""
    if not np.isfinite(value):
        return NOT_A_NUMBER
    share = (value - scale.low) / (scale.high - scale.low)
    return min(max(int(np.floor(share * LEVELS)), 0), LEVELS - 1)


@given(
    arrays.arrays(np.float32, 12, elements=st.floats(-2.0, 3.0, width=32)),
    st.sampled_from([unit_scale("cividis"), Scale(-2.5, 2.5, "blue-red"), Scale(0.0, 0.00025, "viridis")]),
)
def test_an_index_is_that_of_a_computation_in_float64(values: NDArray[np.float32], scale: Scale) -> None:
    """A value on the very border of two colours may fall to either side."""
    slow = np.array([slow_index(float(value), scale) for value in values])
    assert np.abs(indices(values, scale).astype(int) - slow).max() <= 1
    inner = np.abs((values.astype(float) - scale.low) / (scale.high - scale.low) * LEVELS % 1 - 0.5) < 0.49
    assert np.array_equal(indices(values, scale)[inner], slow[inner])


def test_what_is_no_number_has_its_own_colour() -> None:
    """NaN and both infinities are never a data colour."""
    values = np.array([np.nan, np.inf, -np.inf, 0.5], np.float32)
    assert indices(values, unit_scale("cividis")).tolist() == [NOT_A_NUMBER] * 3 + [LEVELS // 2]


def test_closed_cells_are_closed_whatever_stands_in_them() -> None:
    """The mask wins over values and over NaN."""
    values = np.array([[0.0, np.nan], [1.0, -np.inf]], np.float32)
    closed = np.array([[True, True], [False, True]])
    assert indices(values, unit_scale("cividis"), closed).tolist() == [[CLOSED, CLOSED], [LEVELS - 1, CLOSED]]


def test_the_ends_of_a_scale_are_the_ends_of_the_table() -> None:
    """And values beyond take the end colours."""
    values = np.array([-9.0, -2.0, 0.0, 2.0, 9.0], np.float32)
    assert indices(values, Scale(-2.0, 2.0, "blue-red")).tolist() == [0, 0, LEVELS // 2, LEVELS - 1, LEVELS - 1]


@pytest.mark.parametrize("reach", [1e-38, 1e-30, 1.0, 1e30, 3e38])
def test_a_centred_scale_holds_at_any_magnitude(reach: float) -> None:
    """The smallest and the largest float32 neither overflow nor warn."""
    values = np.array([-reach, 0.0, reach], np.float32)
    assert indices(values, centred_scale(values, "blue-red")).tolist() == [0, LEVELS // 2, LEVELS - 1]


def test_an_all_zero_array_is_the_middle_colour() -> None:
    """Its scale is ±1, for a scale needs a width."""
    values = np.zeros((3, 4), np.float32)
    scale = centred_scale(values, "blue-red")
    assert (scale.low, scale.high, scale.centred) == (-1.0, 1.0, True)
    assert set(indices(values, scale).ravel()) == {LEVELS // 2}


@pytest.mark.parametrize("values", [[], [np.nan], [np.inf, -np.inf]])
def test_a_scale_needs_no_finite_value(values: list[float]) -> None:
    """Nothing to measure is ±1 as well."""
    assert centred_scale(np.array(values, np.float32), "blue-red") == Scale(-1.0, 1.0, "blue-red")


def test_a_centred_scale_takes_the_largest_finite_magnitude() -> None:
    """An infinity does not stretch it."""
    assert centred_scale(np.array([1.0, -3.0, np.inf, np.nan], np.float32), "blue-red").low == -3.0


@pytest.mark.parametrize("colours", SEQUENTIAL)
def test_a_sequential_table_grows_lighter_all_the_way(colours: str) -> None:
    """More is lighter: in CIE L*, so that it reads in grey too."""
    assert_monotone(lightness(colours))


def test_the_check_of_lightness_can_fail() -> None:
    """A centred table goes up and down, and so does a table with one flaw."""
    with pytest.raises(AssertionError):
        assert_monotone(lightness("blue-red"))
    flawed = lightness("viridis")
    flawed[100] += 5
    with pytest.raises(AssertionError):
        assert_monotone(flawed)


@pytest.mark.parametrize("colours", CENTRED)
def test_a_centred_table_is_as_light_on_both_sides(colours: str) -> None:
    """+x and −x look equally strong: their L* differ by 12 at most, and each arm goes one way from the middle."""
    light = lightness(colours)
    assert np.abs(light - light[::-1]).max() < 12
    middle = LEVELS // 2
    outward = np.sign(light[0] - light[middle])
    assert_monotone(outward * light[middle:])
    assert_monotone(outward * light[middle::-1])


@pytest.mark.parametrize("colours", SEQUENTIAL + CENTRED)
@pytest.mark.parametrize("vision", sorted(_MACHADO))
def test_people_without_red_or_green_can_tell_the_colours(colours: str, vision: str) -> None:
    """Simulated with severity 1.0 of Machado, Oliveira and Fernandes 2009, table 1."""
    assert_tellable(lab(linear(colours) @ np.array(_MACHADO[vision]).T))


def test_the_check_of_colour_vision_can_fail() -> None:
    """A table from red to green of one lightness is what deuteranopia cannot read."""
    ramp = np.linspace(0, 1, LEVELS)[:, None]
    red, green = np.array([0.30, 0.05, 0.05]), np.array([0.05, 0.12, 0.05])
    with pytest.raises(AssertionError):
        assert_tellable(lab((red + (green - red) * ramp) @ np.array(_MACHADO["deuteranopia"]).T))


def test_a_few_outliers_do_not_blank_the_others() -> None:
    """One feature of ±140 among thousands around ±1: the scale is theirs, the outliers have colours of their own."""
    values = np.random.default_rng(0).normal(size=(20, 256)).astype(np.float32)
    values[:, 7], values[:, 9] = 140, -135
    scale = robust_scale(values, "blue-red")

    assert 2 < scale.high < 6 and scale.low == -scale.high and scale.reach == 140
    index = indices(values, scale)
    assert (index[:, 7] == ABOVE).all() and (index[:, 9] == BELOW).all()
    rest = np.delete(index, [7, 9], axis=1)
    assert (rest < LEVELS).mean() > 0.99 and len(np.unique(rest)) > 200
    assert len(np.unique(indices(values, centred_scale(values, "blue-red"))[:, :7])) < 20  # what it was: all but blank


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).normal(size=(20, 256)).astype(np.float32),
        np.zeros((3, 3), np.float32),
        np.full((2, 2), np.nan, np.float32),
        np.zeros((0, 4), np.float32),
        np.array([[1.0, 0, 0, 0]], np.float32),
    ],
    ids=["usual", "zero", "NaN", "nothing", "one number"],
)
def test_without_outliers_the_scale_is_the_whole_range(values: np.ndarray) -> None:
    """Nothing is cut off, and nothing has an outlier's colour."""
    scale = robust_scale(values, "blue-red")
    assert scale == centred_scale(values, "blue-red")
    assert not np.isin(indices(values, scale), (ABOVE, BELOW)).any()


@pytest.mark.parametrize("colours", CENTRED)
def test_outliers_look_like_no_value(colours: str) -> None:
    """Their colours go beyond the ends of the scale, and differ from all of it and from each other."""
    below, above = outliers(colours).astype(int)
    for colour in (below, above):
        assert np.abs(table(colours).astype(int) - colour).sum(axis=1).min() > 40
    assert np.abs(below - above).sum() > 20
