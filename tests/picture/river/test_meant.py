"""What the tour outlines in the river: each name is a place in it, and the place lies inside the picture."""

import pytest

from explorer.lessons.lesson import Step
from explorer.lessons.read import read_lesson
from explorer.picture.makers.river import river
from explorer.picture.river.grid import lay_out
from explorer.picture.river.inside_grid import lay_out_inside
from explorer.picture.river.meant import meant_rects
from explorer.resources import asset
from explorer.state.look import Look
from tests.picture.examples import example, words

SIZES = [(718, 442), (1172, 716)]  # beside lessons in a window of 1024 × 700, and in one of usual size
STOPS = [
    step for step in read_lesson(asset("lessons/tour.toml")).steps if any(mark.startswith("river:") for mark in step.highlight)
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("step", STOPS, ids=lambda step: step.fact)
def test_each_outline_of_the_tour_has_a_place(step: Step, size: tuple[int, int]) -> None:
    """Also of an opened layer, in a model as large as the translator."""
    trace = example(target="I love T ian an men in Beijing", n_layers=3, n_heads=8, d_model=256, d_ff=1024)
    look = Look(**dict(step.settings.look)).fitted(trace)
    made = river(trace, look, words())
    inside = lay_out_inside(made, *size) if made.opened is not None else None
    names = tuple(mark.removeprefix("river:") for mark in step.highlight)
    rooms = meant_rects(names, lay_out(made, *size), inside)
    assert len(rooms) == len(names) and bool(look.opened) == (inside is not None)
    for room in rooms:
        assert room.wide > 20 and room.high > 20
        assert 0 <= room.x and 0 <= room.y and room.right <= size[0] and room.bottom <= size[1]


def test_a_name_without_a_column_is_no_outline() -> None:
    """A model of one side has no decoder."""
    trace = example("encoder-only")
    made = river(trace, Look().fitted(trace), words())
    assert meant_rects(("decoder", "no such"), lay_out(made, *SIZES[1])) == ()
