"""Any Picture as an SVG document: the master of every exported figure."""

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.figure.alignment import draw_alignment
from explorer.picture.figure.drawing import Drawing, hexadecimal
from explorer.picture.figure.map import draw_heatmap, draw_strips
from explorer.picture.figure.text import BOLD, document, width
from explorer.picture.figure.timeline import draw_timeline
from explorer.picture.figure.tree import draw_tree
from explorer.picture.figure.wall import draw_grid
from explorer.picture.kinds import Alignment, Bars, Caption, HeadGrid, Heatmap, Picture, Strips, Timeline, TokenRow, Tree, Waves
from explorer.picture.scales import LEVELS, curve_colours, table
from explorer.picture.theme import LIGHT, Theme
from explorer.trace.arrays import Array

_MARGIN = 24.0
_LINE_PX = 1100.0  # where a row of tokens goes on below


def render(picture: Picture, words: Words, theme: Theme = LIGHT) -> str:
    """The document as text. Its size in px follows from the content."""
    drawing = Drawing(theme, words)
    _draw(drawing, picture, _head(drawing, picture.caption))
    body = [f'<g transform="translate({_MARGIN:g} {_MARGIN:g})">', *drawing.body, "</g>"]
    return document(drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN, body, theme.card, picture.caption.title)


def _head(drawing: Drawing, caption: Caption) -> float:
    """Title, tap and shape, formula and note; returns where the picture may begin."""
    drawing.write(0, 16, caption.title, size=16, weight=BOLD)
    y = 38.0
    drawing.write(0, y, "   ".join(part for part in (caption.tap, caption.shape) if part), faint=True)
    if caption.formula:
        y += 20
        drawing.write_rich(0, y, caption.formula)
    if caption.note:
        y += 20
        drawing.write(0, y, caption.note, faint=True)
    return y + 18


def _draw(drawing: Drawing, picture: Picture, top: float) -> None:
    match picture:
        case Heatmap():
            draw_heatmap(drawing, picture, top)
        case HeadGrid():
            draw_grid(drawing, picture, top)
        case Strips():
            draw_strips(drawing, picture, top)
        case Waves():
            _draw_waves(drawing, picture, top)
        case Bars():
            _draw_bars(drawing, picture, top)
        case TokenRow():
            _draw_tokens(drawing, picture, top)
        case Alignment():
            draw_alignment(drawing, picture, top)
        case Timeline():
            draw_timeline(drawing, picture, top)
        case Tree():
            draw_tree(drawing, picture, top)


def _reach(values: Array) -> float:
    """The largest finite magnitude, 1 where there is none: a length must have something to be measured by."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0


def _draw_waves(drawing: Drawing, picture: Waves, top: float) -> None:
    wide, high, left = 640.0, 240.0, 40.0
    n = picture.values.shape[1]
    reach = _reach(picture.values)
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
            f"{left + i * step:.1f},{middle - value / reach * high / 2:.1f}"
            for i, value in enumerate(curve)
            if np.isfinite(value)
        )
        drawing.add(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-linejoin="round"/>')
        y = top + 12 + index * 18
        drawing.add(f'<path d="M{left + wide + 16:g} {y - 4:g}h18" stroke="{colour}" stroke-width="2"/>')
        drawing.write(left + wide + 40, y, name, faint=True)
    for y, value in ((top + 10, reach), (middle + 4, 0.0), (top + high, -reach)):
        drawing.write(left - 6, y, number(value), anchor="end", faint=True)
    drawing.write(left + wide / 2, top + high + 20, f"{picture.x_name} 0 … {n - 1}", anchor="middle", faint=True)


def _draw_bars(drawing: Drawing, picture: Bars, top: float) -> None:
    left = 8 + max((width(label, 12) for label in picture.labels), default=0.0)
    longest = _reach(picture.values)
    colour = hexadecimal(table(picture.scale.colours)[LEVELS // 3])
    for index, (value, label) in enumerate(zip(picture.values, picture.labels, strict=True)):
        y = top + index * 20
        size = float(value) / longest * 320 if np.isfinite(value) else 0.0
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
    _bars_legend(drawing, picture, top + len(picture.labels) * 20 + 8)


def _hatched(drawing: Drawing, x: float, y: float, wide: float, high: float) -> None:
    """The grey of what is closed with its diagonal lines; a pattern would be simpler, but not every reader draws one."""
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


def _bars_legend(drawing: Drawing, picture: Bars, y: float) -> None:
    """What hatching and outline mean, where they are."""
    if picture.cut is not None and picture.cut.any():
        _hatched(drawing, 2, y, 12, 12)
        drawing.write(20, y + 10, drawing.words("sampling.cut"), faint=True)
        y += 20
    if picture.chosen is not None:
        _outline(drawing, 2, y, 12, 12)
        drawing.write(20, y + 10, drawing.words("sampling.chosen"), faint=True)


def _draw_tokens(drawing: Drawing, picture: TokenRow, top: float) -> None:
    x = 0.0
    for chip in picture.chips:
        span = f"{chip.start}–{chip.end}"
        wide = max(width(chip.text, 16), width(span, 10), width(str(chip.id), 10), 24.0) + 16
        if x and x + wide > _LINE_PX:
            x, top = 0.0, top + 60
        edge = drawing.theme.hairline if chip.known else drawing.theme.warning
        drawing.add(
            f'<rect x="{x:.1f}" y="{top:g}" width="{wide:.1f}" height="52" rx="4" fill="none" stroke="{edge}"/>',
            x + wide,
            top + 52,
        )
        drawing.write(x + wide / 2, top + 21, chip.text, anchor="middle", size=16)
        drawing.write(x + wide / 2, top + 35, f"{chip.id}", anchor="middle", size=10, faint=True)
        drawing.write(x + wide / 2, top + 47, span, anchor="middle", size=10, faint=True)
        x += wide + 6
