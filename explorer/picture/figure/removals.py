"""Removals outside the window: as SVG, both numbers of each part as a table, and the largest in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Removals
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.removals import removals, told_row
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.tables import Table

_WIDE, _LEAST, _ROW_PX, _AROUND_PX = 560.0, 280.0, 22.0, 48.0


def draw_removals(drawing: Drawing, picture: Removals, top: float) -> None:
    """Draw the rows."""
    sketch = Sketch(drawing.theme, picture.signed_colours, measured)
    area = Rect(0, top, drawing.filling(_WIDE, _LEAST), _AROUND_PX + _ROW_PX * len(picture.names))
    removals(sketch, picture, drawing.words, area)
    write_marks(drawing, sketch.marks)
    drawing.reach(area.wide, area.bottom)


def _tables(picture: Removals) -> Iterator[Table]:
    values = np.stack([picture.shares, picture.costs], axis=1)
    yield Table("generator.logits.removals", values, Axis("part", picture.names), Axis("of", ("share", "cost")))


def _described(picture: Removals, words: Words) -> str:
    rows = (told_row(picture, index, words).replace("\n", " ") for index in range(min(3, len(picture.names))))
    return "\n".join((f"{picture.caption.title}. {picture.caption.note}", *rows))


REMOVALS = Kind(draw_removals, _tables, _described)
