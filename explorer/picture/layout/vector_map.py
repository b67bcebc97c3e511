"""Where the points of a VectorMap stand: the vocabulary as a cloud, and the way of each token through the layers."""

from itertools import pairwise

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.kinds import VectorMap
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect

SYMBOL_PX, NEAR_PX, STATION_PX, END_PX = 1.1, 2.4, 2.2, 4.0
"""Radii of the dots: of the vocabulary, of neighbours, of a token behind each layer, and at the end of its way."""
_LETTERS, _SMALL = 13.0, 11.0
_MARGIN_PX, _LABEL_PX = 14.0, 46.0  # px around the points, and at the right for labels
_MOST_MARKED = 8  # neighbours of the chosen token that are marked and named


@attrs.frozen(eq=False)
class Points:
    """Places in px: `cloud` [symbol, xy] of the vocabulary and `path` [place, token, xy] of the tokens."""

    cloud: NDArray[np.float64]
    path: NDArray[np.float64]


@attrs.frozen
class Point:
    """What stands at a point: a symbol of the vocabulary, or a token at one place on its way."""

    symbol: int | None = None
    place: int = 0
    token: int = 0


@attrs.frozen
class Part:
    """The part of the plane that an area shows, on one scale for x and y."""

    left: float
    right: float
    low: float
    high: float


def whole(picture: VectorMap, area: Rect) -> Part:
    """The part that has all points in the middle of the area, with room for labels at the right."""
    every = np.concatenate([picture.cloud, picture.path.reshape(-1, 2)]).astype(np.float64)
    low, high = every.min(axis=0), every.max(axis=0)
    inner = area.inset(_MARGIN_PX, _MARGIN_PX, _LABEL_PX, _MARGIN_PX)
    spans = np.maximum(high - low, 1e-9)
    px = min(inner.wide / spans[0], inner.high / spans[1])
    x, y = ((low + high) / 2).tolist()
    left, top = inner.x - area.x + inner.wide / 2, inner.y - area.y + inner.high / 2  # px to the middle of the points
    return Part(x - left / px, x + (area.wide - left) / px, y - (area.high - top) / px, y + top / px)


def points(picture: VectorMap, area: Rect, part: Part | None = None) -> Points:
    """All points where an area shows a part of the plane; None for the whole."""
    shown = whole(picture, area) if part is None else part
    scale = np.array([area.wide / (shown.right - shown.left), -area.high / (shown.high - shown.low)])  # y grows downward in px
    corner = np.array([shown.left, shown.high])

    def placed(xy: NDArray[np.floating]) -> NDArray[np.float64]:
        moved: NDArray[np.float64] = np.array([area.x, area.y]) + (xy - corner) * scale
        return moved

    return Points(placed(picture.cloud), placed(picture.path))


def vector_map(sketch: Sketch, picture: VectorMap, area: Rect) -> None:
    """Draw all of it."""
    at, theme = points(picture, area), sketch.theme
    sketch.dots(at.cloud, SYMBOL_PX, theme.closed_line)
    strong = frozenset({picture.chosen})
    for token in sorted(range(len(picture.tokens)), key=strong.__contains__):
        _way(sketch, at, token, theme.accent if token in strong else theme.disabled)
    sketch.dots(at.cloud[list(marked(picture))], NEAR_PX, theme.accent)
    write_names(sketch, picture, at, strong)


def marked(picture: VectorMap) -> tuple[int, ...]:
    """The symbols that have a larger dot: the nearest neighbours of the chosen token."""
    return picture.near[:_MOST_MARKED]


def write_names(
    sketch: Sketch, picture: VectorMap, at: Points, strong: frozenset[int], others: NDArray[np.intp] | None = None
) -> None:
    """Write the names of tokens, the `strong` ones first, of the chosen one's neighbours, and of `others`, where there is room.

    They come behind all dots, so that no dot lies on one.
    """
    taken: list[Rect] = []
    theme = sketch.theme
    for token in sorted(range(len(picture.tokens)), key=lambda each: each not in strong):
        x, y = at.path[-1, token]
        bold = token in strong
        _label(sketch, taken, x + 7, y + 4, picture.tokens[token], _LETTERS, theme.accent if bold else theme.text, bold)
    for symbol in (*marked(picture), *(() if others is None else others.tolist())):
        x, y = at.cloud[symbol]
        _label(sketch, taken, x + 5, y + 4, picture.names[symbol], _SMALL, theme.faint)


def ring(sketch: Sketch, at: Points, here: Point) -> None:
    """Mark a point."""
    x, y = at.path[here.place, here.token] if here.symbol is None else at.cloud[here.symbol]
    sketch.dot(x, y, END_PX + 1.5, sketch.theme.text)
    sketch.dot(x, y, END_PX, sketch.theme.card)


def _way(sketch: Sketch, at: Points, token: int, colour: str) -> None:
    """Draw the way of one token: a small dot where it enters and behind each layer, a large one at the end."""
    way = at.path[:, token].tolist()
    for (x, y), (to_x, to_y) in pairwise(way):
        sketch.line(x, y, to_x, to_y, colour, 1.2)
    for place, (x, y) in enumerate(way, 1):
        sketch.dot(x, y, END_PX if place == len(way) else STATION_PX, colour)


def _label(
    sketch: Sketch, taken: list[Rect], x: float, y: float, text: str, size: float, colour: str, bold: bool = False
) -> None:
    """Write a label unless another one stands there."""
    box = Rect(x, y - size, sketch.measure(text, size, bold), size + 2)
    if any(box.x < other.right and other.x < box.right and box.y < other.bottom and other.y < box.bottom for other in taken):
        return
    taken.append(box)
    sketch.write(x, y, text, size, colour, bold=bold)


def nearest(at: Points, x: float, y: float, reach_px: float) -> Point | None:
    """The point nearest to a place (px), at most so far away; tokens come before symbols."""
    for xy, of_tokens in ((at.path, True), (at.cloud, False)):
        away = np.hypot(xy[..., 0] - x, xy[..., 1] - y)
        if away.size and away.min() <= reach_px:
            index = np.unravel_index(int(away.argmin()), away.shape)
            return Point(place=int(index[0]), token=int(index[1])) if of_tokens else Point(symbol=int(index[0]))
    return None


def told_point(picture: VectorMap, point: Point, words: Words) -> str:
    """One point in words."""
    if point.symbol is not None:
        return words("vectors.symbol", symbol=picture.names[point.symbol])
    place = picture.places[point.place]
    return words("vectors.station", token=picture.tokens[point.token], position=point.token, place=place)
