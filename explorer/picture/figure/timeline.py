"""A Timeline outside the window. As SVG: a chip for each step, with its symbol's probability below it."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number, told_origin
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.figure.drawing import Drawing, hexadecimal
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis
from explorer.picture.scales import LEVELS, table
from explorer.picture.tables import Table, table_name

_LINE_PX = 1100.0  # px; a wider row goes on in the next line
_CHIP, _PITCH, _GAP, _PAD = 32.0, 68.0, 6.0, 8.0  # px
_LABEL, _FIGURE = 16.0, 10.0


def draw_timeline(drawing: Drawing, picture: Timeline, top: float) -> None:
    """Draw all steps, in as many lines as they need. The chosen one is outlined; later ones are faint."""
    x = 0.0
    for step, label in enumerate(picture.labels):
        figure = probability(float(picture.probabilities[step]))
        wide = max(width(label, _LABEL), width(figure, _FIGURE), 24.0) + 2 * _PAD
        if x and x + wide > drawing.within(_LINE_PX):
            x, top = 0.0, top + _PITCH
        _draw_step(drawing, picture, step, x, top, wide)
        x += wide + _GAP


def probability(value: float) -> str:
    """A probability with three figures, so that chips stay narrow; "" for NaN."""
    return "" if np.isnan(value) else f"{value:.3g}".replace("-", "−")


def _draw_step(drawing: Drawing, picture: Timeline, step: int, x: float, top: float, wide: float) -> None:
    chosen, theme = step == picture.chosen, drawing.theme
    edge, stroke = (theme.accent, 2) if chosen else (theme.hairline, 1)
    fill = theme.card if step >= picture.chosen or picture.alike else theme.window
    drawing.add(
        f'<rect x="{x + 1:.1f}" y="{top + 1:g}" width="{wide - 2:.1f}" height="{_CHIP - 2:g}" rx="4" fill="{fill}" '
        f'stroke="{edge}" stroke-width="{stroke}"/>',
        x + wide,
        top + _CHIP,
    )
    drawing.write(
        x + wide / 2,
        top + 22,
        picture.labels[step],
        anchor="middle",
        size=_LABEL,
        faint=step > picture.chosen and not picture.alike,
    )
    value = float(picture.probabilities[step])
    if np.isnan(value):
        return
    drawing.add(
        f'<rect x="{x:.1f}" y="{top + 36:g}" width="{wide:.1f}" height="4" fill="{theme.hairline}"/>', x + wide, top + 40
    )
    colour = hexadecimal(table(picture.scale.colours)[LEVELS // 3])
    drawing.add(f'<rect x="{x:.1f}" y="{top + 36:g}" width="{wide * min(value, 1.0):.1f}" height="4" fill="{colour}"/>')
    drawing.write(x + wide / 2, top + 53, probability(value), anchor="middle", size=_FIGURE, faint=True)


def tell_step(picture: Timeline, step: int, words: Words) -> str:
    """One step in words. Tooltip, status line and screen reader show the same sentence."""
    if picture.pieces and len(picture.pieces[step]) > 1:
        return _tell_word(picture, step, words) + told_origin(picture.caption, words)
    if picture.told:
        return picture.told[step] + told_origin(picture.caption, words)
    first = picture.steps(step)[0]
    told = words("timeline.about_position", step=first, symbol=picture.labels[step])
    if picture.log_p is not None:
        told = words(
            "timeline.about",
            step=first,
            number=first + 1,
            symbol=picture.labels[step],
            value=number(float(picture.probabilities[step])),
            log_p=number(float(picture.log_p[step])),
            rank=picture.ranks[step],
            count=picture.n_symbols,
        )
    return told + told_origin(picture.caption, words)


def _tell_word(picture: Timeline, index: int, words: Words) -> str:
    """A word of several tokens: its probability as the product of theirs."""
    steps, value = picture.steps(index), float(picture.probabilities[index])
    if np.isnan(value):
        return words("timeline.about_position", step=f"{steps[0]}–{steps[-1]}", symbol=picture.labels[index])
    product = " · ".join(f"{text} {probability(each)}" for text, each in picture.pieces[index])
    shown = f"{steps[0] + picture.shift}–{steps[-1] + picture.shift}"
    return words("timeline.word", steps=shown, symbol=picture.labels[index], value=number(value), product=product)


def _tables(picture: Timeline) -> Iterator[Table]:
    columns = {"probability": picture.probabilities.astype(np.float64)}
    if picture.log_p is not None:
        columns |= {"log_p": picture.log_p, "rank": np.array([rank or np.nan for rank in picture.ranks])}
    yield Table(
        table_name(picture.caption, computed=True),
        np.stack(list(columns.values()), axis=1),
        Axis("step", picture.labels),
        Axis("about", tuple(columns)),
    )


def _described(picture: Timeline, words: Words) -> str:
    return tell_step(picture, picture.chosen, words) if picture.labels else ""


TIMELINE = Kind(draw_timeline, _tables, _described)
