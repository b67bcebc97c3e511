"""Waves and maps of vectors outside the window, as SVG, as tables and in words."""

from collections.abc import Iterable, Iterator

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number, place_told
from explorer.picture.figure.drawing import Drawing, largest
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, VectorMap, Waves
from explorer.picture.layout.curve_names import name_places
from explorer.picture.layout.sketch import LABEL, Sketch
from explorer.picture.layout.vector_map import vector_map
from explorer.picture.marks import Box, Dots, Mark, Path, Rect
from explorer.picture.scales import colours_of_curves
from explorer.picture.tables import Table, table_name

_WIDE_PX, _LEAST_PX, _HIGH_PX = 640.0, 120.0, 240.0
_MOST_NAMES = 0.4  # of the room; names that take more stand below the curves
_MOST_DOTTED = 128  # places; dots of more places would touch
_WIDE, _LEAST, _HIGH = 640.0, 280.0, 460.0


def draw_waves(drawing: Drawing, picture: Waves, top: float) -> None:
    """Draw curves around a zero line, shade the positions of the text, and name the curves at the right."""
    names = 40 + max((width(name, LABEL) for name in picture.names), default=0.0)
    most = largest(picture.values)
    left = max(40.0, width(number(-most), LABEL) + 8)
    below = names > _MOST_NAMES * drawing.room  # Long names stand below the curves where there is little room.
    beside = 8.0 if below else names
    wide = max(_LEAST_PX, drawing.filling(left + _WIDE_PX + names) - left - beside)
    area = Rect(left, top, wide, _HIGH_PX)
    sketch = Sketch(drawing.theme, "", measured)
    n = picture.values.shape[1]
    at = _Plane(area, wide / max(1, n - 1), most)
    if picture.n_marked:
        sketch.marks.append(Box(Rect(left, top, max((picture.n_marked - 1) * at.step, 1), area.high), "closed", opacity=0.6))
    sketch.line(left, at.y(0.0), area.right, at.y(0.0), "hairline")
    colours = colours_of_curves(drawing.theme, len(picture.names), picture.main)
    spots = _name_spots(picture, at, below=below)
    for index in sorted(range(len(picture.names)), key=lambda index: index == picture.main):  # The main one lies on the others.
        sketch.marks += _curve(picture, index, at, colours[index])
        (end_x, end_y), (x, y) = spots[index]
        if (end_x, end_y) != (x, y):
            sketch.line(end_x, end_y, x, y, colours[index], 1)
        sketch.line(x, y, x + 18, y, colours[index], 2)
        sketch.write(x + 24, y + 4, picture.names[index], LABEL, "faint")
    for y, value in ((top + 10, most), (at.y(0.0) + 4, 0.0), (area.bottom, -most)):
        sketch.write(left - 6, y, number(value), LABEL, "faint", "end")
    sketch.write(
        left + wide / 2,
        area.bottom + 20,
        f"{picture.x_name} {place_told(picture, 0)} … {place_told(picture, n - 1)}",
        LABEL,
        "faint",
        "middle",
    )
    write_marks(drawing, sketch.marks)
    drawing.reach(area.right, area.bottom)


_NAME_PX = 18.0  # px from one name to the next


def _name_spots(picture: Waves, at: "_Plane", *, below: bool) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """For each curve where the line to its name begins and ends (px): names stand below the curves, at their right ends where
    one of them is the main one, and else in a list beside them.
    """
    area, n = at.area, len(picture.names)
    if picture.main is not None and not below:
        ends = [at.y(value) if np.isfinite(value) else area.bottom for value in picture.values[:, -1].tolist()]
        rows = name_places(ends, _NAME_PX, area.y, area.bottom)
        return [((area.right, end), (area.right + 16, row)) for end, row in zip(ends, rows, strict=True)]
    x, top = (area.x, area.bottom + 40) if below else (area.right + 16, area.y + 8)
    return [((x, top + index * _NAME_PX),) * 2 for index in range(n)]


@attrs.frozen
class _Plane:
    """Where places and values are drawn: a step (px) for each place, and half the height for the largest value."""

    area: Rect
    step: float
    most: float

    def y(self, value: float) -> float:
        return self.area.y + self.area.high / 2 * (1 - value / self.most)

    def points(self, values: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
        return tuple((self.area.x + x * self.step, self.y(value)) for x, value in values if np.isfinite(value))


def _curve(picture: Waves, index: int, at: _Plane, colour: str) -> Iterator[Mark]:
    points = at.points(_points(picture, index))
    if points:
        yield Path(points, colour, 1.5)
    places = at.points(enumerate(picture.values[index].tolist()))
    if places and picture.values.shape[1] <= _MOST_DOTTED:
        x, y = np.array(places, np.float32).T
        yield Dots(x, y, 2, colour)


def _points(picture: Waves, index: int) -> Iterator[tuple[float, float]]:
    """(x, y) of a curve's points: at the places, and between them where a formula says what is there."""
    if picture.between is None:
        yield from enumerate(picture.values[index].tolist())
        return
    yield from zip(picture.between.x.tolist(), picture.between.values[index].tolist(), strict=True)
    beyond = int(picture.between.x[-1]) + 1
    yield from enumerate(picture.values[index, beyond:].tolist(), beyond)


def _waves_tables(picture: Waves) -> Iterator[Table]:
    x = np.arange(picture.values.shape[1]) if picture.x is None else picture.x
    yield Table(
        table_name(picture.caption),
        picture.values,
        Axis("curve", picture.names),
        Axis(picture.x_name, tuple(f"{place:g}" for place in x)),
    )


def _waves_described(picture: Waves, words: Words) -> str:
    return f"{picture.caption.title} {picture.caption.shape} {picture.caption.note}"


WAVES = Kind(draw_waves, _waves_tables, _waves_described)


def draw_vector_map(drawing: Drawing, picture: VectorMap, top: float) -> None:
    """Draw cloud and ways."""
    sketch = Sketch(drawing.theme, drawing.theme.signed_colours, measured)
    wide = drawing.filling(_WIDE, _LEAST)
    area = Rect(0, top, wide, min(_HIGH, wide))
    vector_map(sketch, picture, area)
    write_marks(drawing, sketch.marks)
    drawing.reach(wide, area.bottom)


def _vector_map_tables(picture: VectorMap) -> Iterator[Table]:
    name, xy = table_name(picture.caption), Axis("plane", ("x", "y"))
    yield Table(f"{name}.vocabulary", picture.cloud, Axis("symbol", picture.names), xy)
    for place, values in zip(picture.taps, picture.path, strict=True):
        yield Table(f"{place}.{name.rpartition('.')[2]}", values, Axis("position", picture.tokens), xy)


def _vector_map_described(picture: VectorMap, words: Words) -> str:
    near = ", ".join(picture.names[symbol] for symbol in picture.near[:3])
    token = picture.tokens[picture.chosen] if picture.tokens else ""
    return f"{picture.caption.title}. {picture.caption.note} {words('vectors.nearest_to', token=token)}: {near}"


VECTOR_MAP = Kind(draw_vector_map, _vector_map_tables, _vector_map_described)
