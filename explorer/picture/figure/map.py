"""Heat maps and strips outside the window: as SVG, as tables and in words."""

from collections.abc import Iterator

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import AnsweringMap, Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Caption, Heatmap, Strips
from explorer.picture.layout.map_sheet import map_sheet
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.strips import strips_sheet
from explorer.picture.marks import Rect
from explorer.picture.tables import Table, table_name


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
    return AnsweringMap(picture.values, picture.rows, picture.columns, picture.caption, cells, picture.reason)


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


def _described(picture: Heatmap | Strips, words: Words) -> str:
    return f"{picture.caption.title} {picture.caption.shape}"


HEATMAP = Kind[Heatmap](draw_heatmap, _heatmap_tables, _described)
STRIPS = Kind[Strips](draw_strips, _strips_tables, _described)
