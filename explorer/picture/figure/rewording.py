"""A Rewording outside the window: as SVG, as a table and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Rewording
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.rewording import draw_rewording, told_difference
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.tables import Table

_WIDE_PX, _LEAST_PX, _HIGH_PX = 900.0, 220.0, 120.0


def _draw(drawing: Drawing, picture: Rewording, top: float) -> None:
    sketch = Sketch(drawing.theme, picture.scale.colours, measured)
    wide = drawing.filling(_WIDE_PX, _LEAST_PX)
    placed = draw_rewording(sketch, picture, drawing.words, Rect(0, top, wide, _HIGH_PX))
    write_marks(drawing, sketch.marks)
    drawing.reach(wide, max((each.area.bottom for each in placed), default=top))


def _tables(picture: Rewording) -> Iterator[Table]:
    """log p of each word before the change, without and with it, and the difference (nats); NaN for words that came new."""
    rows = [(each.log_p, each.log_p_after, each.difference) for each in picture.words]
    cells = np.array([[np.nan if value is None else value for value in row] for row in rows], np.float64).reshape(-1, 3)
    names = tuple(each.before if each.before == each.after else f"{each.before} → {each.after}" for each in picture.words)
    yield Table("log_p.changed", cells, Axis("word", names), Axis("of", ("before", "after", "difference")))


def _described(picture: Rewording, words: Words) -> str:
    before = " ".join(each.before for each in picture.words if each.before)
    after = " ".join(each.after for each in picture.words if each.after)
    lines = [f"{words('change.before')}: {before}", f"{words('change.after')}: {after}"]
    lines += [
        f"{each.before}: {words('change.delta')} {told_difference(each.difference)}"
        for each in picture.words
        if each.difference is not None
    ]
    return "\n".join((*lines, picture.caption.note))


REWORDING = Kind[Rewording](_draw, _tables, _described)
