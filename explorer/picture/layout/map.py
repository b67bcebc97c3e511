"""A Heatmap in a window: the room around its cells, what stands there, and what lies over them."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_numbers import has_room, tells_apart
from explorer.picture.cell_text import told_closed
from explorer.picture.kinds import Axis, Closed, Heatmap
from explorer.picture.layout.map_labels import (
    APART,
    TURN,
    Lit,
    axis_names,
    closed_meaning,
    colour_bar,
    every_column,
    every_row,
    figures_of,
    level_labels,
    longest_px,
    row_labels,
    turned_labels,
    turned_px,
    unknown_meaning,
)
from explorer.picture.layout.sketch import Measure, Sketch
from explorer.picture.layout.viewport import CellField, Viewport
from explorer.picture.marks import Hatch, Numbers, Rect, framed
from explorer.picture.scales import Scale, indices

STRETCH = 2.6
"""A cell may be so many times as wide as high; then its number has room."""
MOST_LABEL_PX = 92.0
"""Longer labels are elided, and the tooltip has the whole one."""
_BAR_PX, _BAR_HIGH_PX = 8.0, 160.0
_HATCHED_CELL_PX = 5.0  # smaller closed cells are not hatched
_MOST_NUMBERS = 300  # numbers of one map; more take too long to paint, and nobody reads them
_NUMBER = 0.9  # of the size of letters
_FULL = 0.5  # the share of cells with a number from which a map needs no outlines
_EDGE_PX = 6.0  # without a bar


@attrs.frozen
class MapRoom:
    """The room of a map (px): its size, the size `px` of its letters, which are `letters` times as large as usual.

    A label of a row has at most `row_label_px` px in usual letters. `bar` says whether a colour bar stands beside the cells.
    """

    wide: float
    high: float
    px: float
    letters: float
    measure: Measure
    row_label_px: float = MOST_LABEL_PX
    bar: bool = True

    @property
    def most_label(self) -> float:
        """The length of the longest label of a column (px)."""
        return MOST_LABEL_PX * self.letters

    @property
    def most_row_label(self) -> float:
        """The length of the longest label of a row (px)."""
        return self.row_label_px * self.letters

    def longest(self, axis: Axis) -> float:
        """The width of the widest label of an axis (px)."""
        return longest_px(axis.labels, self.px, self.measure)

    def right(self, scale: Scale) -> float:
        """The width of what stands at the right of the cells: a colour bar with its longest figure (px)."""
        if not self.bar:
            return _EDGE_PX
        return 28 + max(self.measure(figure, self.px, False) for _share, figure in figures_of(scale))


def is_named(picture: Heatmap) -> bool:
    """Whether the names of the axes stand below a map."""
    return bool(picture.rows.labels and picture.columns.labels)


def is_square(picture: Heatmap) -> bool:
    """Whether cells are square: those of maps between tokens are, those of maps of heads are not."""
    return is_named(picture) and picture.rows.numbered


def has_unknown(picture: Heatmap) -> bool:
    """Whether a map shows the colour of NaN; of a large map the coarsest level answers."""
    if picture.pending:
        return False
    if picture.levels is None:
        values, closed = picture.values, picture.closed
    else:
        values = picture.levels.arrays[-1]
        closed = None if picture.levels.closed is None else picture.levels.closed[-1]
    unknown = ~np.isfinite(values)
    return bool((unknown if closed is None else unknown & ~closed).any())


def margins(picture: Heatmap, room: MapRoom, view: Viewport, *, unknown: bool) -> tuple[float, float, float, float]:
    """The room (px) at the left, top, right and bottom of the cells. `unknown`: the meaning of NaN stands below them."""
    left = 10 + min(room.most_row_label, room.longest(picture.rows))
    top, right = 6.0, room.right(picture.scale)
    if picture.columns.labels:
        longest = min(room.most_label, room.longest(picture.columns))
        is_level = _is_level(picture, room, view, left)
        top = 24.0 * room.letters if is_level else turned_px(longest)
        if not is_level:  # The last label rises beyond the last column.
            last = min(room.most_label, room.measure(picture.columns.labels[-1], room.px, False))
            right = max(right, _EDGE_PX + 0.5 * last)
    below = is_named(picture) or unknown or picture.closed is not None
    return left, top, right, 22.0 * room.letters if below else _EDGE_PX


def _is_level(picture: Heatmap, room: MapRoom, view: Viewport, left: float) -> bool:
    """Whether every column's label fits above its column without turning."""
    across, down = max(1.0, view.right - view.left), max(1.0, view.bottom - view.top)
    wide = (room.wide - left - room.right(picture.scale)) / across
    if is_square(picture):
        wide = min(wide, STRETCH * (room.high - 46) / down)
    return room.longest(picture.columns) < wide - 2


def draw_around(
    sketch: Sketch, picture: Heatmap, words: Words, room: MapRoom, field: CellField, lit: Lit, *, unknown: bool
) -> None:
    """Draw labels, colour bar and legends around the cells."""
    rect = field.rect
    rows = _rows_with_mean(picture.rows, field, room.px)
    row_labels(sketch, picture.rows, field, rows, room.px, gap=6, room=room.most_row_label, lit=lit)
    _column_labels(sketch, picture, room, field, lit)
    if room.bar:
        bar = Rect(rect.right + 10, rect.y, _BAR_PX, min(rect.high, _BAR_HIGH_PX))
        colour_bar(sketch, bar, picture.scale, figures_of(picture.scale), room.px)
    x, y, edge = rect.x, rect.bottom + 6, room.wide
    if is_named(picture):
        x = axis_names(sketch, x, y, edge, (picture.rows.name, picture.columns.name), room.px)
    if unknown:
        edge = unknown_meaning(sketch, x, y, edge, words("legend.nan"), room.px)
    if picture.closed is not None:
        closed_meaning(sketch, x, y, edge, told_closed(picture, words), room.px)


def _rows_with_mean(axis: Axis, field: CellField, px: float) -> list[int]:
    """The rows that have labels, as many as fit; always the last one of heads, which is their mean."""
    shown, last = list(every_row(axis, field, px)), min(len(axis.labels), int(field.view.bottom + 0.999)) - 1
    if not axis.numbered and shown and shown[-1] != last:
        shown[-1 if len(shown) > 1 else 0 :] = [last]
    return shown


def _column_labels(sketch: Sketch, picture: Heatmap, room: MapRoom, field: CellField, lit: Lit) -> None:
    axis = picture.columns
    if not axis.labels:
        return
    if _is_level(picture, room, field.view, field.rect.x):
        shown = range(int(field.view.left), min(len(axis.labels), int(field.view.right + 0.999)))
        level_labels(sketch, axis, field, shown, room.px, lit)
    else:
        shown = every_column(axis, field, APART * room.px)
        turned_labels(sketch, axis, field, shown, room.px, turn=TURN, longest=room.most_label, edge=room.wide, lit=lit)


def draw_over(
    sketch: Sketch, picture: Heatmap, field: CellField, here: tuple[int, int] | None, lit: Lit, px: float, *, bare: bool
) -> None:
    """Draw what lies over the cells: hatching, numbers in letters of `px`, and outlines of what is pointed at (`here`) or lit.

    A `bare` map has hatching alone.
    """
    is_large = min(field.wide, field.high) >= _HATCHED_CELL_PX
    if picture.closed is not None and is_large:
        _hatch(sketch, picture.closed, field)
    if picture.estimated is not None and is_large:
        _hatch(sketch, picture.estimated, field, over=True)
    # Where most values are smaller than the least that counts, a map without outlines would be one empty field.
    if picture.pending or (picture.least and is_large and np.isfinite(picture.written).mean() < _FULL):
        _outline(sketch, field, range(field.view.rows), range(field.view.columns), "hairline", 1)
    if bare:
        return
    if has_room(field.wide, field.high) and picture.levels is None and tells_apart(picture.scale):
        _write_numbers(sketch, picture, field, _NUMBER * px)
    _outline(sketch, field, *_lit_lines(picture, field.view, here, lit), "accent", 1.5)


def _hatch(sketch: Sketch, cells: Closed, field: CellField, *, over: bool = False) -> None:
    """Hatch some cells, one rectangle for each run in a row; a causal mask has one run in each row."""
    for row in range(int(field.view.top), min(field.view.rows, int(field.view.bottom) + 1)):
        edges = np.flatnonzero(np.diff(cells[row], prepend=False, append=False))
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            sketch.marks.append(Hatch(field.cells(row, start, 1, end - start), over))


def _outline(
    sketch: Sketch, field: CellField, rows: range | list[int], columns: range | list[int], colour: str, width: float
) -> None:
    """Draw a frame around whole rows and columns."""
    for row in rows:
        sketch.marks.append(framed(field.cells(row, 0, 1, field.view.columns), colour, width))
    for column in columns:
        sketch.marks.append(framed(field.cells(0, column, field.view.rows, 1), colour, width))


def _lit_lines(picture: Heatmap, view: Viewport, here: tuple[int, int] | None, lit: Lit) -> tuple[list[int], list[int]]:
    """The rows and columns to outline: a cross under the mouse, or otherwise those of lit tokens."""
    if here is not None and picture.columns.labels:
        return [here[0]], [here[1]]
    row, column = ([] if line is None else [line] for line in (picture.chosen_row, picture.chosen_column))
    return picture.rows.indices(lit, view.rows) or row, picture.columns.indices(lit, view.columns) or column


def _write_numbers(sketch: Sketch, picture: Heatmap, field: CellField, px: float) -> None:
    """Write the value into every visible cell that is not closed, unless there are too many."""
    view = field.view
    top, bottom = int(view.top), min(view.rows, int(view.bottom + 0.999))
    left, right = int(view.left), min(view.columns, int(view.right + 0.999))
    if (bottom - top) * (right - left) <= _MOST_NUMBERS:
        cut = np.s_[top:bottom, left:right]
        closed = None if picture.closed is None else picture.closed[cut]
        index = indices(picture.values[cut], picture.scale, closed)
        cells = field.cells(top, left, bottom - top, right - left)
        sketch.marks.append(Numbers(cells, picture.written[cut], index, picture.scale, px))
