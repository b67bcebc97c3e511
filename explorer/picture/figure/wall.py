"""The wall of all heads outside the window. As SVG: layers downward, heads to the right, tokens where there is room."""

import math
from collections.abc import Iterator

import attrs

from explorer.lang import Words
from explorer.picture.figure.answering import Answering
from explorer.picture.figure.drawing import LABEL, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.map import (
    bar_px,
    colour_bar,
    column_label_px,
    column_labels,
    legend,
    row_label_px,
    row_labels,
    whole,
)
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, HeadGrid
from explorer.picture.layout.atlas import Atlas, Fold, atlas
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.tables import Table
from explorer.trace.tap_names import with_layer

_LAYER_PX = 40.0  # px, room for "L63"
_WALL_PX = 1400.0
_LEAST_CELL = 0.25  # px
_LABEL_PX = 15.0  # px, room for a label above a thumbnail


def draw_grid(drawing: Drawing, picture: HeadGrid, top: float) -> None:
    """Draw all maps with layers and heads named at the border, and tokens beside the first and above the topmost maps."""
    made, n_heads = atlas(picture), picture.values.shape[1]
    named = picture.block == 1
    cell = whole(max(1.0, min(12.0, _WALL_PX / made.index.shape[1])))
    for _fitting in range(2 if math.isfinite(drawing.room) else 0):  # The rows' labels take less room beside smaller cells.
        labels = _LAYER_PX + (row_label_px(picture.rows, cell) if named else 0.0)
        cell = max(_LEAST_CELL, min(cell, (drawing.room - labels - bar_px(picture.scale)) / made.index.shape[1]))
    if picture.measured is not None:
        drawing.write_rich(0, top, f"{picture.measured.name}: {picture.measured.formula or '–'}")
        top += 16
        made = atlas(picture, Fold(gap_rows=max(made.pitch_rows - made.n_rows, math.ceil(_LABEL_PX / cell))))
    sketch = Sketch(drawing.theme, "", measured)
    left = _LAYER_PX + (row_label_px(picture.rows, cell) if named else 0.0)
    above = column_label_px(picture.columns, True, cell) if named else 4.0
    if picture.measured is None:
        _head_labels(sketch, made, n_heads, left, top, cell)
        _layer_labels(sketch, made, picture.layers, _LAYER_PX, top + 16 + above, cell)
    else:
        _measure_labels(sketch, made, picture, left, (top + 12, top + 16 + above), cell)
    top += 16 + above
    for head in range(n_heads if named else 0):
        column_labels(sketch, picture.columns, left + head * made.pitch_columns * cell, top, cell, True)
    for layer in range(len(picture.layers) if named else 0):
        row_labels(sketch, picture.rows, left, top + layer * made.pitch_rows * cell, cell)
    cells = Rect(left, top, made.index.shape[1] * cell, made.index.shape[0] * cell)
    sketch.cells(cells, made.index, picture.scale.colours)
    if named:
        _answer(drawing, made, picture, left, top, cell)
    drawing.cramped = math.isfinite(drawing.room) and made.pitch_columns * cell < width(f"H{n_heads}", LABEL) + 4
    bottom = max(cells.bottom, colour_bar(sketch, picture.scale, cells.right + 16, top, cells.high, drawing.room))
    legend(sketch, picture, made.index, left, bottom, drawing.words, drawing.room)
    write_marks(drawing, sketch.marks)


def _answer(drawing: Drawing, made: Atlas, picture: HeadGrid, left: float, top: float, cell: float) -> None:
    """Let every thumbnail say the values of its cells, under the tap of its layer."""
    for place, layer in enumerate(picture.layers):
        tap = picture.caption.tap.replace(".*.", f".{layer}.")
        for head in range(picture.values.shape[1]):
            down, across = made.corner(place, head)
            caption = attrs.evolve(picture.caption, title=f"L{layer} H{head}", tap=tap)
            x, y, values = left + across * cell, top + down * cell, picture.values[place, head]
            drawing.answer(Answering(values, picture.rows, picture.columns, caption, x, y, cell, cell, picture.reason))


def _head_labels(sketch: Sketch, made: Atlas, n_heads: int, left: float, top: float, cell: float) -> None:
    pitch = made.pitch_columns * cell
    # Where the names of all heads would touch, only every nth head is named.
    for head in range(0, n_heads, math.ceil((width(f"H{n_heads}", LABEL) + 4) / pitch)):
        sketch.write(left + head * pitch + made.n_columns * cell / 2, top + 12, f"H{head}", LABEL, "faint", "middle")


def _layer_labels(sketch: Sketch, made: Atlas, layers: tuple[int, ...], left: float, top: float, cell: float) -> None:
    pitch = made.pitch_rows * cell
    every = math.ceil(LABEL / pitch)
    for row, layer in list(enumerate(layers))[::every]:
        sketch.write(left - 8, top + row * pitch + made.n_rows * cell / 2 + 4, f"L{layer}", LABEL, "faint", "end")


def _measure_labels(
    sketch: Sketch, made: Atlas, picture: HeadGrid, left: float, tops: tuple[float, float], cell: float
) -> None:
    """Write layer, head and measure above each thumbnail, in the first line at the first of `tops`, above the tokens' names."""
    assert picture.measured is not None  # The caller has checked.
    for place, layer in enumerate(picture.layers):
        for head in range(picture.values.shape[1]):
            down, across = made.corner(place, head)
            figure = picture.measured.figure(place, head)
            name = f"L{layer} H{head} {figure}"
            shown = name if width(name, LABEL) <= made.pitch_columns * cell else figure
            x, y = left + (across + made.n_columns / 2) * cell, tops[1] + down * cell - 5 if down else tops[0]
            sketch.write(x, y, shown, LABEL, "faint", "middle")


def _tables(picture: HeadGrid) -> Iterator[Table]:
    """One table of each layer, as recorded, and one of the measure. A wall of large maps has only blocks: it gives no table."""
    if picture.large is not None:
        return
    for layer, heads in zip(picture.layers, picture.recorded, strict=True):
        name = with_layer(picture.caption.tap.replace(".*.", f".{layer}."), layer)
        yield Table(name, heads, picture.rows, picture.columns)
    if picture.measured is not None:
        names = tuple(f"L{layer}" for layer in picture.layers), tuple(f"H{head}" for head in range(picture.values.shape[1]))
        key = f"{picture.caption.tap.rpartition('.')[0]}.weights.{picture.measured.key}"
        yield Table(key, picture.measured.values, Axis("layer", names[0]), Axis("head", names[1]))


def _described(picture: HeadGrid, words: Words) -> str:
    place = "" if picture.chosen is None else words("picture.head", layer=picture.chosen[0], head=picture.chosen[1])
    row = picture.chosen_place
    told = "" if picture.measured is None or row is None else picture.measured.told(*row, words)
    return f"{picture.caption.title} {picture.caption.shape} {place} {told}".rstrip()


HEAD_GRID = Kind(draw_grid, _tables, _described)
