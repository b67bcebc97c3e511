"""A TokenRow outside the window: as SVG, as a table and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis, TokenRow
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.token_row import GAP_PX, HEIGHT_PX, ChipSizes, chip_wide, draw_chip
from explorer.picture.marks import Rect
from explorer.picture.tables import Table

_LINE_PX = 1100.0  # px; a wider row goes on in the next line
_MOST_TOLD = 200  # tokens in the description


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


def _tables(picture: TokenRow) -> Iterator[Table]:
    cells = np.array([[chip.id, chip.start, chip.end, chip.known] for chip in picture.chips], np.float64)
    yield Table(
        f"tokens.{picture.side}",
        cells.reshape(-1, 4),
        Axis("token", tuple(chip.text for chip in picture.chips)),
        Axis("about", ("id", "start", "end", "known")),
    )


def _described(picture: TokenRow, words: Words) -> str:
    return " / ".join(chip.text for chip in picture.chips[:_MOST_TOLD])


TOKEN_ROW = Kind(draw_tokens, _tables, _described)
