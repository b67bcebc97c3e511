"""Heat maps, strips and the wall of all heads outside the window, as SVG, as tables and in words."""

from collections.abc import Iterator

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import AnsweringMap, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis, Caption, HeadGrid, Heatmap, Strips
from explorer.picture.layout.atlas import Atlas
from explorer.picture.layout.map_sheet import map_sheet
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.strips import strips_sheet
from explorer.picture.layout.viewport import CellField
from explorer.picture.layout.wall import thumbnail, wall_sheet
from explorer.picture.marks import Rect
from explorer.picture.tables import Table, table_name
from explorer.trace.tap_names import with_layer


def draw_heatmap(drawing: Drawing, picture: Heatmap, top: float) -> None:
    """Draw a map with its labels, its colour bar and a legend of closed cells."""
    sketch = Sketch(drawing.theme, "", measured)
    made = map_sheet(sketch, picture, drawing.words, top, drawing.room)
    drawing.answer(answering(picture, made.field.rect))
    drawing.cramped = made.cramped
    write_marks(drawing, sketch.marks)


def draw_strips(drawing: Drawing, picture: Strips, top: float) -> None:
    """Draw bands beside each other, in as many lines as they need."""
    sketch = Sketch(drawing.theme, "", measured)
    for band, field in strips_sheet(sketch, picture, drawing.words, top, drawing.room):
        drawing.answer(answering(band, field.rect))
    write_marks(drawing, sketch.marks, images=True)


def answering(picture: Heatmap, cells: Rect) -> AnsweringMap:
    """A map that stands at a place of a drawing."""
    return AnsweringMap(picture.values, picture.rows, picture.columns, picture.caption, cells, picture.reason, picture.head)


def _heatmap_tables(picture: Heatmap) -> Iterator[Table]:
    if not picture.pending:
        yield _table(picture)


def _strips_tables(picture: Strips) -> Iterator[Table]:
    for band in picture.bands:
        made = _table(band, picture.caption)
        yield made if band.head is None else attrs.evolve(made, name=f"{made.name}.head{band.head}")


def _table(made: Heatmap, around: Caption | None = None) -> Table:
    """The recorded array where the map shows it; otherwise the map's own values, with NaN in closed cells."""
    if made.is_recorded:
        assert made.recorded is not None  # is_recorded implies it; the type checker cannot know.
        return Table(made.caption.tap, made.recorded, made.rows, made.columns, made.head)
    values = made.values if made.closed is None else np.where(made.closed, np.float32(np.nan), made.values)
    told = attrs.evolve(made.caption, tap=made.caption.tap or (around.tap if around is not None else ""))
    return Table(table_name(told, computed=True), values, made.rows, made.columns, made.head)


def _map_described(picture: Heatmap | Strips, words: Words) -> str:
    return f"{picture.caption.title} {picture.caption.shape}"


HEATMAP = Kind[Heatmap](draw_heatmap, _heatmap_tables, _map_described)
STRIPS = Kind[Strips](draw_strips, _strips_tables, _map_described)


def draw_grid(drawing: Drawing, picture: HeadGrid, top: float) -> None:
    """Draw all maps with their names, below the formula of their measure, if there is one."""
    sketch = Sketch(drawing.theme, "", measured)
    if picture.measured is not None:
        sketch.formula(0, top, f"{picture.measured.name}: {picture.measured.formula or '–'}")
        top += 16
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
            drawing.answer(AnsweringMap(values, picture.rows, picture.columns, caption, cells, picture.reason, head))


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


def _wall_described(picture: HeadGrid, words: Words) -> str:
    place = "" if picture.chosen is None else words("picture.head", layer=picture.chosen[0], head=picture.chosen[1])
    row = picture.chosen_place
    told = "" if picture.measured is None or row is None else picture.measured.told(*row, words)
    return f"{picture.caption.title} {picture.caption.shape} {place} {told}".rstrip()


HEAD_GRID = Kind(draw_grid, _tables, _wall_described)
