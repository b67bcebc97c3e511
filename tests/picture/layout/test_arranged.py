"""Pictures arranged as their rectangles stand."""

import pytest

from explorer.picture.kinds import Picture
from explorer.picture.layout.arranged import Below, Beside, arrange, pictures_in
from explorer.picture.marks import Rect
from tests.golden.test_figures import PICTURES

A, B, C, D = (PICTURES[name] for name in ("heatmap", "bars", "waves", "tokens"))


def _names(arranged: object) -> object:
    if isinstance(arranged, Picture):
        return next(letter for letter, each in zip("ABCD", (A, B, C, D), strict=True) if each is arranged)
    assert isinstance(arranged, Below | Beside)
    return type(arranged).__name__, *map(_names, arranged.parts)


def test_two_columns_of_which_one_has_two_rows() -> None:
    """As on the attention page, whatever the order of the cards."""
    placed = [(C, Rect(300, 0, 200, 400)), (B, Rect(0, 208, 292, 192)), (A, Rect(0, 0, 292, 200))]
    made = arrange(placed)
    assert _names(made) == ("Beside", ("Below", "A", "B"), "C")
    assert isinstance(made, Beside) and made.shares == pytest.approx((292 / 492, 200 / 492))
    assert pictures_in(made) == (A, B, C)


def test_rows_come_before_columns() -> None:
    """A grid is read line by line."""
    placed = [(each, Rect(x, y, 100, 100)) for each, x, y in ((A, 0, 0), (B, 108, 0), (C, 0, 108), (D, 108, 108))]
    assert _names(arrange(placed)) == ("Below", ("Beside", "A", "B"), ("Beside", "C", "D"))


def test_what_no_line_divides_stands_below_each_other() -> None:
    """Four rectangles around a middle, as the vanes of a windmill."""
    vanes = ((A, Rect(0, 0, 200, 100)), (B, Rect(208, 0, 100, 200)), (C, Rect(108, 208, 200, 100)), (D, Rect(0, 108, 100, 200)))
    assert _names(arrange(vanes)) == ("Below", "A", "B", "D", "C")


def test_one_picture_is_itself_and_none_is_refused() -> None:
    """A page without pictures has no figure."""
    assert arrange([(A, Rect(0, 0, 1, 1))]) is A
    with pytest.raises(ValueError, match="no pictures"):
        arrange([])
