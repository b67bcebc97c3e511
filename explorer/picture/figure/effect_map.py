"""An EffectMap outside the window: as SVG, as tables and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import EffectMap
from explorer.picture.cell_text import number, told_origin
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.effect_map import draw_effects, places
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.tables import Table, table_name

_WIDE_PX, _LEAST_PX, _ROW_PX, _ROUND_PX = 660.0, 340.0, 26.0, 110.0


def draw_effect_map(drawing: Drawing, picture: EffectMap, top: float) -> None:
    """Draw the map with its bars, its sentence and its scales."""
    sketch = Sketch(drawing.theme, picture.scale.colours, measured)
    area = Rect(0, top, drawing.filling(_WIDE_PX, _LEAST_PX), _ROUND_PX + _ROW_PX * len(picture.rows))
    at = places(picture, area, measured)
    draw_effects(sketch, picture, drawing.words, area, at)
    write_marks(drawing, sketch.marks)
    drawing.reach(at.bars.right, at.bars.bottom + 50)


def tell_effect(picture: EffectMap, row: int, head: int | None, words: Words) -> str:
    """One effect in words: what is switched off, what that does to the word, and the tap."""
    about = picture.rows[row]
    heads = np.isfinite(picture.values[row]).any()
    value = float(picture.whole[row] if head is None or not heads else picture.values[row, head])
    if picture.pending or not np.isfinite(value):
        return words("status.computing") if picture.pending else ""
    off = f"{about.group} {about.name}" + ("" if head is None or not heads else f" H{head}")
    key = "effects.estimate_of" if picture.is_estimate(row) and head is not None and heads else "effects.effect_of"
    with np.errstate(over="ignore"):
        factor = number(float(f"{np.exp(value):.3g}"))
    change = f"{value:+.3g}".replace("-", "\N{MINUS SIGN}")
    told = words(key, off=off, word=picture.word, value=change, factor=factor, tap=about.tap)
    return told + told_origin(picture.caption, words)


def _tables(picture: EffectMap) -> Iterator[Table]:
    """The effects of heads, and those of all that a row stands for. Rows have the names of their taps."""
    if picture.pending:
        return
    rows = Axis("tap", tuple(row.tap for row in picture.rows))
    name = table_name(picture.caption, computed=True)
    n_heads = picture.values.shape[1]
    yield Table(f"{name}.heads", picture.values, rows, Axis("head", tuple(map(str, range(n_heads)))))
    yield Table(f"{name}.whole", picture.whole[:, None], rows, Axis("effect", (picture.word,)))


def _described(picture: EffectMap, words: Words) -> str:
    return f"{picture.caption.title}: {picture.word}. {picture.told}".strip()


EFFECT_MAP = Kind(draw_effect_map, _tables, _described)
