"""What stands beside the cells of a map keeps to its room."""

import pytest

from explorer.picture.figure.marks import measured
from explorer.picture.layout.map_labels import axis_names, step_of
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Label
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


@pytest.mark.parametrize(("n", "room", "step"), [(10, 200, 1), (10, 100, 2), (1000, 10, 1500), (3, 0, 45)])
def test_as_many_labels_are_shown_as_fit(n: int, room: float, step: int) -> None:
    """Labels that need 15 px; a room of nothing counts as one px."""
    assert step_of(n, room, 15) == step
