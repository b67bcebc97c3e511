"""One cell in words: its value, its tokens, its tap and shape. Tooltip, status line and screen reader say the same.

The tooltip has three lines, so that it hides little of the map; the status line and the screen reader add the calculation. The
page Follow a weight shows how an attention cell comes about.
"""

import math

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.arithmetic import written_out
from explorer.picture.axis import Axis, strongest
from explorer.picture.kinds import Caption, HeadGrid, Heatmap, Waves
from explorer.picture.scales import Scale
from explorer.state.offers import ChangePlace
from explorer.trace.tap_names import ATTENTION_MAP, Cell, cell_in

NO_EFFECT = 0.05
"""Differences of log p that are smaller (nats) are no effect."""


def number(value: float) -> str:
    """A value with four significant figures; NaN and ±∞ where it is not finite."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    text = f"{value:.4g}" if 1e-4 <= abs(value) < 1e5 else f"{value:.3e}"
    return text.replace("-", "−")


def told_reach(scale: Scale, words: Words) -> str:
    """The end of a zero-centred scale, and the largest outlier beyond it."""
    told = f"±{number(float(f'{scale.high:.2g}'))}"
    return told if scale.reach is None else f"{told} · {words('legend.outliers', reach=number(float(f'{scale.reach:.2g}')))}"


def told_closed(picture: Heatmap | HeadGrid, words: Words) -> tuple[str, str]:
    """What masks cells: with the reason, if there is one, and without it."""
    name = (picture.closed_by if isinstance(picture, Heatmap) else "") or words("legend.closed")
    return words("legend.because", name=name, reason=picture.reason) if picture.reason else name, name


def rough(value: float, digits: int = 3) -> str:
    """A value as it reads inside a sentence: few digits, thousands apart, no trailing zeros."""
    if not np.isfinite(value):
        return number(value)
    text = f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e").replace("-", "−")


def place_told(picture: Waves, place: int, digits: int = 3) -> str:
    """What stands at a place of curves: its number, or the value there."""
    return str(place) if picture.x is None else rough(float(picture.x[place]), digits)


def cell(picture: Heatmap, row: int, column: int, words: Words) -> str:
    """One cell of a map in words: value or calculation, place, tap and shape."""
    closed = picture.closed is not None and bool(picture.closed[row, column])
    value = _value(picture, row, column, closed=closed)
    where = f"{_at(picture.rows, row)}  →  {_at(picture.columns, column)}"
    if picture.made_of is not None and not closed:
        value = written_out(picture.made_of, row, column, value, words)
    caption = _caption(picture, row)
    told = words("picture.cell", value=value, where=where, tap=caption.tap, shape=caption.shape).rstrip()
    return told + told_origin(caption, words)


def cell_tip(picture: Heatmap, row: int, column: int, words: Words, *, follows: bool) -> str:
    """One cell of a map in three lines: value, place, tap; and how to follow it, if it `follows`. A fourth says its origin."""
    closed = picture.closed is not None and bool(picture.closed[row, column])
    value = _value(picture, row, column, closed=closed)
    where = f"{_at(picture.rows, row)}  →  {_at(picture.columns, column)}"
    return _tip(value, where, _caption(picture, row), words, follows=follows) + told_origin(picture.caption, words)


def _value(picture: Heatmap, row: int, column: int, *, closed: bool) -> str:
    """The value of a cell, with ≈ if it is an estimate, and the numbers beside it; of a masked cell the reason."""
    beside = [f"{name} {number(float(array[row, column]))}" for name, array in picture.beside]
    if closed:
        reasons = (reason for reason, cells in picture.reasons if cells[row, column])
        return " · ".join((next(reasons, picture.reason), *beside))
    about = "≈ " if picture.estimated is not None and picture.estimated[row, column] else ""
    return " · ".join((f"{about}{number(float(picture.values[row, column]))}", *beside))


def _caption(picture: Heatmap, row: int) -> Caption:
    """The caption as it holds for one row: with the row's own tap where rows have different ones; of a parameter its name."""
    caption = picture.caption
    name = caption.name if caption.origin == "parameter" else ""
    tap = picture.taps[row] if picture.taps else name or caption.tap
    return attrs.evolve(caption, tap=tap)


def _tip(value: str, where: str, caption: Caption, words: Words, *, follows: bool) -> str:
    told = words("picture.cell", value=value, where=where, tap=caption.tap, shape=caption.shape).rstrip()
    return f"{told} · {words('follow.how')}" if follows else told


def followable(picture: Heatmap, row: int, column: int) -> Cell | None:
    """The attention cell that a map's cell shows, between two words the strongest; None for other maps and means over heads."""
    query, key = strongest(picture.rows, picture.columns, picture.unfolded, row, column)
    if picture.query is None:
        return cell_in(picture.caption.tap, picture.head, query, key)
    # The rows are heads, and the last one is their mean.
    is_head = row < len(picture.rows.labels) - 1
    return cell_in(picture.caption.tap, row if is_head else None, picture.query, key)


def changeable(picture: Heatmap, row: int, column: int) -> ChangePlace | None:
    """The place of the change that a reader asks for at a map's cell; None where the cells are not those of a tap.

    A cell between words of several tokens stands for several cells of the tap, so it has no place.
    """
    if len(picture.rows.rows(row)) > 1 or len(picture.columns.rows(column)) > 1:
        return None
    cell = followable(picture, row, column)
    if cell is not None:
        return ChangePlace(cell.tap("weights"), cell.head, cell.query, cell.key)
    tap = picture.caption.tap
    if not tap or not picture.is_recorded or not picture.rows.side or ATTENTION_MAP.search(tap):
        return None
    return ChangePlace(tap, picture.head, row, column)


def followable_on_wall(picture: HeadGrid, layer: int, head: int, row: int, column: int) -> Cell | None:
    """The attention cell of a thumbnail, between two words the strongest; `layer` is its place in the picture."""
    tap = picture.caption.tap.replace(".layers.*.", f".layers.{picture.layers[layer]}.")
    unfolded = None if picture.unfolded is None else picture.unfolded[layer, head]
    return cell_in(tap, head, *strongest(picture.rows, picture.columns, unfolded, row, column))


def changeable_on_wall(picture: HeadGrid, layer: int, head: int, row: int, column: int) -> ChangePlace | None:
    """The place of the change that a reader asks for at a cell of a thumbnail; None between words of several tokens."""
    if len(picture.rows.rows(row)) > 1 or len(picture.columns.rows(column)) > 1:
        return None
    cell = followable_on_wall(picture, layer, head, row, column)
    return None if cell is None else ChangePlace(cell.tap("weights"), cell.head, cell.query, cell.key)


def told_origin(caption: Caption, words: Words) -> str:
    """A line with the origin of numbers that the pass did not record; "" for recorded numbers."""
    return "" if caption.origin == "recorded" else f"\n{words(f'picture.origin.{caption.origin}')}"


def grid_cell(picture: HeadGrid, layer: int, head: int, row: int, column: int, words: Words) -> str:
    """One cell of a thumbnail in words, with its calculation; of a large wall, the block of cells around it."""
    value, _block = _grid_value(picture, layer, head, row, column)
    made_of = picture.made_of[layer] if picture.made_of else None
    if made_of is not None and not (picture.closed is not None and picture.closed[row, column]):
        value = written_out(made_of.of_head(head), row, column, value, words)
    return _grid_told(picture, layer, head, row, column, value, words) + _measure_told(picture, layer, head, words)


def _grid_told(picture: HeadGrid, layer: int, head: int, row: int, column: int, value: str, words: Words) -> str:
    """A value with its place, tap and shape."""
    block = _grid_value(picture, layer, head, row, column)[1]
    place = words("picture.head", layer=picture.layers[layer], head=head)
    if block > 1:
        where = (
            f"{place}: {_range(picture.rows, row, block, picture.shape[0])}  →  "
            f"{_range(picture.columns, column, block, picture.shape[1])}"
        )
    else:
        where = f"{place}: {_at(picture.rows, row)}  →  {_at(picture.columns, column)}"
    return words("picture.cell", value=value, where=where, tap=picture.caption.tap, shape=picture.caption.shape)


def grid_tip(picture: HeadGrid, layer: int, head: int, row: int, column: int, words: Words) -> str:
    """One cell of a thumbnail as its tooltip says it, with how to follow it; a block of cells cannot be followed."""
    value, block = _grid_value(picture, layer, head, row, column)
    told = _grid_told(picture, layer, head, row, column, value, words)
    follows = block == 1 and followable_on_wall(picture, layer, head, row, column) is not None
    told = f"{told} · {words('follow.how')}" if follows else told
    return told + _measure_told(picture, layer, head, words)


def _measure_told(picture: HeadGrid, layer: int, head: int, words: Words) -> str:
    """A line with the thumbnail's measure; "" where the wall is not measured."""
    return "" if picture.measured is None else f"\n{picture.measured.told(layer, head, words)}"


def _grid_value(picture: HeadGrid, layer: int, head: int, row: int, column: int) -> tuple[str, int]:
    """The value of a thumbnail's cell in words, and how many cells wide the block is that this value stands for."""
    if picture.large is None:
        closed = picture.closed is not None and bool(picture.closed[row, column])
        return picture.reason if closed else number(float(picture.values[layer, head, row, column])), 1
    levels = picture.large.of(layer, head)
    place = row // levels.block, column // levels.block
    closed = levels.closed is not None and bool(levels.closed[0][place])
    return picture.reason if closed else number(float(levels.arrays[0][place])), levels.block


def _range(axis: Axis, index: int, block: int, n: int) -> str:
    first = index // block * block
    return f"{axis.name} {first}–{min(n, first + block) - 1}"


def _at(axis: Axis, index: int) -> str:
    if axis.labels and not axis.numbered:
        return f"{axis.name} {axis.labels[index]}"
    return f"{axis.name} {axis.number(index)} {axis.labels[index]}" if axis.labels else f"{axis.name} {index}"


def has_no_effect(difference: float) -> bool:
    """Whether a difference of log p (nats) is too small to be an effect."""
    return math.isfinite(difference) and abs(difference) < NO_EFFECT


def told_difference(difference: float) -> str:
    """A difference of log p (nats) with its sign and two decimals: "−2.73", "+0.40"."""
    if not math.isfinite(difference):
        return number(difference)
    told = f"{difference:+.2f}".replace("-", "\N{MINUS SIGN}")
    return told[1:] if not float(told[1:]) else told  # A rounded zero has no sign.
