"""A TokenRow outside the window: as SVG, as a table and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, TokenRow
from explorer.picture.tables import Table

_LINE_PX = 1100.0  # px; a wider row goes on in the next line
_MOST_TOLD = 200  # tokens in the description


def draw_tokens(drawing: Drawing, picture: TokenRow, top: float) -> None:
    """Draw a chip for each token with its text, id and span, in as many lines as they need."""
    x = 0.0
    for chip in picture.chips:
        span = f"{chip.start}–{chip.end}"
        wide = max(width(chip.text, 16), width(span, 10), width(str(chip.id), 10), 24.0) + 16
        if x and x + wide > drawing.within(_LINE_PX):
            x, top = 0.0, top + 60
        edge = drawing.theme.hairline if chip.known else drawing.theme.warning
        drawing.add(
            f'<rect x="{x:.1f}" y="{top:g}" width="{wide:.1f}" height="52" rx="4" fill="none" stroke="{edge}"/>',
            x + wide,
            top + 52,
        )
        drawing.write(x + wide / 2, top + 21, chip.text, anchor="middle", size=16)
        drawing.write(x + wide / 2, top + 35, f"{chip.id}", anchor="middle", size=10, faint=True)
        drawing.write(x + wide / 2, top + 47, span, anchor="middle", size=10, faint=True)
        x += wide + 6


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
