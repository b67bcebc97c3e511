"""Several pictures as one figure: which stand beside and which below each other, as on the page that shows them."""

import math
from collections.abc import Callable, Sequence

import attrs

from explorer.picture.kinds import Picture
from explorer.picture.marks import Rect

_Placed = tuple[Picture, Rect]
_TOUCH_PX = 1.0  # Rectangles that overlap by less stand beside each other.


@attrs.frozen(eq=False)
class Beside:
    """Parts from left to right, each with its share of the width."""

    parts: tuple["Arranged", ...]
    shares: tuple[float, ...]


@attrs.frozen(eq=False)
class Below:
    """Parts from top to bottom."""

    parts: tuple["Arranged", ...]


Arranged = Picture | Beside | Below


def pictures_in(arranged: Arranged) -> tuple[Picture, ...]:
    """All pictures, in the order in which one reads them."""
    if isinstance(arranged, Picture):
        return (arranged,)
    return tuple(picture for part in arranged.parts for picture in pictures_in(part))


def arrange(placed: Sequence[_Placed]) -> Arranged:
    """Pictures as their rectangles (px) stand. Those that no straight line divides come below each other.

    Raises ValueError without pictures.
    """
    if not placed:
        raise ValueError("no pictures")
    if len(placed) == 1:
        return placed[0][0]
    rows = _divided(placed, lambda area: (area.y, area.bottom))
    if len(rows) > 1:
        return Below(tuple(map(arrange, rows)))
    columns = _divided(placed, lambda area: (area.x, area.right))
    if len(columns) > 1:
        widths = [max(area.right for _p, area in column) - min(area.x for _p, area in column) for column in columns]
        return Beside(tuple(map(arrange, columns)), tuple(wide / sum(widths) for wide in widths))
    return Below(tuple(picture for picture, _area in sorted(placed, key=lambda each: (each[1].y, each[1].x))))


def _divided(placed: Sequence[_Placed], span: Callable[[Rect], tuple[float, float]]) -> list[list[_Placed]]:
    """The rectangles in groups that straight lines divide; `span` is where one begins and ends (px) across these lines."""
    groups: list[list[_Placed]] = []
    reach = -math.inf
    for each in sorted(placed, key=lambda each: span(each[1])):
        first, last = span(each[1])
        if first < reach - _TOUCH_PX:
            groups[-1].append(each)
        else:
            groups.append([each])
        reach = max(reach, last)
    return groups
