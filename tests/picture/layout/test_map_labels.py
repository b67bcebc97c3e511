"""What stands beside the cells of a map keeps to its room."""

import pytest

from explorer.picture.figure.marks import measured
from explorer.picture.layout.map_labels import axis_names, closed_meaning, step_of, unknown_meaning
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Box, Hatch, Label
from explorer.picture.theme import LIGHT


@pytest.mark.parametrize("edge", [400, 150])
def test_the_names_of_the_axes_end_before_the_card_does(edge: int) -> None:
    """Below a small map they begin further to the left; where there is room, they begin with the map."""
    sketch = Sketch(LIGHT, "", measured)
    end = axis_names(sketch, 100, 0, edge, ("next token", "key"), 13)

    (label,) = sketch.marks
    assert isinstance(label, Label)
    assert label.x + measured(label.text, label.px, False) <= edge and end - 16 <= edge
    assert (label.x >= 100) == (edge == 400)


@pytest.mark.parametrize("px", [13, 20, 27])
def test_no_line_below_a_map_stands_on_its_cells(px: int) -> None:
    """The line begins 6 px below them; letters for a hall are higher, and their samples are as large."""
    sketch = Sketch(LIGHT, "", measured)
    axis_names(sketch, 100, 0, 900, ("next token", "key"), px)
    closed_meaning(sketch, 400, 0, 900, ("masked",), px)
    unknown_meaning(sketch, 600, 0, 900, "not a number", px)

    labels = [mark for mark in sketch.marks if isinstance(mark, Label)]
    assert len(labels) == 3 and all(label.y - px / 2 > -6 for label in labels)
    swatches = [mark.rect for mark in sketch.marks if isinstance(mark, Hatch | Box)]
    assert len(swatches) == 2 and all(rect.y >= 0 and rect.high > 0.8 * px for rect in swatches)


@pytest.mark.parametrize(("n", "room", "step"), [(10, 200, 1), (10, 100, 2), (1000, 10, 1500), (3, 0, 45)])
def test_as_many_labels_are_shown_as_fit(n: int, room: float, step: int) -> None:
    """Labels that need 15 px; a room of nothing counts as one px."""
    assert step_of(n, room, 15) == step
