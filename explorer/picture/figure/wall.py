"""The wall of all heads outside the window. As SVG: layers downward, heads to the right, tokens where there is room."""

from collections.abc import Iterator

import attrs

from explorer.lang import Words
from explorer.picture.figure.drawing import AnsweringMap, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis, HeadGrid
from explorer.picture.layout.atlas import Atlas
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.layout.wall import thumbnail, wall_sheet
from explorer.picture.tables import Table
from explorer.trace.tap_names import with_layer


def draw_grid(drawing: Drawing, picture: HeadGrid, top: float) -> None:
    """Draw all maps with their names, below the formula of their measure, if there is one."""
    if picture.measured is not None:
        drawing.write_rich(0, top, f"{picture.measured.name}: {picture.measured.formula or '–'}")
        top += 16
    sketch = Sketch(drawing.theme, "", measured)
    made, placed = wall_sheet(sketch, picture, drawing.words, top, drawing.room)
    if picture.block == 1:
        _answer(drawing, made, picture, placed.field)
    drawing.cramped = placed.cramped
    write_marks(drawing, sketch.marks)


def _answer(drawing: Drawing, made: Atlas, picture: HeadGrid, field: CellField) -> None:
    """Let every thumbnail say the values of its cells, under the tap of its layer."""
    for place, layer in enumerate(picture.layers):
        tap = picture.caption.tap.replace(".*.", f".{layer}.")
        for head in range(picture.values.shape[1]):
            caption = attrs.evolve(picture.caption, title=f"L{layer} H{head}", tap=tap)
            cells, values = thumbnail(made, field, place, head), picture.values[place, head]
            drawing.answer(AnsweringMap(values, picture.rows, picture.columns, caption, cells, picture.reason))


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
