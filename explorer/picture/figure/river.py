"""A River outside the window: as SVG the very scene that the window paints; as tables the map that is looked at."""

import math
from collections.abc import Iterator
from functools import singledispatch

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import hatching
from explorer.picture.figure.text import BOLD, REGULAR, text, width
from explorer.picture.kinds import Axis
from explorer.picture.river.draw import draw_over, draw_river
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside import draw_inside, draw_inside_over
from explorer.picture.river.inside_grid import lay_out_inside
from explorer.picture.river.pointing import usual
from explorer.picture.river.river import Half, River
from explorer.picture.river.scene import Bands, Box, Cells, Curves, Dots, Hatch, Label, Lanes, Line, Scene, Sentence
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
    drawing.add(f'<rect width="{wide:g}" height="{HEIGHT:g}" fill="{drawing.theme.window}"/>')
    write_scene(drawing, (*(_clear(base.scene, over.scene) if printed else base.scene), *over.scene))
    drawing.add("</g>", wide, top + HEIGHT)


def _clear(scene: Scene, over: Scene) -> Scene:
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


def write_scene(drawing: Drawing, scene: Scene) -> None:
    """Put all items of a scene into a drawing, in their order."""
    for item in scene:
        _write(item, drawing)


def _fill(drawing: Drawing, name: str) -> str:
    return str(getattr(drawing.theme, name, name))


def _opaque(opacity: float) -> str:
    return "" if opacity >= 1 else f' opacity="{opacity:.3f}"'


@singledispatch
def _write(item: object, drawing: Drawing) -> None:
    raise TypeError(type(item).__name__)


@_write.register
def _label(item: Label, drawing: Drawing) -> None:
    weight = BOLD if item.bold else REGULAR
    content = _cut(item.text, item.px, weight, item.room)
    if content:
        anchor = {"left": "start", "middle": "middle", "right": "end"}[item.align]
        drawn = text(
            item.x,
            item.y + 0.36 * item.px,
            content,
            size=item.px,
            fill=_fill(drawing, item.colour),
            anchor=anchor,
            weight=weight,
        )
        drawing.add(drawn.replace("<text ", f"<text{_opaque(item.opacity)} ", 1))


def _cut(content: str, px: float, weight: int, room: float) -> str:
    """The text, cut short where it is wider than its room."""
    if room < 8 or width(content, px, weight) <= room:
        return content if room >= 8 else ""
    while content and width(content + "…", px, weight) > room:
        content = content[:-1]
    return content + "…"


@_write.register
def _sentence(item: Sentence, drawing: Drawing) -> None:
    x = item.x
    for piece in item.pieces:
        weight = BOLD if piece.accent else REGULAR
        bare = piece.text.lstrip()  # An SVG drops blanks at the start of a text.
        x += width(piece.text, item.px, weight) - width(bare, item.px, weight)
        drawing.add(
            text(
                x,
                item.y + 0.36 * item.px,
                bare,
                size=item.px,
                fill=_fill(drawing, "accent" if piece.accent else "text"),
                weight=weight,
            )
        )
        x += width(bare, item.px, weight)


@_write.register
def _box(item: Box, drawing: Drawing) -> None:
    inset = item.width / 2 if item.line else 0
    fill = _fill(drawing, item.fill) if item.fill else "none"
    line = f' stroke="{_fill(drawing, item.line)}" stroke-width="{item.width:g}"' if item.line else ""
    rect = item.rect.grown(-inset)
    drawing.add(
        f'<rect x="{rect.x:.2f}" y="{rect.y:.2f}" width="{max(rect.w, 0):.2f}" height="{max(rect.h, 0):.2f}" '
        f'rx="{item.radius:g}" fill="{fill}"{line}{_opaque(item.opacity)}/>'
    )


@_write.register
def _dots(item: Dots, drawing: Drawing) -> None:
    fill = _fill(drawing, item.colour)
    for x, y in zip(item.x.tolist(), item.y.tolist(), strict=True):
        drawing.add(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{item.radius:g}" fill="{fill}"/>')


@_write.register
def _hatch(item: Hatch, drawing: Drawing) -> None:
    rect = item.rect
    drawing.add(
        f'<rect x="{rect.x:.2f}" y="{rect.y:.2f}" width="{rect.w:.2f}" height="{rect.h:.2f}" fill="{drawing.theme.closed}"/>'
        f'<path d="{hatching(rect.x, rect.y, rect.w, rect.h)}" stroke="{drawing.theme.closed_line}"/>'
    )


@_write.register
def _line(item: Line, drawing: Drawing) -> None:
    drawing.add(
        f'<line x1="{item.x0:.2f}" y1="{item.y0:.2f}" x2="{item.x1:.2f}" y2="{item.y1:.2f}" '
        f'stroke="{_fill(drawing, item.colour)}" stroke-width="{item.width:g}"{_opaque(item.opacity)}/>'
    )


@_write.register
def _cells(item: Cells, drawing: Drawing) -> None:
    """Cells as an image whose pixels are not smoothed: a river has thousands of them."""
    rect = item.rect
    drawing.image(item.index, getattr(drawing.theme, item.colours, item.colours), rect.x, rect.y, rect.w, rect.h, item.opacity)


@_write.register
def _lanes(item: Lanes, drawing: Drawing) -> None:
    x = item.x.tolist()
    for y, widths, opacity in zip(item.y.tolist(), item.width.tolist(), item.opacity.tolist(), strict=True):
        there = _edge(x, [y - wide / 2 for wide in widths])
        back = _edge(x[::-1], [y + wide / 2 for wide in widths[::-1]])
        drawing.add(f'<path d="M{there}L{back}z" fill="{_fill(drawing, item.colour)}"{_opaque(opacity)}/>')


def _edge(x: list[float], y: list[float]) -> str:
    parts = [f"{x[0]:.1f} {y[0]:.2f}"]
    for first, last in zip(range(len(x) - 1), range(1, len(x)), strict=True):
        middle = (x[first] + x[last]) / 2
        parts.append(f"C{middle:.1f} {y[first]:.2f} {middle:.1f} {y[last]:.2f} {x[last]:.1f} {y[last]:.2f}")
    return "".join(parts)


@_write.register
def _bands(item: Bands, drawing: Drawing) -> None:
    across = item.right - item.left
    first, last = item.left + item.bend[0] * across, item.right - item.bend[1] * across
    drawing.add(f'<g fill="none" stroke="{_fill(drawing, item.colour)}">')
    for y0, y1, wide, opacity in zip(*(each.tolist() for each in (item.y0, item.y1, item.width, item.opacity)), strict=True):
        drawing.add(
            f'<path d="M{item.left:.1f} {y0:.1f}C{first:.1f} {y0:.1f} {last:.1f} {y1:.1f} {item.right:.1f} {y1:.1f}" '
            f'stroke-width="{wide:.2f}" stroke-opacity="{min(opacity, 1):.3f}"/>'
        )
    drawing.add("</g>")


@_write.register
def _curves(item: Curves, drawing: Drawing) -> None:
    for line, wide, opacity in zip(item.y.tolist(), item.width.tolist(), item.opacity.tolist(), strict=True):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(item.x.tolist(), line, strict=True))
        drawing.add(
            f'<polyline points="{points}" fill="none" stroke="{_fill(drawing, item.colour)}" '
            f'stroke-width="{wide:.2g}"{_opaque(opacity)}/>'
        )


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
