"""A LensMap outside the window: its words as SVG, ranks and probabilities as tables, and how often each layer agrees."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import LensMap
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.lens_map import lens_map
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.tables import Table
from explorer.trace.found.lens import Lens

_USUAL_PX, _LEAST_PX, _LEAST_CELL_PX = 420.0, 340.0, 40.0
_CELL_PX, _ROW_PX, _NAMES_PX, _BELOW_PX, _AGREES_PX = 76.0, 25.0, 110.0, 150.0, 50.0


def draw_lens(drawing: Drawing, picture: LensMap, top: float) -> None:
    """Draw the whole map, and the words that the last row says at the chosen position."""
    n_rows, n_positions = picture.lens.ids.shape[:2]
    beside = 0.0 if picture.agreement is None else _AGREES_PX
    natural = max(_USUAL_PX, _NAMES_PX + _CELL_PX * n_positions + beside)
    least = max(_LEAST_PX, _NAMES_PX + _LEAST_CELL_PX * n_positions + beside)
    area = Rect(0, top, max(least, drawing.within(natural)), _BELOW_PX + _ROW_PX * n_rows)
    sketch = Sketch(drawing.theme, drawing.theme.signed_colours, measured)
    lens_map(sketch, picture, drawing.words, area, 0, (n_rows - 1, picture.chosen))
    write_marks(drawing, sketch.marks)
    drawing.reach(area.wide, area.bottom)


def _tables(picture: LensMap) -> Iterator[Table]:
    """The likeliest word's probability and that of the written one, the place of the written one, and all ten ids."""
    lens, name = picture.lens, "jacobian_lens" if picture.jacobian else "lens"
    rows, columns = Axis("layer", picture.rows), Axis("position", tuple(map(str, range(len(lens.written)))), numbered=False)
    yield Table(f"{name}.p_of_likeliest", lens.probabilities[:, :, 0], rows, columns)
    yield Table(f"{name}.p_of_written", lens.written_p, rows, columns)
    yield Table(f"{name}.rank_of_written", lens.ranks.astype(float), rows, columns)
    named = tuple(f"{row} @{position}" for row in picture.rows for position in range(len(lens.written)))
    n_best = lens.ids.shape[-1]
    places = Axis("rank", tuple(str(rank + 1) for rank in range(n_best)))
    yield Table(f"{name}.ids", lens.ids.reshape(-1, n_best).astype(float), Axis("cell", named), places)
    yield Table(f"{name}.p", lens.probabilities.reshape(-1, n_best), Axis("cell", named), places)
    if picture.agreement is not None:
        both = np.array([picture.agreement.shares(jacobian=jacobian) for jacobian in (False, True)]).T  # [layer, lens]
        yield Table("lens.agreement_held_out", both, rows, Axis("lens", ("lens", "jacobian_lens")))


def _described(picture: LensMap, words: Words) -> str:
    said = (f"{row} {count}" for row, count in zip(picture.rows, agreeing(picture.lens), strict=True))
    return words("lens.agrees", rows=", ".join(said), count=len(picture.lens.written))


def agreeing(lens: Lens) -> list[int]:
    """For each row at how many positions it says the written word."""
    return [int(count) for count in lens.agrees().sum(axis=1)]


LENS = Kind(draw_lens, _tables, _described)
