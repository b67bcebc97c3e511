"""Names beside the right ends of curves: near their ends, apart from each other, and inside."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from explorer.picture.layout.curve_names import name_places

HEIGHTS = st.lists(st.floats(0, 150), max_size=9)


@given(HEIGHTS)
def test_names_stand_apart_and_inside_in_the_order_of_the_ends(ends: list[float]) -> None:
    """Nine names of 15 px have room in 150 px."""
    placed = name_places(ends, 15, 0, 150)
    order = sorted(range(len(ends)), key=lambda index: ends[index])
    assert all(placed[below] - placed[above] >= 15 - 1e-6 for above, below in pairwise(order))
    assert all(-1e-6 <= each <= 150 for each in placed)


def test_a_name_that_has_room_stands_at_its_end() -> None:
    """Only names that would touch leave their ends."""
    assert name_places([20, 100, 60], 15, 0, 150) == [20, 100, 60]
    assert name_places([50, 50, 100], 15, 0, 150) == [50, 65, 100]


def test_too_many_names_stand_closer() -> None:
    """They are still inside, one below the other."""
    assert name_places([0.0] * 5, 15, 0, 40) == [0, 10, 20, 30, 40]
