"""What stands beside the cells of a map: the labels of rows and columns, the colour bar, and what closed cells and NaN mean.

A window lets a map fill its card and has one line below it; a file is as large as the map needs and has lines below each other.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from explorer.picture.axis import Axis
from explorer.picture.cell_text import number
from explorer.picture.layout.sketch import USUAL_PX, Measure, Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.marks import Hatch, Label, Ramp, Rect
from explorer.picture.scales import Scale

Lit = frozenset[tuple[str, int]]
"""Side and position of the tokens that are pointed at somewhere."""

TURN = -50.0
"""Degrees by which the labels of narrow columns are turned in a window, so that they rise to the right."""
APART = 1 / math.sin(math.radians(-TURN))
"""The factor by which turned labels need to stand further apart."""
_RISE, _RUN = 0.77, 0.65  # of a turned label's length: its height, and a little more than its width
_MEASURED = 64  # labels that are measured to find the widest
_SWATCH = 12.0  # px, a sample of a colour
_FIGURE = 14.0  # px, the height of a figure beside a colour bar


def row_labels(
    sketch: Sketch,
    axis: Axis,
    field: CellField,
    shown: Iterable[int],
    px: float,
    *,
    gap: float,
    room: float = math.inf,
    lit: Lit = frozenset(),
) -> None:
    """Write the labels of these rows, `gap` px to the left of the cells, unless their middle is out of sight."""
    rect = field.rect
    for row in shown:
        middle = field.y(row + 0.5)
        if rect.y <= middle <= rect.bottom:
            colour = "accent" if axis.spots(row) & lit else "text"
            sketch.marks.append(Label(rect.x - gap, middle, axis.labels[row], px, colour, align="right", room=room))


def level_labels(sketch: Sketch, axis: Axis, field: CellField, shown: Iterable[int], px: float, lit: Lit = frozenset()) -> None:
    """Write the labels of these columns above them."""
    for column, middle in _in_sight(field, shown):
        colour = "accent" if axis.spots(column) & lit else "text"
        sketch.write(middle, field.rect.y - 6, axis.labels[column], px, colour, "middle")


def turned_labels(
    sketch: Sketch,
    axis: Axis,
    field: CellField,
    shown: Iterable[int],
    px: float,
    *,
    turn: float,
    longest: float = math.inf,
    edge: float = math.inf,
    lit: Lit = frozenset(),
) -> None:
    """Write the labels of these columns upward by so many degrees, at most `longest` px long and none beyond the `edge`."""
    for column, middle in _in_sight(field, shown):
        colour = "accent" if axis.spots(column) & lit else "text"
        # Whole steps of room: each other room makes another image of a label.
        room = longest if math.isinf(edge) else min(longest, max(0.0, (edge - middle - 8) // _RUN))
        sketch.marks.append(Label(middle, field.rect.y - 6, axis.labels[column], px, colour, room=room, turn=turn))


def turned_px(longest: float) -> float:
    """The height (px) that turned labels take whose longest is so long."""
    return 14 + longest * _RISE


def _in_sight(field: CellField, shown: Iterable[int]) -> Iterator[tuple[int, float]]:
    """Those columns whose middles are in sight, with the middles (px)."""
    for column in shown:
        middle = field.x(column + 0.5)
        if field.rect.x <= middle <= field.rect.right:
            yield column, middle


def step_of(n: int, room_px: float, needed_px: float) -> int:
    """The smallest step so that every step-th of `n` labels of `needed_px` fits into `room_px`."""
    return max(1, math.ceil(needed_px * n / max(room_px, 1.0)))


def every_row(axis: Axis, field: CellField, px: float) -> range:
    """The visible rows that have labels, as many as fit."""
    first, last = int(field.view.top), min(len(axis.labels), int(field.view.bottom + 0.999))
    return range(first, last, step_of(last - first, field.rect.high, px))


def every_column(axis: Axis, field: CellField, px: float) -> range:
    """The visible columns that have labels, as many as fit."""
    first, last = int(field.view.left), min(len(axis.labels), int(field.view.right + 0.999))
    return range(first, last, step_of(last - first, field.rect.wide, px))


def longest_px(labels: Sequence[str], px: float, measure: Measure) -> float:
    """The width of the widest label (px)."""
    return max((measure(label, px, False) for label in _widest(tuple(labels))), default=0.0)


@lru_cache(maxsize=16)  # Of 4,096 labels it takes 1 ms, several times in each painting of 10.
def _widest(labels: tuple[str, ...]) -> tuple[str, ...]:
    """At most 64 labels among which the widest one probably is, so that not all of thousands are measured."""
    different = set(labels)
    if len(different) <= _MEASURED:
        return tuple(different)
    # A Chinese character is about twice as wide as a letter.
    return tuple(sorted(different, key=lambda label: sum(2 if mark > "\u2e7f" else 1 for mark in label))[-_MEASURED:])


# The colour bar


def figures_of(scale: Scale) -> list[tuple[float, str]]:
    """The figures beside a bar, each with its place as a share of the way down: both ends, and zero if it is the middle."""
    figures = (scale.high, 0.0, scale.low) if scale.centred else (scale.high, scale.low)
    return [(place / (len(figures) - 1), number(float(f"{figure:.2g}"))) for place, figure in enumerate(figures)]


def colour_bar(sketch: Sketch, bar: Rect, scale: Scale, figures: Sequence[tuple[float, str]], px: float) -> None:
    """Draw a scale's colours with figures at its right. A short bar has those of its ends, or of the upper end alone."""
    sketch.marks.append(Ramp(bar, scale.colours))
    if bar.high < _FIGURE * len(figures):
        figures = figures[:: len(figures) - 1] if bar.high >= 2 * _FIGURE else figures[:1]
    for down, figure in figures:
        y = min(max(bar.y + bar.high * down, bar.y + _FIGURE / 2), bar.bottom - _FIGURE / 2)
        sketch.write(bar.right + 5, y + 4, figure, px, "faint")


# One line below a map in a window


def axis_names(sketch: Sketch, x: float, y: float, edge: float, names: tuple[str, str], px: float) -> float:
    """Write what runs downward and what to the right; returns where the line can go on (px).

    Below a small map the text begins further to the left, where it ends before `edge`.
    """
    text = f"{names[0]} ↓  {names[1]} →"
    wide = sketch.measure(text, px, False)
    left = max(0.0, min(x, edge - wide))
    sketch.write(left, y + 11 * _larger(px), text, px, "faint")
    return left + wide + 16


def closed_meaning(sketch: Sketch, x: float, y: float, edge: float, told: tuple[str, ...], px: float) -> None:
    """Draw a sample of a closed cell and the first of the texts, which become shorter, that has room."""
    swatch = _SWATCH * _larger(px)
    label = next((text for text in told if sketch.measure(text, px, False) <= edge - x - swatch - 8), "")
    if label:
        sketch.marks.append(Hatch(Rect(x, y, swatch, swatch)))
        sketch.write(x + swatch + 6, y + 11 * _larger(px), label, px, "faint")


def unknown_meaning(sketch: Sketch, x: float, y: float, edge: float, meaning: str, px: float) -> float:
    """Draw a sample of the colour of NaN at the right end of a line, with its meaning; returns where the line now ends."""
    swatch = _SWATCH * _larger(px)
    label = next((text for text in (meaning, "NaN") if sketch.measure(text, px, False) <= edge - x - swatch - 12), "")
    left = edge - sketch.measure(label, px, False) - swatch - 12
    sketch.box(Rect(left, y, swatch, swatch), "unknown")
    sketch.write(left + swatch + 6, y + 11 * _larger(px), label, px, "faint")
    return left - 8


def _larger(px: float) -> float:
    """How many times as large as usual letters of so many px are, so that they stand below the cells and not on them."""
    return max(1.0, px / USUAL_PX)
