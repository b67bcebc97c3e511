"""A River outside the window: as SVG the very scene that the window paints; as tables the map that is looked at."""

import math
from collections.abc import Iterator

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import write_marks
from explorer.picture.figure.text import BOLD, REGULAR, width
from explorer.picture.kinds import Axis
from explorer.picture.marks import Box, Label, Marks, Rect
from explorer.picture.river.draw import draw_over, draw_river
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside import draw_inside, draw_inside_over
from explorer.picture.river.inside_grid import lay_out_inside
from explorer.picture.river.pointing import usual
from explorer.picture.river.river import Half, River
from explorer.picture.river.tell import tell
from explorer.picture.tables import Table

_WORDS = ".words"  # behind the name of a tap whose numbers were folded
WIDTH, HEIGHT = 1172.0, 716.0
"""The room (px) of the river in a window of 1440 × 900."""
_LEAST = 740.0  # px; a narrower one has no room for the names of its parts


def draw_picture(drawing: Drawing, picture: River, top: float) -> None:
    """Draw the river as the window shows it while nothing is pointed at, without its buttons."""
    colours = Colours(picture.unit_colours, picture.signed_colours)
    wide = drawing.filling(WIDTH, _LEAST)
    printed = math.isfinite(drawing.room)
    picture = attrs.evolve(picture, pools=())
    if picture.opened is None:
        grid = lay_out(picture, wide, HEIGHT)
        base = draw_river(picture, grid, drawing.words, colours, switched=False)
        over = draw_over(picture, grid, drawing.words, usual(picture))
    else:
        inside = lay_out_inside(picture, wide, HEIGHT)
        base = draw_inside(picture, inside, drawing.words, colours)
        over = draw_inside_over(picture, inside, drawing.words, colours, usual(picture), closes=False)
    drawing.add(f'<g transform="translate(0 {top:g})">')
    ground = Box(Rect(0, 0, wide, HEIGHT), "window")
    write_marks(drawing, (ground, *(_clear(base.scene, over.scene) if printed else base.scene), *over.scene), images=True)
    drawing.add("</g>", wide, top + HEIGHT)


def _clear(scene: Marks, over: Marks) -> Marks:
    """The items without the labels that an accent would be written over, as happens where lanes are close together."""
    accents = [_extent(item) for item in over if isinstance(item, Label) and item.colour == "accent"]
    return tuple(
        item
        for item in scene
        if not isinstance(item, Label)
        or not any(
            first < right and left < last and abs(y - item.y) < item.px / 2
            for first, last, y in accents
            for left, right, _y in (_extent(item),)
        )
    )


def _extent(label: Label) -> tuple[float, float, float]:
    """Where a label begins and ends, and its middle (px)."""
    wide = min(width(label.text, label.px, BOLD if label.bold else REGULAR), label.room)
    left = label.x - {"left": 0.0, "middle": 0.5, "right": 1.0}[label.align] * wide
    return left, left + wide, label.y


def _tables(picture: River) -> Iterator[Table]:
    """All recorded numbers that are shown: vectors, weights and probabilities; where lanes are words, what they were folded to.

    The lengths of the lanes are computed, and so are probabilities at a sampling temperature other than 1.
    """
    for half in picture.halves:
        if half.block == 1:
            yield from _half_tables(half)
    for block in picture.blocks():
        shown = block.recorded if block.unfolded is None else block.weights
        if shown is not None:
            asks, answers = picture.half_of(block.attention, "query"), picture.half_of(block.attention, "key")
            name = block.tap if asks.whole and answers.whole else f"{block.tap}[:, {_part(asks)}, {_part(answers)}]"
            name += "" if block.unfolded is None else _WORDS
            yield Table(name, shown, _axis("query", asks), _axis("key", answers))
    if picture.contributions is not None:
        for (attention, layer), values in picture.contributions.values.items():
            keys = _axis("key", picture.half_of(attention, "key"))
            yield Table(f"contributions.{attention}.{layer}.step{picture.written.step}", values, Axis("head"), keys)
    last = picture.halves[-1]
    if last.block == 1:
        words = Axis("position", picture.written.labels)
        yield Table(f"{_probabilities(picture)}.written{_of(last)}", picture.written.probabilities[:, None], words, Axis("p"))
    names = tuple(name for name, _p, _id in picture.written.candidates)
    p = np.array([each for _name, each, _id in picture.written.candidates], np.float32)
    yield Table(f"{_probabilities(picture)}.step{picture.written.step}", p[:, None], Axis("vocab", names), Axis("p"))


def _probabilities(picture: River) -> str:
    """The name of the shown probabilities: the tap, or at another sampling temperature how they are computed."""
    at = picture.written.temperature
    return "generator.probabilities" if at == 1 else f"softmax(generator.logits / {at:g})"


def _part(half: Half) -> str:
    return f"{half.first}:{half.end}"


def _of(half: Half) -> str:
    """Which rows of an array are there, as Python writes it; "" for all of them."""
    return ("" if half.whole else f"[{_part(half)}]") + (_WORDS if half.groups else "")


def _half_tables(half: Half) -> Iterator[Table]:
    rows, features = _axis("position", half), Axis("feature")
    for tap, values in zip(half.columns, (half.scaled, half.positions, half.output), strict=True):
        yield Table(f"{half.side}.{tap}{_of(half)}", values, rows, features)
    blocks = [block for layer in half.layers for block in layer]
    lengths = np.stack([half.length, *(block.length for block in blocks), half.last], axis=1)  # [position, place]
    places = ("input", *(f"{block.attention}.{block.layer}" for block in blocks), "norm")
    yield Table(f"{half.side}.residual.length{_of(half)}", lengths, rows, Axis("block", places))


def _axis(name: str, half: Half) -> Axis:
    return Axis(name, half.labels, half.tokens)


def _described(picture: River, words: Words) -> str:
    return "".join(piece.text for piece in tell(picture, words, None, usual(picture).pair, (), ()))


RIVER = Kind(draw_picture, _tables, _described)
