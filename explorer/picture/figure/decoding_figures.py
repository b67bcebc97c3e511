"""The kinds about decoding outside the window, as SVG, as tables and in words: bars, the timeline and the tree."""

from collections.abc import Iterator

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number, told_origin
from explorer.picture.decoding_kinds import Timeline, Tree
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, Bars
from explorer.picture.layout.bars import bar_rows, draw_bar, outline
from explorer.picture.layout.sketch import LABEL, Sketch
from explorer.picture.layout.timeline import StepLetters, chips, draw_step, probability
from explorer.picture.layout.tree import layout
from explorer.picture.layout.tree_marks import TreeMarks
from explorer.picture.marks import Rect
from explorer.picture.tables import Table, table_name
from explorer.picture.tree_branches import depths, score_of, summary

_LONGEST_PX, _LEAST_PX, _ROW_PX = 320.0, 24.0, 22.0  # px of the longest bar, the least where there is little room, and of a row
_TOLD = 3  # bars that the description names
_LINE_PX, _PITCH_PX = 1100.0, 66.0  # px; a wider row goes on in the next line


def draw_bars(drawing: Drawing, picture: Bars, top: float) -> None:
    """Draw all bars below each other, and what hatching and outline mean."""
    labels = max((width(label, LABEL) for label in picture.labels), default=0.0)
    figures = max((width(number(float(value)), LABEL) for value in picture.values), default=0.0)
    beside = labels + figures + 14
    wide = max(beside + _LEAST_PX, drawing.filling(beside + _LONGEST_PX))
    sketch, shown = Sketch(drawing.theme, "", measured), range(len(picture.labels))
    area = Rect(0, top, wide, _ROW_PX * len(shown))
    for row in bar_rows(picture, shown, area, _ROW_PX, labels, figures):
        draw_bar(sketch, picture, row, LABEL)
    _legend(sketch, picture, area.bottom + 8, drawing.words)
    write_marks(drawing, sketch.marks)


def _legend(sketch: Sketch, picture: Bars, y: float, words: Words) -> None:
    """Say what hatching and outline mean, where the bars have them."""
    if picture.cut is not None and picture.cut.any():
        sketch.hatch(Rect(2, y, 12, 12))
        sketch.write(20, y + 10, words("sampling.cut"), LABEL, sketch.theme.faint)
        y += 20
    if picture.chosen is not None:
        sketch.marks.append(outline(Rect(5, y + 3, 6, 6)))
        sketch.write(20, y + 10, words("sampling.chosen"), LABEL, sketch.theme.faint)


def _bars_tables(picture: Bars) -> Iterator[Table]:
    labels = picture.labels
    if picture.ids:
        labels = tuple(f"{label} #{each}" for label, each in zip(labels, picture.ids, strict=True))
    # Bars are a sorted choice of the numbers, so their table counts as computed even where the numbers were recorded.
    name = table_name(picture.caption, computed=True)
    yield Table(name, picture.values[:, None], Axis("symbol", labels), Axis("value", ("value",)))


def _bars_described(picture: Bars, words: Words) -> str:
    first = zip(picture.labels[:_TOLD], picture.values[:_TOLD], strict=True)
    return f"{picture.caption.title} {', '.join(f'{label} {number(float(value))}' for label, value in first)}"


BARS = Kind(draw_bars, _bars_tables, _bars_described)


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


def _timeline_tables(picture: Timeline) -> Iterator[Table]:
    columns = {"probability": picture.probabilities.astype(np.float64)}
    if picture.log_p is not None:
        columns |= {"log_p": picture.log_p, "rank": np.array([rank or np.nan for rank in picture.ranks])}
    yield Table(
        table_name(picture.caption, computed=True),
        np.stack(list(columns.values()), axis=1),
        Axis("step", picture.labels),
        Axis("about", tuple(columns)),
    )


def _timeline_described(picture: Timeline, words: Words) -> str:
    return tell_step(picture, picture.chosen, words) if picture.labels else ""


TIMELINE = Kind(draw_timeline, _timeline_tables, _timeline_described)


def draw_tree(drawing: Drawing, picture: Tree, top: float) -> None:
    """Draw the whole tree."""
    made = layout(picture, width, controls=False)
    drawing.add(f'<g transform="translate(0 {top:g})">', made.width + 1, top + made.height + 1)
    write_marks(drawing, TreeMarks(picture, drawing.theme).of(made))
    drawing.add("</g>")


def _tree_tables(picture: Tree) -> Iterator[Table]:
    cells = [
        [branch.parent, depth, branch.log_p, branch.total, score_of(picture, place), branch.rank]
        for place, (branch, depth) in enumerate(zip(picture.branches, depths(picture), strict=True))
    ]
    yield Table(
        "search",
        np.array(cells, np.float64).reshape(-1, 6),
        Axis("branch", tuple(branch.label for branch in picture.branches)),
        Axis("about", ("parent", "step", "log_p", "total", "score", "rank")),
    )


TREE = Kind(draw_tree, _tree_tables, summary)
