"""Tokens outside the window, as SVG, as tables and in words: a row of them, and the cuts of a sentence."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.cut_kinds import CutRows
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis, TokenRow
from explorer.picture.layout.cut_rows import cut_rows, height_px
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.token_row import GAP_PX, HEIGHT_PX, ChipSizes, chip_wide, draw_chip
from explorer.picture.marks import Rect
from explorer.picture.tables import Table

_LINE_PX = 1100.0  # px; a wider row goes on in the next line
_MOST_TOLD = 200  # tokens in the description
_LEAST_PX, _CHARACTER_PX, _BESIDE_PX, _LANE_PX = 720.0, 34.0, 420.0, 34.0


def draw_tokens(drawing: Drawing, picture: TokenRow, top: float) -> None:
    """Draw a chip for each token with its text, id and span, in as many lines as they need."""
    sketch, sizes, x, most = Sketch(drawing.theme, "", measured), ChipSizes(), 0.0, drawing.within(_LINE_PX)
    for chip in picture.chips:
        wide = chip_wide(chip, sizes, measured, merges=False)
        if x and x + wide > most:
            x, top = 0.0, top + HEIGHT_PX + 2 * GAP_PX
        draw_chip(sketch, chip, Rect(x, top, wide, HEIGHT_PX), sizes)
        x += wide + GAP_PX
    write_marks(drawing, sketch.marks)


def _token_row_tables(picture: TokenRow) -> Iterator[Table]:
    cells = np.array([[chip.id, chip.start, chip.end, chip.known] for chip in picture.chips], np.float64)
    yield Table(
        f"tokens.{picture.side}",
        cells.reshape(-1, 4),
        Axis("token", tuple(chip.text for chip in picture.chips)),
        Axis("about", ("id", "start", "end", "known")),
    )


def _token_row_described(picture: TokenRow, words: Words) -> str:
    return " / ".join(chip.text for chip in picture.chips[:_MOST_TOLD])


TOKEN_ROW = Kind(draw_tokens, _token_row_tables, _token_row_described)


def draw_cut_rows(drawing: Drawing, picture: CutRows, top: float) -> None:
    """Draw all rows, as wide as the text needs."""
    natural = max(_LEAST_PX, _BESIDE_PX + _CHARACTER_PX * len(picture.text))
    wide = drawing.filling(natural, _LEAST_PX)
    area = Rect(0, top, wide, height_px(picture, _LANE_PX))
    sketch = Sketch(drawing.theme, picture.difference_scale.colours, measured)
    cut_rows(sketch, picture, drawing.words, area)
    write_marks(drawing, sketch.marks)
    drawing.reach(area.wide, area.bottom)


def _cut_rows_tables(picture: CutRows) -> Iterator[Table]:
    """Of each cut the tokens, the map on units, and its difference to that of the present cut."""
    units = Axis("looking", picture.units), Axis("looked at", picture.units)
    for row in picture.rows:
        name = f"cuts.{row.way or 'by_hand'}"
        cells = [[token.id, token.start, token.end, token.known] for token in row.tokens]
        if cells:
            about = Axis("about", ("id", "start", "end", "known"))
            yield Table(f"{name}.tokens", np.array(cells, np.float64), Axis("token", tuple(t.text for t in row.tokens)), about)
        if row.values is not None:
            yield Table(f"{name}.weights", row.values, *units)
        if row.difference is not None:
            yield Table(f"{name}.difference", row.difference, *units)


def _cut_rows_described(picture: CutRows, words: Words) -> str:
    lines = [f"{picture.caption.title}. {picture.caption.note}".strip()]
    for row in picture.rows:
        cut = " / ".join(picture.text[slice(*word)] for word in row.words)
        lines.append(": ".join(filter(None, (row.name, row.refused or cut, row.about, row.said))))
    return "\n".join(lines)


CUT_ROWS = Kind(draw_cut_rows, _cut_rows_tables, _cut_rows_described)
