"""The axis of steps: snapshots evenly spaced, other steps between them by their logarithm."""

import math

import pytest

from explorer.picture.layout.head_diary import rows_of
from explorer.picture.layout.step_axis import step_axis, thinned
from explorer.picture.layout.step_curves import plane_of
from explorer.picture.marks import Rect
from tests.picture.trainings import CURVES, DIARY, STEPS

AREA = Rect(0, 0, 500, 200)  # 60 px at the left and 108 at the right leave 332, or 83 for each of four snapshots


def test_snapshots_stand_evenly_and_other_steps_between_them() -> None:
    """√(11 · 101) − 1 is half-way between 10 and 100, counted from 1 so that step 0 has a logarithm."""
    axis = step_axis(STEPS, 10, AREA)
    assert axis.drawn == STEPS
    assert [float(axis.x(step)) for step in STEPS] == pytest.approx([101.5, 184.5, 267.5, 350.5])
    between = math.sqrt(11 * 101) - 1
    assert float(axis.x(between)) == pytest.approx((267.5 + 350.5) / 2)
    assert axis.step((267.5 + 350.5) / 2) == pytest.approx(between)


def test_a_place_means_its_nearest_snapshot() -> None:
    """Beyond the ends the first and the last one; without snapshots none."""
    axis = step_axis(STEPS, None, AREA)
    assert [axis.step_at(x) for x in (-10.0, 142.0, 144.0, 308.0, 310.0, 900.0)] == [0, 0, 1, 10, 100, 100]
    assert step_axis((), None, AREA).step_at(100.0) is None


def test_steps_after_the_last_snapshot_reach_the_edge() -> None:
    """A training that goes on has no snapshot of them yet; the snapshots stay where they are."""
    axis = step_axis(STEPS, None, AREA, last=300)
    assert float(axis.x(100)) == pytest.approx(350.5) and float(axis.x(300)) == pytest.approx(392.0)
    alone = step_axis((), None, AREA, last=300)
    assert [float(alone.x(step)) for step in (0, 300)] == pytest.approx([60.0, 392.0])


@pytest.mark.parametrize("most", [3, 4, 7, 59, 60, 100])
def test_a_thinned_axis_keeps_the_first_the_last_and_the_shown_snapshot(most: int) -> None:
    """In rising order, and as many as have room."""
    steps = tuple(range(0, 600, 10))
    for shown in steps:
        drawn = thinned(steps, shown, most)
        assert len(drawn) == min(most, len(steps)) and list(drawn) == sorted(set(drawn))
        assert {0, 590, shown} <= set(drawn)
    assert thinned(steps, 300, 1) == (590,)


@pytest.mark.parametrize("wide", [220, 500, 1000])
def test_frames_stand_below_the_steps_of_the_curves(wide: float) -> None:
    """A bend of the loss stands above the map of that snapshot."""
    area = Rect(0, 0, wide, 300)
    curves, diary = plane_of(CURVES, area).axis, rows_of(DIARY, area)
    for place, step in enumerate(diary.axis.drawn):
        frame = diary.map(0, place)
        assert float(curves.x(step)) == pytest.approx(frame.x + frame.wide / 2)
