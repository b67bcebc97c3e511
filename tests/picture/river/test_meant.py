"""What the tour outlines in the river: each name is a place in it, and the place lies inside the picture."""

import pytest

from explorer.lessons.lesson import Step
from explorer.lessons.read import read_lesson
from explorer.picture.makers.river import river
from explorer.picture.marks import Label
from explorer.picture.river.draw import draw_river
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside import draw_inside
from explorer.picture.river.inside_grid import lay_out_inside
from explorer.picture.river.meant import meant_rects
from explorer.picture.river.scene import about_width
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


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("step", STOPS, ids=lambda step: step.fact)
def test_no_outline_of_the_tour_strikes_a_heading(step: Step, size: tuple[int, int]) -> None:
    """A number at the head of the next column stays outside, and the range above vectors inside."""
    trace = example(target="I love T ian an men in Beijing", n_layers=3, n_heads=8, d_model=256, d_ff=1024)
    look = Look(**dict(step.settings.look)).fitted(trace)
    made = river(trace, look, words())
    inside = lay_out_inside(made, *size) if made.opened is not None else None
    grid = lay_out(made, *size)
    colours = Colours("cividis", "blue-red")
    drawn = draw_inside(made, inside, words(), colours) if inside is not None else draw_river(made, grid, words(), colours)
    names = tuple(mark.removeprefix("river:") for mark in step.highlight)
    headings = [each for each in drawn.scene if isinstance(each, Label) and each.text and each.align == "left"]
    for room in meant_rects(names, grid, inside):
        for label in headings:
            across = label.y - label.px / 2 < room.bottom and room.y < label.y + label.px / 2
            edges = [room.x, room.right] if across else []
            assert not any(label.x - 1 < edge < label.x + about_width(label.text, label.px) - 1 for edge in edges), label
            along = room.x <= label.x < room.right
            assert not along or not label.y - 5 < room.y < label.y + 5, label


def test_a_name_without_a_column_is_no_outline() -> None:
    """A model of one side has no decoder."""
    trace = example("encoder-only")
    made = river(trace, Look().fitted(trace), words())
    assert meant_rects(("decoder", "no such"), lay_out(made, *SIZES[1])) == ()
