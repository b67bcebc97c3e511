"""Any Picture as an SVG document: the master of every exported figure."""

import numpy as np

from explorer.lang import Words
from explorer.picture.describe import number
from explorer.picture.picture import Bars, HeadGrid, Heatmap, Picture, Strips, TokenRow, Waves
from explorer.picture.scales import LEVELS, table
from explorer.picture.svg_map import Sheet, draw_grid, draw_heatmap, draw_strips
from explorer.picture.svg_text import document, plain, width
from explorer.picture.theme import LIGHT, Theme

_MARGIN = 24.0
_HEAD = 64.0  # px for title and shape
_CURVE_COLOURS = 8


def render(picture: Picture, words: Words, theme: Theme = LIGHT) -> str:
    """The document as text. Its size in px follows from the content."""
    sheet = Sheet(theme, words)
    sheet.write(0, 16, picture.caption.title, size=16, weight=700)
    about = "   ".join(part for part in (picture.caption.tap, picture.caption.shape) if part)
    sheet.write(0, 36, about, faint=True)
    if picture.caption.formula:
        sheet.write(0, 54, plain(picture.caption.formula), faint=True)
    _draw(sheet, picture)
    body = [f'<g transform="translate({_MARGIN:g} {_MARGIN:g})">', *sheet.body, "</g>"]
    return document(sheet.width + 2 * _MARGIN, sheet.height + 2 * _MARGIN, body, theme.card, picture.caption.title)


def _draw(sheet: Sheet, picture: Picture) -> None:
    match picture:
        case Heatmap():
            draw_heatmap(sheet, picture, _HEAD)
        case HeadGrid():
            draw_grid(sheet, picture, _HEAD)
        case Strips():
            draw_strips(sheet, picture, _HEAD)
        case Waves():
            _draw_waves(sheet, picture, _HEAD)
        case Bars():
            _draw_bars(sheet, picture, _HEAD)
        case TokenRow():
            _draw_tokens(sheet, picture, _HEAD)


def curve_colours() -> list[str]:
    """One colour a curve, from fast to slow, out of the middle of viridis, where each is seen on white and on black."""
    rows = table("viridis")[np.linspace(40, LEVELS - 60, _CURVE_COLOURS).astype(int)]
    return ["#{:02x}{:02x}{:02x}".format(*row) for row in rows]


def _draw_waves(sheet: Sheet, picture: Waves, top: float) -> None:
    wide, high, left = 640.0, 240.0, 40.0
    n = picture.values.shape[1]
    reach = float(np.abs(picture.values).max()) or 1.0
    step = wide / max(1, n - 1)
    middle = top + high / 2
    marked = (picture.n_marked - 1) * step
    sheet.add(f'<rect x="{left:g}" y="{top:g}" width="{max(marked, 1):.1f}" height="{high:g}" '
              f'fill="{sheet.theme.closed}" opacity="0.6"/>', left + wide, top + high)
    sheet.add(f'<path d="M{left:g} {middle:g}h{wide:g}" stroke="{sheet.theme.hairline}"/>')
    for index, (curve, name, colour) in enumerate(zip(picture.values, picture.names, curve_colours(), strict=False)):
        points = " ".join(f"{left + i * step:.1f},{middle - value / reach * high / 2:.1f}" for i, value in enumerate(curve))
        sheet.add(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        y = top + 12 + index * 18
        sheet.add(f'<path d="M{left + wide + 16:g} {y - 4:g}h18" stroke="{colour}" stroke-width="2"/>')
        sheet.write(left + wide + 40, y, name, faint=True)
    sheet.write(left - 6, top + 10, number(reach), anchor="end", faint=True)
    sheet.write(left - 6, top + high, number(-reach), anchor="end", faint=True)
    sheet.write(left + wide / 2, top + high + 20, f"{picture.x_name} 0 … {n - 1}", anchor="middle", faint=True)


def _draw_bars(sheet: Sheet, picture: Bars, top: float) -> None:
    left = 24 + max((width(label, 12) for label in picture.labels), default=0.0)
    longest = max(float(picture.values.max()), 1e-30)
    colour = "#{:02x}{:02x}{:02x}".format(*table(picture.scale.colours)[LEVELS // 3])
    for index, (value, label) in enumerate(zip(picture.values, picture.labels, strict=True)):
        y = top + index * 20
        size = float(value) / longest * 320
        sheet.write(left - 8, y + 12, label, anchor="end")
        sheet.add(f'<rect x="{left:.1f}" y="{y:.1f}" width="{size:.1f}" height="15" fill="{colour}"/>', left + size, y + 15)
        sheet.write(left + size + 6, y + 12, number(float(value)), faint=True)


def _draw_tokens(sheet: Sheet, picture: TokenRow, top: float) -> None:
    x = 0.0
    for chip in picture.chips:
        wide = max(width(chip.text, 16), width(f"{chip.start}–{chip.end}", 10), 24.0) + 16
        edge = sheet.theme.hairline if chip.known else sheet.theme.warning
        sheet.add(f'<rect x="{x:.1f}" y="{top:g}" width="{wide:.1f}" height="52" rx="4" fill="none" stroke="{edge}"/>',
                  x + wide, top + 52)
        sheet.write(x + wide / 2, top + 21, chip.text, anchor="middle", size=16)
        sheet.write(x + wide / 2, top + 35, f"{chip.id}", anchor="middle", size=10, faint=True)
        sheet.write(x + wide / 2, top + 47, f"{chip.start}–{chip.end}", anchor="middle", size=10, faint=True)
        x += wide + 6
