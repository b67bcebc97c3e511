"""Waves outside the window: as SVG, as a table and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.figure.drawing import LABEL, Drawing, largest
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis, Waves
from explorer.picture.scales import curve_colours
from explorer.picture.tables import Table, table_name

_WIDE_PX, _LEAST_PX = 640.0, 120.0
_MOST_NAMES = 0.4  # of the room; names that take more stand below the curves
_MOST_DOTTED = 128  # places; dots of more places would touch


def draw_waves(drawing: Drawing, picture: Waves, top: float) -> None:
    """Draw curves around a zero line, shade the positions of the text, and name the curves at the right."""
    names = 40 + max((width(name, LABEL) for name in picture.names), default=0.0)
    most = largest(picture.values)
    high, left = 240.0, max(40.0, width(number(-most), LABEL) + 8)
    below = names > _MOST_NAMES * drawing.room  # Long names stand below the curves where there is little room.
    beside = 8.0 if below else names
    wide = max(_LEAST_PX, drawing.filling(left + _WIDE_PX + names) - left - beside)
    n = picture.values.shape[1]
    step = wide / max(1, n - 1)
    middle = top + high / 2
    marked = (picture.n_marked - 1) * step
    drawing.add(
        f'<rect x="{left:g}" y="{top:g}" width="{max(marked, 1):.1f}" height="{high:g}" '
        f'fill="{drawing.theme.closed}" opacity="0.6"/>',
        left + wide,
        top + high,
    )
    drawing.add(f'<path d="M{left:g} {middle:g}h{wide:g}" stroke="{drawing.theme.hairline}"/>')
    colours = curve_colours(drawing.theme.name == "dark", max(8, len(picture.names)))
    if picture.main is not None:
        colours[picture.main] = drawing.theme.accent
    for index, (curve, name, colour) in enumerate(zip(picture.values, picture.names, colours, strict=False)):
        points = " ".join(
            f"{left + x * step:.1f},{middle - value / most * high / 2:.1f}"
            for x, value in _points(picture, index)
            if np.isfinite(value)
        )
        drawing.add(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-linejoin="round"/>')
        if n <= _MOST_DOTTED:
            dots = "".join(
                f'<circle cx="{left + i * step:.1f}" cy="{middle - value / most * high / 2:.1f}" r="2"/>'
                for i, value in enumerate(curve)
                if np.isfinite(value)
            )
            drawing.add(f'<g fill="{colour}">{dots}</g>')
        x, y = (left - 16, top + high + 44) if below else (left + wide, top + 12)
        y += index * 18
        drawing.add(f'<path d="M{x + 16:g} {y - 4:g}h18" stroke="{colour}" stroke-width="2"/>')
        drawing.write(x + 40, y, name, faint=True)
    for y, value in ((top + 10, most), (middle + 4, 0.0), (top + high, -most)):
        drawing.write(left - 6, y, number(value), anchor="end", faint=True)
    drawing.write(left + wide / 2, top + high + 20, f"{picture.x_name} 0 … {n - 1}", anchor="middle", faint=True)


def _points(picture: Waves, index: int) -> Iterator[tuple[float, float]]:
    """(x, y) of a curve's points: at the places, and between them where a formula says what is there."""
    if picture.between is None:
        yield from enumerate(picture.values[index].tolist())
        return
    yield from zip(picture.between.x.tolist(), picture.between.values[index].tolist(), strict=True)
    beyond = int(picture.between.x[-1]) + 1
    yield from enumerate(picture.values[index, beyond:].tolist(), beyond)


def _tables(picture: Waves) -> Iterator[Table]:
    x = np.arange(picture.values.shape[1]) if picture.x is None else picture.x
    yield Table(
        table_name(picture.caption),
        picture.values,
        Axis("curve", picture.names),
        Axis(picture.x_name, tuple(f"{place:g}" for place in x)),
    )


def _described(picture: Waves, words: Words) -> str:
    return f"{picture.caption.title} {picture.caption.shape} {picture.caption.note}"


WAVES = Kind(draw_waves, _tables, _described)
