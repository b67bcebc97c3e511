"""The chips of a TokenRow: how wide each is, and its marks: the text, below it id and span, and its merges."""

import attrs

from explorer.picture.layout.sketch import Measure, Sketch
from explorer.picture.marks import Box, Rect
from explorer.tokens.token import Token

HEIGHT_PX, GAP_PX = 44.0, 4.0
_PAD, _LEAST_PX, _MERGE_PX = 8.0, 12.0, 14.0
UNKNOWN_DASH = (4.0, 2.0)  # px, of the edge of a token that the vocabulary lacks


@attrs.frozen
class ChipSizes:
    """The sizes of letters (px), of texts and of figures; `scale` is how many times as large the chips themselves are."""

    text: float = 16.0
    figures: float = 10.0
    scale: float = 1.0


def figures(chip: Token) -> str:
    """Id and span of a token."""
    return f"{chip.id} · {chip.start}–{chip.end}"


def chip_wide(chip: Token, sizes: ChipSizes, measure: Measure, *, merges: bool) -> float:
    """The width (px) of a chip, with its merges or without."""
    lines = (figures(chip), *(chip.merges if merges else ()))
    widest = max(measure(chip.text, sizes.text, False), *(measure(line, sizes.figures, False) for line in lines), _LEAST_PX)
    return 2 * _PAD * sizes.scale + widest


def chip_high(n_merges: int, sizes: ChipSizes) -> float:
    """The height (px) of chips with room for so many merges."""
    return sizes.scale * (HEIGHT_PX + _MERGE_PX * n_merges)


def draw_chip(sketch: Sketch, chip: Token, rect: Rect, sizes: ChipSizes, *, lit: bool = False, merges: bool = False) -> None:
    """Draw one chip. One that is unknown has a dashed edge in the colour of warnings."""
    theme, centre, top, scale = sketch.theme, rect.x + rect.wide / 2, rect.y, sizes.scale
    edge = theme.accent if lit else theme.hairline if chip.known else theme.warning
    dash = () if chip.known else UNKNOWN_DASH
    sketch.marks.append(Box(rect, theme.card, edge, 4.0, 1.5 if lit else 1.0, dash=dash))
    colour = theme.faint if chip.known else theme.warning
    sketch.write(centre, top + 15.5 * scale + 0.36 * sizes.text, chip.text, sizes.text, anchor="middle")
    lines = (figures(chip), *(chip.merges if merges else ()))
    for place, line in enumerate(lines):
        middle = 33.5 if not place else HEIGHT_PX - 4 + (place - 0.5) * _MERGE_PX
        sketch.write(centre, top + middle * scale + 0.36 * sizes.figures, line, sizes.figures, colour, "middle")
