"""Zoom and pan as pure numbers."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.picture.layout.viewport import Viewport

_sizes = st.integers(1, 5000)
_shares = st.floats(0, 1)


@given(_sizes, _sizes, st.lists(st.tuples(_shares, _shares, st.floats(0.1, 10)), max_size=8))
def test_no_zoom_or_pan_leaves_the_map(columns: int, rows: int, steps: list[tuple[float, float, float]]) -> None:
    """Whatever is done, the visible rectangle lies inside the map and is not empty."""
    view = Viewport.whole(columns, rows)
    for x, y, factor in steps:
        view = view.zoomed(x * columns, y * rows, factor).moved((x - 0.5) * columns, (y - 0.5) * rows)

        assert -1e-6 <= view.left < view.right <= columns + 1e-6
        assert -1e-6 <= view.top < view.bottom <= rows + 1e-6


def test_the_cell_under_the_mouse_stays_where_it_is() -> None:
    """Zooming at (25, 10) keeps that place at the same share of the view."""
    view = Viewport.whole(100, 40).zoomed(25, 10, 2)

    assert 0.25 == (25 - view.left) / (view.right - view.left)
    assert 0.25 == (10 - view.top) / (view.bottom - view.top)
    assert 50 == view.right - view.left


def test_zooming_out_ends_at_the_whole_map() -> None:
    """In by eight, out by a hundred: everything is seen."""
    assert Viewport.whole(30, 20).zoomed(3, 3, 8).zoomed(9, 9, 0.01).is_whole
