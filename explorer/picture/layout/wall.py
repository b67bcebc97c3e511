"""The wall of all heads: its names, its outlines and its legends, in a window, where it may be folded, and in a file."""

import math
from collections.abc import Iterable, Iterator

from explorer.lang import Words
from explorer.picture.cell_text import told_closed
from explorer.picture.kinds import HeadGrid
from explorer.picture.layout.atlas import LABEL_PX, Atlas, Fold, atlas
from explorer.picture.layout.map_labels import Lit, axis_names, closed_meaning, colour_bar, figures_of, step_of, unknown_meaning
from explorer.picture.layout.map_sheet import (
    MapSheet,
    bar_px,
    column_label_px,
    column_names,
    draw_legends,
    row_label_px,
    row_names,
    whole,
)
from explorer.picture.layout.sketch import LABEL, Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.marks import Label, Rect, framed

_MOST_STRETCH = 2.4
_BAR_PX, _BAR_HIGH_PX = 8.0, 120.0
_LEAST_NAME_PX, _MOST_NAME_PX = 11.0, 14.0  # px; a smaller gap has no room for a thumbnail's name, which stands close to it
_NAME = 0.85  # of the size of letters
_NAME_APART_PX = 4.0  # px between the names of two thumbnails
_LAYER_PX = 40.0  # px, room for "L63"
_WALL_PX = 1400.0
_LEAST_CELL = 0.25  # px


def wall_margins(letters: float) -> tuple[float, float, float, float]:
    """The room (px) at the left, top, right and bottom of the cells in a window, for letters so many times as large."""
    return 30 * letters, 20 * letters, 58 * letters, 22 * letters


def wall_stretch(shape: tuple[int, int]) -> float:
    """How many times as wide as high a cell of a wall may become in a window.

    A head of few keys may become a square thumbnail. One that is square already keeps its shape, however wide the room is.
    """
    queries, keys = shape
    return min(_MOST_STRETCH, max(1.0, queries / max(1, keys)))


def visible(made: Atlas, field: CellField) -> Iterator[tuple[int, int]]:
    """Layer and head of the visible thumbnails."""
    view = field.view
    for down in range(int(view.top) // made.pitch_rows, min(made.height, int(view.bottom)) // made.pitch_rows + 1):
        for across in range(int(view.left) // made.pitch_columns, min(made.width, int(view.right)) // made.pitch_columns + 1):
            place = made.thumbnail(down, across)
            if place is not None:
                yield place


def thumbnail(made: Atlas, field: CellField, layer: int, head: int) -> Rect:
    """The rectangle of a thumbnail (px)."""
    return field.cells(*made.corner(layer, head), made.n_rows, made.n_columns)


def draw_beside_wall(
    sketch: Sketch, picture: HeadGrid, made: Atlas, words: Words, field: CellField, wide: float, px: float, *, unknown: bool
) -> None:
    """Draw names, colour bar and legends around the cells; `unknown`: the meaning of NaN stands below them."""
    rect = field.rect
    if made.is_folded or picture.measured is not None:
        _name_thumbnails(sketch, picture, made, field, _NAME * px)
    if not made.is_folded:
        _name_layers(sketch, made, picture.layers, field, px, rect.x - 6)
        if picture.measured is None:
            _name_heads(sketch, made, field, px, rect.y - 5)
    bar = Rect(rect.right + 10, rect.y, _BAR_PX, min(rect.high, _BAR_HIGH_PX))
    colour_bar(sketch, bar, picture.scale, figures_of(picture.scale), px)
    x, y, edge = rect.x, rect.bottom + 6, wide
    x = axis_names(sketch, x, y, edge, (picture.rows.name, picture.columns.name), px)
    if unknown:
        edge = unknown_meaning(sketch, x, y, edge, words("legend.nan"), px)
    if picture.closed is not None:
        closed_meaning(sketch, x, y, edge, told_closed(picture, words), px)


def _name_layers(sketch: Sketch, made: Atlas, layers: tuple[int, ...], field: CellField, px: float, right: float) -> None:
    """Write the layers at the left, every one or every nth where they would touch."""
    for row in range(0, made.layers, step_of(made.layers, made.layers * made.pitch_rows * field.high, px)):
        middle = field.y(made.corner(row, 0)[0] + made.n_rows / 2)
        if field.rect.y <= middle <= field.rect.bottom:
            sketch.marks.append(Label(right, middle, f"L{layers[row]}", px, "faint", align="right"))


def _name_heads(sketch: Sketch, made: Atlas, field: CellField, px: float, base: float) -> None:
    """Write the heads above, every one or every nth where they would touch."""
    apart = sketch.measure(f"H{made.heads}", px, False) + _NAME_APART_PX
    for head in range(0, made.heads, step_of(made.heads, made.heads * made.pitch_columns * field.wide, apart)):
        middle = field.x(made.corner(0, head)[1] + made.n_columns / 2)
        if field.rect.x <= middle <= field.rect.right:
            sketch.write(middle, base, f"H{head}", px, "faint", "middle")


def _name_thumbnails(sketch: Sketch, picture: HeadGrid, made: Atlas, field: CellField, px: float) -> None:
    """Write layer and head, and the measure, above each thumbnail, where the gap between two lines has room."""
    gap, rect = (made.pitch_rows - made.n_rows) * field.high, field.rect
    if gap < _LEAST_NAME_PX:
        return
    for layer, head in visible(made, field):
        box = thumbnail(made, field, layer, head)
        centre, above = box.x + box.wide / 2, box.y - min(gap, _MOST_NAME_PX) / 2 - 1
        if rect.x <= centre <= rect.right and rect.y - gap <= above <= rect.bottom:
            name = f"L{picture.layers[layer]} H{head}" if made.is_folded else f"H{head}"
            figure = "" if picture.measured is None else picture.measured.figure(layer, head)
            _name(sketch, Label(centre, above, name, px, "faint", align="middle"), figure, made.pitch_columns * field.wide)


def _name(sketch: Sketch, name: Label, figure: str, room: float) -> None:
    """Write a thumbnail's name, and its measure darker beside it; where both have no room, the measure alone."""
    if not figure:
        sketch.marks.append(name)
        return
    before, wide = (sketch.measure(text, name.px, False) for text in (f"{name.text} ", figure))
    if before + wide + _NAME_APART_PX > room:
        sketch.marks.append(Label(name.x, name.y, figure, name.px, align="middle"))
        return
    left = name.x - (before + wide) / 2
    sketch.marks += [Label(left, name.y, name.text, name.px, "faint"), Label(left + before, name.y, figure, name.px)]


def draw_over_wall(
    sketch: Sketch, picture: HeadGrid, made: Atlas, field: CellField, here: tuple[int, int] | None, lit: Lit
) -> None:
    """Draw a frame around the chosen head, and around the row and the column of the cell that is pointed at (`here`)."""
    place = picture.chosen_place
    if place is None:
        return
    sketch.marks.append(framed(thumbnail(made, field, *place).grown(1), "accent", 2))
    found = None if here is None else made.find(*here)
    if found is not None:
        _frame_lines(sketch, made, field, found[:2], found[2:3], found[3:])
    else:  # Outlines of lit tokens in all thumbnails would hide the wall.
        rows, columns = picture.rows.indices(lit, made.n_rows), picture.columns.indices(lit, made.n_columns)
        _frame_lines(sketch, made, field, place, rows, columns)


def _frame_lines(
    sketch: Sketch, made: Atlas, field: CellField, place: tuple[int, int], rows: Iterable[int], columns: Iterable[int]
) -> None:
    """Draw a frame around rows and columns of one thumbnail."""
    top, left = made.corner(*place)
    for row in rows:
        sketch.marks.append(framed(field.cells(top + row, left, 1, made.n_columns), "accent", 1))
    for column in columns:
        sketch.marks.append(framed(field.cells(top, left + column, made.n_rows, 1), "accent", 1))


# In a file


def wall_sheet(sketch: Sketch, picture: HeadGrid, words: Words, top: float, room: float) -> tuple[Atlas, MapSheet]:
    """Draw all maps with layers and heads named at the border, and tokens beside the first and above the topmost maps.

    A wall is never folded in a file. Returns its thumbnails, and where they stand.
    """
    made, named = atlas(picture), picture.block == 1
    cell = _sheet_cell_px(sketch, picture, made, room, named=named)
    if picture.measured is not None:
        made = atlas(picture, Fold(gap_rows=max(made.pitch_rows - made.n_rows, math.ceil(LABEL_PX / cell))))
    left = _LAYER_PX + (row_label_px(sketch, picture.rows, cell) if named else 0.0)
    above = column_label_px(sketch, picture.columns, cell, turned=True) if named else 4.0
    n_rows, n_columns = made.index.shape
    field = CellField.whole(Rect(left, top + 16 + above, n_columns * cell, n_rows * cell), n_rows, n_columns)
    if picture.measured is None:
        _name_heads(sketch, made, field, LABEL, top + 12)
        _name_layers(sketch, made, picture.layers, field, LABEL, _LAYER_PX - 8)
    else:
        _write_measures(sketch, made, picture, field, top + 12)
    if named:
        _name_tokens(sketch, picture, made, field)
    sketch.cells(field.rect, made.index, picture.scale.colours)
    draw_legends(sketch, picture, made.index, field.rect, words, room)
    touch = made.pitch_columns * cell < sketch.measure(f"H{made.heads}", LABEL, False) + _NAME_APART_PX
    return made, MapSheet(field, touch and math.isfinite(room))


def _sheet_cell_px(sketch: Sketch, picture: HeadGrid, made: Atlas, room: float, *, named: bool) -> float:
    """The side of a cell (px)."""
    across = made.index.shape[1]
    cell = whole(max(1.0, min(12.0, _WALL_PX / across)))
    for _fitting in range(2 if math.isfinite(room) else 0):  # The rows' labels take less room beside smaller cells.
        labels = _LAYER_PX + (row_label_px(sketch, picture.rows, cell) if named else 0.0)
        cell = max(_LEAST_CELL, min(cell, (room - labels - bar_px(sketch, picture.scale)) / across))
    return cell


def _name_tokens(sketch: Sketch, picture: HeadGrid, made: Atlas, field: CellField) -> None:
    """Write the tokens above the topmost maps and beside the first ones."""
    shape = made.n_rows, made.n_columns
    for across in range(made.heads):
        cells = CellField.whole(field.cells(0, across * made.pitch_columns, *shape), *shape)
        column_names(sketch, picture.columns, cells, turned=True)
    for down in range(made.layers):
        row_names(sketch, picture.rows, CellField.whole(field.cells(down * made.pitch_rows, 0, *shape), *shape))


def _write_measures(sketch: Sketch, made: Atlas, picture: HeadGrid, field: CellField, first: float) -> None:
    """Write layer, head and measure above each thumbnail: of those at the top at `first`, above the tokens' names."""
    assert picture.measured is not None  # The caller has checked.
    for row, layer in enumerate(picture.layers):
        for head in range(made.heads):
            box, figure = thumbnail(made, field, row, head), picture.measured.figure(row, head)
            name = f"L{layer} H{head} {figure}"
            shown = name if sketch.measure(name, LABEL, False) <= made.pitch_columns * field.wide else figure
            base = box.y - 5 if made.corner(row, head)[0] else first
            sketch.write(box.x + box.wide / 2, base, shown, LABEL, "faint", "middle")
