"""A Timeline as SVG: a chip for each step, and below it how probable its symbol was."""

import numpy as np

from explorer.picture.figure.drawing import Drawing, hexadecimal
from explorer.picture.figure.text import width
from explorer.picture.kinds import Timeline
from explorer.picture.scales import LEVELS, table

_LINE_PX = 1100.0  # where the row goes on below
_CHIP, _PITCH, _GAP, _PAD = 32.0, 68.0, 6.0, 8.0  # px
_LABEL, _FIGURE = 16.0, 10.0


def draw_timeline(drawing: Drawing, picture: Timeline, top: float) -> None:
    """All steps, on as many lines as it takes; the chosen one outlined, those after it faint."""
    x = 0.0
    for step, label in enumerate(picture.labels):
        figure = probability(float(picture.probabilities[step]))
        wide = max(width(label, _LABEL), width(figure, _FIGURE), 24.0) + 2 * _PAD
        if x and x + wide > _LINE_PX:
            x, top = 0.0, top + _PITCH
        _draw_step(drawing, picture, step, x, top, wide)
        x += wide + _GAP


def probability(value: float) -> str:
    """Three figures, so that chips stay narrow; nothing where there is none."""
    return "" if np.isnan(value) else f"{value:.3g}".replace("-", "−")


def _draw_step(drawing: Drawing, picture: Timeline, step: int, x: float, top: float, wide: float) -> None:
    chosen, theme = step == picture.chosen, drawing.theme
    edge, stroke = (theme.accent, 2) if chosen else (theme.hairline, 1)
    fill = theme.card if step >= picture.chosen else theme.window
    drawing.add(
        f'<rect x="{x + 1:.1f}" y="{top + 1:g}" width="{wide - 2:.1f}" height="{_CHIP - 2:g}" rx="4" fill="{fill}" '
        f'stroke="{edge}" stroke-width="{stroke}"/>',
        x + wide,
        top + _CHIP,
    )
    drawing.write(x + wide / 2, top + 22, picture.labels[step], anchor="middle", size=_LABEL, faint=step > picture.chosen)
    value = float(picture.probabilities[step])
    if np.isnan(value):
        return
    drawing.add(
        f'<rect x="{x:.1f}" y="{top + 36:g}" width="{wide:.1f}" height="4" fill="{theme.hairline}"/>', x + wide, top + 40
    )
    colour = hexadecimal(table(picture.scale.colours)[LEVELS // 3])
    drawing.add(f'<rect x="{x:.1f}" y="{top + 36:g}" width="{wide * min(value, 1.0):.1f}" height="4" fill="{colour}"/>')
    drawing.write(x + wide / 2, top + 53, probability(value), anchor="middle", size=_FIGURE, faint=True)
