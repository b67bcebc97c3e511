"""Bars outside the window: as SVG, as a table and in words."""

from collections.abc import Iterator

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, Bars
from explorer.picture.layout.bars import bar_rows, draw_bar, outline
from explorer.picture.layout.sketch import LABEL, Sketch
from explorer.picture.marks import Rect
from explorer.picture.tables import Table, table_name

_LONGEST_PX, _LEAST_PX, _ROW_PX = 320.0, 24.0, 22.0  # px of the longest bar, the least where there is little room, and of a row
_TOLD = 3  # bars that the description names


def draw_bars(drawing: Drawing, picture: Bars, top: float) -> None:
    """Draw all bars below each other, and what hatching and outline mean."""
    labels = max((width(label, LABEL) for label in picture.labels), default=0.0)
    figures = max((width(number(float(value)), LABEL) for value in picture.values), default=0.0)
    beside = labels + figures + 14
    wide = max(beside + _LEAST_PX, drawing.filling(beside + _LONGEST_PX))
    sketch, shown = Sketch(drawing.theme, "", measured), range(len(picture.labels))
    area = Rect(0, top, wide, _ROW_PX * len(shown))
    for row in bar_rows(picture, shown, area, _ROW_PX, labels, figures):
        draw_bar(sketch, picture, row, LABEL)
    _legend(sketch, picture, area.bottom + 8, drawing.words)
    write_marks(drawing, sketch.marks)


def _legend(sketch: Sketch, picture: Bars, y: float, words: Words) -> None:
    """Say what hatching and outline mean, where the bars have them."""
    if picture.cut is not None and picture.cut.any():
        sketch.hatch(Rect(2, y, 12, 12))
        sketch.write(20, y + 10, words("sampling.cut"), LABEL, sketch.theme.faint)
        y += 20
    if picture.chosen is not None:
        sketch.marks.append(outline(Rect(5, y + 3, 6, 6)))
        sketch.write(20, y + 10, words("sampling.chosen"), LABEL, sketch.theme.faint)


def _tables(picture: Bars) -> Iterator[Table]:
    labels = picture.labels
    if picture.ids:
        labels = tuple(f"{label} #{each}" for label, each in zip(labels, picture.ids, strict=True))
    # Bars are a sorted choice of the numbers, so their table counts as computed even where the numbers were recorded.
    name = table_name(picture.caption, computed=True)
    yield Table(name, picture.values[:, None], Axis("symbol", labels), Axis("value", ("value",)))


def _described(picture: Bars, words: Words) -> str:
    first = zip(picture.labels[:_TOLD], picture.values[:_TOLD], strict=True)
    return f"{picture.caption.title} {', '.join(f'{label} {number(float(value))}' for label, value in first)}"


BARS = Kind(draw_bars, _tables, _described)
