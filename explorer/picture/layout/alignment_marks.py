"""The marks of an Alignment: its strands, and the labels at their ends: horizontal, turned upward, or downward for Chinese."""

from collections.abc import Iterator, Mapping

from explorer.picture.alignment_lines import head_colour
from explorer.picture.kinds import Alignment
from explorer.picture.layout.alignment import letter_px, shortened, stacked
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.strands import Placed
from explorer.picture.marks import BELOW_MIDDLE, Box, Dash, Label, Mark, Path, Rect
from explorer.picture.theme import Theme

DASHES: Mapping[str, Dash] = {"": (), "dashed": (7.0, 4.0), "dotted": (2.0, 3.0)}
_MARGIN = 4.0  # px of a horizontal label's place


def ink_of_heads(picture: Alignment, theme: Theme) -> tuple[tuple[str, Dash], ...]:
    """The colour and the dashes of each head's strands; of a single one the accent."""
    if not picture.overlaid:
        return (("accent", ()),)
    inks = (head_colour(each.head, theme) for each in picture.overlaid)
    return tuple((colour, DASHES[dash]) for colour, dash in inks)


def strand(
    made: Placed, cell: tuple[int, int], ink: tuple[str, Dash], width: float, opacity: float, aside: float = 0.0
) -> Path:
    """The strand of one weight, by row and column: a straight line, or an arc; `aside` of the middle (px)."""
    points = made.strands.curve(*cell, aside)
    return Path(points, ink[0], width, opacity, ink[1], curved=len(points) > 2)


def end_label(sketch: Sketch, label: str, rect: Rect, px: float, *, above: bool, turned: bool, lit: bool = False) -> None:
    """Write a label into its place, `above` the strands or below them. One that is lit has a bar where they end.

    Not everybody can see a difference in colour alone.
    """

    def measured(text: str) -> float:
        return sketch.measure(text, px, False)

    colour, centre = "accent" if lit else "text", rect.x + rect.wide / 2
    if lit:
        wide = min(rect.wide - _MARGIN, max(12.0, measured(label)))
        sketch.marks.append(Box(Rect(centre - wide / 2, rect.bottom + 1 if above else rect.y - 3, wide, 2), "accent"))
    if not turned:
        text = sketch.fitting(label, px, rect.wide - _MARGIN)
        sketch.marks.append(Label(centre, rect.y + rect.high / 2, text, px, colour, align="middle"))
    elif stacked(label):
        sketch.marks += _downward(label, rect, px, colour, letter_px(measured), above=above)
    else:
        text = sketch.fitting(label, px, rect.high)
        y, align = (rect.bottom, "left") if above else (rect.y, "right")
        sketch.marks.append(Label(centre, y, text, px, colour, align=align, turn=-90))


def _downward(label: str, rect: Rect, px: float, colour: str, step: float, *, above: bool) -> Iterator[Mark]:
    letters = shortened(label, max(1, int((rect.high + 0.5) / step)))
    top = rect.bottom - step * len(letters) if above else rect.y
    for place, letter in enumerate(letters):
        middle = top + (place + 0.5) * step
        yield Label(rect.x + rect.wide / 2, middle, letter, px, colour, align="middle")


def sample(sketch: Sketch, x: float, y: float, long: float, ink: tuple[str, Dash], width: float, opacity: float = 1) -> None:
    """Draw a strand of a legend that lies level beside the baseline y of its name."""
    middle = y - BELOW_MIDDLE * 12
    sketch.marks.append(Path(((x, middle), (x + long, middle)), ink[0], width, opacity, ink[1]))
