"""The plane of principal components, against NumPy's singular values, and what a Trace tells of neighbours."""

import attrs
import numpy as np
import pytest

from explorer.errors import NoSuchStep, NotLookedInto
from explorer.trace.vectors import SideVectors, Vectors, plane, unit
from tests.trace.runs import a_trace


@pytest.mark.parametrize("shape", [(40, 6), (5, 12), (2, 9), (200, 3), (60, 400)])
def test_the_plane_is_that_of_the_singular_value_decomposition(shape: tuple[int, int]) -> None:
    """The same directions up to their sign, and the squared singular values as shares."""
    points = np.random.default_rng(3).normal(size=shape) * np.arange(1, shape[1] + 1)
    mean, directions, shares = plane(points)
    singular, rows = np.linalg.svd(points - points.mean(0), full_matrices=False)[1:]
    assert mean == pytest.approx(points.mean(0))
    n_found = min(2, shape[0] - 1)  # Two points differ in one direction alone.
    assert directions.dtype == np.float64
    assert np.abs(np.sum(directions * rows[:2], axis=1))[:n_found] == pytest.approx([1, 1][:n_found], abs=1e-9)
    assert shares == pytest.approx(tuple(singular[:2] ** 2 / (singular**2).sum()), abs=1e-12)
    assert n_found < 2 or shares != pytest.approx(tuple(singular[:2] / singular.sum()))


def test_the_shares_are_those_of_the_variance_on_the_plane() -> None:
    """Computed a second time from the places, and the same points always give the same picture."""
    points = np.random.default_rng(4).normal(size=(50, 5)) * [5, 1, 1, 3, 1]
    mean, directions, shares = plane(points)
    places = (points - mean) @ directions.T
    assert shares == pytest.approx(tuple(places.var(axis=0) / points.var(axis=0).sum()))
    assert np.array_equal(plane(points[::-1])[1].round(9), directions.round(9))


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (1, 3)])
def test_points_that_are_all_alike_have_no_variance(shape: tuple[int, int]) -> None:
    """Nothing is divided by zero."""
    mean, directions, shares = plane(np.ones(shape))
    assert mean.tolist() == [1] * shape[1] and shares == (0.0, 0.0)
    assert np.isfinite(directions).all() and directions.shape == (2, shape[1])


def test_points_on_a_line_have_no_second_direction() -> None:
    """Fewer points than features, which differ in one direction: the other one has no share, and no place on it."""
    line = np.arange(5.0)[:, None] * np.array([3.0, 0, 0, 0, 4.0, 0, 0, 0])
    mean, directions, shares = plane(line)
    assert directions[0] == pytest.approx([0.6, 0, 0, 0, 0.8, 0, 0, 0]) and shares == pytest.approx((1.0, 0.0))
    assert (line - mean) @ directions[1] == pytest.approx(np.zeros(5), abs=1e-9)


def test_a_direction_has_length_one_and_nothing_stays_nothing() -> None:
    """[…, feature]"""
    made = unit(np.array([[[3.0, 4.0]], [[0.0, 0.0]]], np.float32))
    assert made == pytest.approx(np.array([[[0.6, 0.8]], [[0.0, 0.0]]]))


def found() -> SideVectors:
    """Two tokens by hand."""
    return SideVectors(
        tokens=("我", "爱"),
        ids=(5, 7),
        nearest=np.array([[6, 7], [8, 5]]),
        cosines=np.array([[0.9, 0.5], [0.25, -0.5]], np.float32),
        taps=("encoder.embedding.output",),
        path=np.zeros((1, 2, 2), np.float32),
        sampled=np.array([5, 6]),
        cloud=np.zeros((2, 2), np.float32),
        shares=(0.5, 0.25),
        n_symbols=9,
        names={5: "我", 6: "他", 7: "爱", 8: "喜欢"},
    )


def test_a_trace_tells_the_nearest_symbols_of_a_token() -> None:
    """With their cosines, nearest first; only where they were looked for, and of a token that is there."""
    trace = attrs.evolve(a_trace(), experiments={"vectors": Vectors({"encoder": found()})})
    assert trace.neighbours(1) == (("喜欢", 0.25), ("我", -0.5))
    assert trace.neighbours(0, "encoder")[0] == ("他", pytest.approx(0.9))
    with pytest.raises(NoSuchStep):
        trace.neighbours(2)
    with pytest.raises(NotLookedInto, match="vectors"):
        a_trace().neighbours(0)
