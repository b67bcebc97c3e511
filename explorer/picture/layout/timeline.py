"""Where the steps of a Timeline stand, and their marks: a chip with the symbol, and a bar of its probability below it."""

import math

import attrs
import numpy as np

from explorer.picture.decoding_kinds import Timeline
from explorer.picture.layout.sketch import Measure, Sketch
from explorer.picture.marks import Rect
from explorer.picture.scales import bar_colour

CHIP_PX, BAR_PX, GAP_PX = 30.0, 4.0, 4.0
_PAD, _LEAST_PX = 8.0, 16.0
_BELOW = 4.0  # px between a chip and its bar


@attrs.frozen
class StepLetters:
    """The sizes of letters (px): of symbols, and of probabilities."""

    symbol: float = 16.0
    figure: float = 10.0


def probability(value: float) -> str:
    """A probability with three figures, so that chips stay narrow; "" for NaN."""
    return "" if np.isnan(value) else f"{value:.3g}".replace("-", "−")


def chips(
    picture: Timeline, letters: StepLetters, measure: Measure, most_px: float = math.inf, room_px: float = 0.0
) -> list[Rect]:
    """The chip of each step, one beside the other from the origin, each at most so wide. What is left of the room is shared."""
    wides = []
    for label, value in zip(picture.labels, picture.probabilities, strict=True):
        widest = max(
            measure(label, letters.symbol, False), measure(probability(float(value)), letters.figure, False), _LEAST_PX
        )
        wides.append(min(most_px, widest + 2 * _PAD))
    spare = max(0.0, room_px - sum(wides) - GAP_PX * (len(wides) - 1)) / max(1, len(wides))
    made, x = [], 0.0
    for wide in wides:
        made.append(Rect(x, 0.0, max(wide, min(most_px, wide + spare)), CHIP_PX))
        x = made[-1].right + GAP_PX
    return made


def bar_below(chip: Rect) -> Rect:
    """The whole bar below a chip."""
    return Rect(chip.x, chip.bottom + _BELOW, chip.wide, BAR_PX)


def draw_step(
    sketch: Sketch, picture: Timeline, step: int, chip: Rect, letters: StepLetters, chosen: int, *, lit: bool = False
) -> None:
    """Draw one step. The `chosen` one is outlined; earlier ones have another ground, later ones are faint."""
    theme, middle = sketch.theme, chip.x + chip.wide / 2
    fill = theme.card if step >= chosen or picture.alike else theme.window
    edge = theme.accent if step == chosen or lit else theme.hairline
    sketch.box(chip, fill, line=edge, width=2 if step == chosen else 1, radius=4)
    symbol = sketch.fitting(picture.labels[step], letters.symbol, chip.wide - _PAD)
    colour = theme.faint if step > chosen and not picture.alike else theme.text
    sketch.write(middle, chip.y + chip.high / 2 + 0.36 * letters.symbol, symbol, letters.symbol, colour, "middle")
    value, bar = float(picture.probabilities[step]), bar_below(chip)
    if not np.isnan(value):
        sketch.box(bar, theme.hairline)
        sketch.box(attrs.evolve(bar, wide=bar.wide * min(value, 1.0)), bar_colour(picture.scale.colours))
        sketch.write(middle, bar.bottom + 1.3 * letters.figure, probability(value), letters.figure, theme.faint, "middle")
