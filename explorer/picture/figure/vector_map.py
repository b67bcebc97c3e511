"""A VectorMap outside the window: as SVG, its points as tables, and in words."""

from collections.abc import Iterator

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis, VectorMap
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.vector_map import vector_map
from explorer.picture.marks import Rect
from explorer.picture.tables import Table, table_name

_WIDE, _LEAST, _HIGH = 640.0, 280.0, 460.0


def draw_vector_map(drawing: Drawing, picture: VectorMap, top: float) -> None:
    """Draw cloud and ways."""
    sketch = Sketch(drawing.theme, drawing.theme.signed_colours, measured)
    wide = drawing.filling(_WIDE, _LEAST)
    area = Rect(0, top, wide, min(_HIGH, wide))
    vector_map(sketch, picture, drawing.words, area)
    write_marks(drawing, sketch.marks)
    drawing.reach(wide, area.bottom)


def _tables(picture: VectorMap) -> Iterator[Table]:
    name, xy = table_name(picture.caption), Axis("plane", ("x", "y"))
    yield Table(f"{name}.vocabulary", picture.cloud, Axis("symbol", picture.names), xy)
    for place, values in zip(picture.taps, picture.path, strict=True):
        yield Table(f"{place}.{name.rpartition('.')[2]}", values, Axis("position", picture.tokens), xy)


def _described(picture: VectorMap, words: Words) -> str:
    near = ", ".join(picture.names[symbol] for symbol in picture.near[:3])
    token = picture.tokens[picture.chosen] if picture.tokens else ""
    return f"{picture.caption.title}. {picture.caption.note} {words('vectors.nearest_to', token=token)}: {near}"


VECTOR_MAP = Kind(draw_vector_map, _tables, _described)
