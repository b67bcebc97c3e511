"""A Timeline outside the window: as SVG, as a table and in words."""

from collections.abc import Iterator

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number, told_origin
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.timeline import StepLetters, chips, draw_step, probability
from explorer.picture.tables import Table, table_name

_LINE_PX, _PITCH_PX = 1100.0, 66.0  # px; a wider row goes on in the next line


def draw_timeline(drawing: Drawing, picture: Timeline, top: float) -> None:
    """Draw all steps, in as many lines as they need."""
    sketch, letters, before, most = Sketch(drawing.theme, "", measured), StepLetters(), 0.0, drawing.within(_LINE_PX)
    for step, chip in enumerate(chips(picture, letters, measured)):
        if chip.x > before and chip.right - before > most:
            before, top = chip.x, top + _PITCH_PX
        draw_step(sketch, picture, step, attrs.evolve(chip, x=chip.x - before, y=top), letters, picture.chosen)
    write_marks(drawing, sketch.marks)


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
