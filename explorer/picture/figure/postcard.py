"""A Postcard outside the window: as SVG, as tables and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.postcard import HIGH_PX, WIDE_PX, draw_postcard
from explorer.picture.layout.sketch import Sketch
from explorer.picture.tables import Table


def _draw(drawing: Drawing, picture: Postcard, top: float) -> None:
    sketch = Sketch(drawing.theme, "", measured)
    draw_postcard(sketch, picture, drawing.words, top)
    write_marks(drawing, sketch.marks)
    drawing.reach(WIDE_PX, top + HIGH_PX)


def _tables(picture: Postcard) -> Iterator[Table]:
    """log p of each word before, without and with the change, and the difference (nats); then the two maps of weights."""
    rows = [(each.log_p, each.log_p_after, each.difference) for each in picture.words]
    cells = np.array([[np.nan if value is None else value for value in row] for row in rows], np.float64).reshape(-1, 3)
    names = tuple(each.before if each.before == each.after else f"{each.before} → {each.after}" for each in picture.words)
    yield Table("log_p.changed", cells, Axis("word", names), Axis("of", ("before", "after", "difference")))
    for name, made in (("weights.before", picture.map_before), ("weights.after", picture.map_after)):
        if made is not None:
            yield Table(name, made.values, made.rows, made.columns, made.head)


def _described(picture: Postcard, words: Words) -> str:
    before = " ".join(each.before for each in picture.words if each.before)
    after = " ".join(each.after for each in picture.words if each.after)
    lines = (
        f"{picture.changes}: {picture.sentence}",
        f"{words('change.before')}: {before}",
        f"{words('change.after')}: {after}",
        picture.about,
        picture.hit,
        picture.rate,
    )
    return "\n".join(filter(None, lines))


POSTCARD = Kind[Postcard](_draw, _tables, _described, sheet=(WIDE_PX, HIGH_PX))
