"""Bars outside the window: as SVG, as a table and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.figure.drawing import LABEL, Drawing, hexadecimal, largest
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, Bars
from explorer.picture.scales import LEVELS, table
from explorer.picture.tables import Table, table_name

_LONGEST_PX, _LEAST_PX = 320.0, 24.0  # px of the longest bar, and the least where there is little room
_TOLD = 3  # bars that the description names


def draw_bars(drawing: Drawing, picture: Bars, top: float) -> None:
    """Draw labelled bars below each other. Bars that sampling cuts away are hatched; the chosen one is outlined."""
    left = 8 + max((width(label, 12) for label in picture.labels), default=0.0)
    longest = largest(picture.values)
    figures = max((width(number(float(value)), LABEL) for value in picture.values), default=0.0)
    most = max(_LEAST_PX, drawing.filling(left + _LONGEST_PX + 6 + figures) - left - 6 - figures)
    colour = hexadecimal(table(picture.scale.colours)[LEVELS // 3])
    for index, (value, label) in enumerate(zip(picture.values, picture.labels, strict=True)):
        y = top + index * 20
        size = float(value) / longest * most if np.isfinite(value) else 0.0
        away = picture.cut is not None and bool(picture.cut[index])
        drawing.write(left - 8, y + 12, label, anchor="end", faint=away)
        if away:
            _hatched(drawing, left, y, size, 15)
        else:
            drawing.add(
                f'<rect x="{left:.1f}" y="{y:.1f}" width="{size:.1f}" height="15" fill="{colour}"/>', left + size, y + 15
            )
        drawing.write(left + size + 6, y + 12, number(float(value)), faint=True)
        if index == picture.chosen:
            _outline(drawing, left - 2, y - 2, size + 4, 19)
    _legend(drawing, picture, top + len(picture.labels) * 20 + 8)


def _hatched(drawing: Drawing, x: float, y: float, wide: float, high: float) -> None:
    """Fill a bar with the grey and the diagonal lines of closed cells. Not every program draws an SVG pattern."""
    drawing.add(
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:g}" fill="{drawing.theme.closed}"/>',
        x + wide,
        y + high,
    )
    lines = "".join(
        f"M{x + i:.1f} {y + high:.1f}l{min(high, wide - i):.1f} {-min(high, wide - i):.1f}" for i in range(0, int(wide), 6)
    )
    if lines:
        drawing.add(f'<path d="{lines}" stroke="{drawing.theme.closed_line}"/>')


def _outline(drawing: Drawing, x: float, y: float, wide: float, high: float) -> None:
    drawing.add(
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:g}" rx="2" fill="none" '
        f'stroke="{drawing.theme.accent}" stroke-width="1.5"/>',
        x + wide,
        y + high,
    )


def _legend(drawing: Drawing, picture: Bars, y: float) -> None:
    """Say what hatching and outline mean, where the bars have them."""
    if picture.cut is not None and picture.cut.any():
        _hatched(drawing, 2, y, 12, 12)
        drawing.write(20, y + 10, drawing.words("sampling.cut"), faint=True)
        y += 20
    if picture.chosen is not None:
        _outline(drawing, 2, y, 12, 12)
        drawing.write(20, y + 10, drawing.words("sampling.chosen"), faint=True)


def _tables(picture: Bars) -> Iterator[Table]:
    labels = picture.labels
    if picture.ids:
        labels = tuple(f"{label} #{each}" for label, each in zip(labels, picture.ids, strict=True))
    # Bars are a sorted choice of the numbers, so their table counts as computed even where the numbers were recorded.
    name = table_name(picture.caption, computed=True)
    yield Table(name, picture.values[:, None], Axis("symbol", labels), Axis("value", ("value",)))


def _described(picture: Bars, words: Words) -> str:
    first = zip(picture.labels[:_TOLD], picture.values[:_TOLD], strict=True)
    return f"{picture.caption.title} {', '.join(f'{label} {number(float(value))}' for label, value in first)}"


BARS = Kind(draw_bars, _tables, _described)
