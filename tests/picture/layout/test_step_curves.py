"""Curves of a training: means, values that are no numbers, names that do not lie over each other."""

import itertools

import attrs
import numpy as np
import pytest

from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.step_curves import draw_step_curves, drawn_line, mean_nearby, plane_of, tell_step
from explorer.picture.marks import Label, Path, Rect
from explorer.picture.theme import LIGHT
from explorer.picture.training_kinds import StepCurve, StepCurves
from tests.picture.examples import words
from tests.picture.trainings import CURVES, numbers

AREA = Rect(0, 0, 500, 200)


def drawn(picture: StepCurves, area: Rect = AREA) -> list[object]:
    sketch = Sketch(LIGHT, "", lambda text, size, bold: 0.5 * size * len(text))
    draw_step_curves(sketch, picture, words("en"), area)
    return list(sketch.marks)


def test_a_mean_is_over_the_finite_values_within_an_eighth_or_so() -> None:
    """Of 100 those from 88 to 112: 1 and 2; of 120 those from 105.6 to 134.4: 6 alone; of 1000 none."""
    at, values = numbers(90, 100, 110, 120), numbers(1, 2, np.nan, 6)
    np.testing.assert_allclose(mean_nearby(at, values, numbers(100, 120, 1000)), [1.5, 6.0, np.nan])


def test_values_stand_from_zero_to_the_largest() -> None:
    """The plot has 162 px of 200; 4 · 1.04 is its top."""
    plane = plane_of(CURVES, AREA)
    assert (plane.low, plane.high) == (0.0, pytest.approx(4.16))
    assert float(plane.y(0.0)) == 180.0 and float(plane.y(2.08)) == pytest.approx(99.0)
    assert float(plane.y(1e9)) == 18.0
    assert plane_of(attrs.evolve(CURVES, most=1.0), AREA).high == 1.0


def test_powers_stand_evenly_on_a_logarithmic_scale() -> None:
    """From the smallest positive value to the largest, with a fifth around them."""
    curve = StepCurve("norm", numbers(1, 10, 100), numbers(0.01, 0.0, 10), "measure")
    plane = plane_of(attrs.evolve(CURVES, curves=(curve,), logarithmic=True), AREA)
    assert plane.low == pytest.approx(0.01 / 1.2) and plane.high == pytest.approx(12.0)
    assert float(plane.y(0.1) - plane.y(1)) == pytest.approx(float(plane.y(1) - plane.y(10)))
    assert plane.ticks() == pytest.approx([0.01, 0.1, 1.0, 10.0])


def test_values_that_are_no_numbers_are_told_and_break_nothing() -> None:
    """The first step without a number; a curve without any number has no line."""
    marks = drawn(CURVES)
    said = [mark.text for mark in marks if isinstance(mark, Label)]
    assert "training <&>: not a number from step 50" in said and "gone: not a number from step 0" in said
    for mark in marks:
        if isinstance(mark, Path):
            assert np.isfinite(mark.points).all()
    empty = StepCurve("empty", numbers(), numbers())
    for curves in ((), (empty,), (StepCurve("gone", numbers(1), numbers(np.nan)),)):
        for steps in ((), (0,), CURVES.steps):
            assert drawn(attrs.evolve(CURVES, curves=curves, steps=steps, shown=None), Rect(0, 0, 30, 10))


def test_a_long_log_has_as_many_points_as_a_screen_has_columns() -> None:
    """From its first step to its last; falling values stay in their order."""
    steps = np.arange(1, 20_001, dtype=np.float64)
    made, values = drawn_line(StepCurve("long", steps, 1 / steps))
    assert (made[0], made[-1]) == (1, 20_000) and len(made) <= 4096 and (np.diff(values) < 0).all()


def test_names_stand_below_each_other() -> None:
    """Seven curves that end at one height."""
    curves = tuple(StepCurve(f"curve {place}", numbers(0, 100), numbers(1, 1), "measure") for place in range(7))
    marks = drawn(attrs.evolve(CURVES, curves=curves))
    rows = sorted(mark.y for mark in marks if isinstance(mark, Label) and mark.text.startswith("curve"))
    assert len(rows) == 7 and min(after - before for before, after in itertools.pairwise(rows)) >= 14


def test_a_step_tells_all_values() -> None:
    """Each curve's own, or that of its step nearest to it; of a training the mean besides."""
    assert tell_step(CURVES, 11.0, words("en")).split("\n") == [
        "Step 10",
        "training <&>: 2 nat, mean nearby 2",
        "validation: 1 nat",
        "another: 2.5 nat",
        "gone: not a number (step 1)",
    ]
