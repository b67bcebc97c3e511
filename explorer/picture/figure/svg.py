"""Any Picture as an SVG document: the master of every exported figure."""

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.kinds import kind_of
from explorer.picture.figure.text import BOLD, document
from explorer.picture.kinds import Caption, Picture
from explorer.picture.picture import told_pass
from explorer.picture.theme import LIGHT, Theme

SVG_DPI = 96.0  # px of an SVG per inch
MARGIN = 24.0
"""The room (px) around a figure."""


def render(picture: Picture, words: Words, theme: Theme = LIGHT, *, with_fonts: bool = True) -> str:
    """The SVG document as text. Its size (px) follows from the content. One that is only drawn here needs no fonts in it."""
    picture = on_ground(picture, theme)
    drawing, sheet = Drawing(theme, words), kind_of(picture).sheet
    if sheet is not None:
        kind_of(picture).draw(drawing, picture, 0.0)
        return document(*sheet, drawing.body, theme.card, picture.caption.title, with_fonts=with_fonts)
    kind_of(picture).draw(drawing, picture, draw_head(drawing, picture.caption))
    body = [f'<g transform="translate({MARGIN:g} {MARGIN:g})">', *drawing.body, "</g>"]
    wide, high = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    return document(wide, high, body, theme.card, picture.caption.title, with_fonts=with_fonts)


def draw_head(drawing: Drawing, caption: Caption) -> float:
    """Write title, tap and shape, formula and note; returns the height (px) at which the picture begins."""
    drawing.write(0, 16, caption.title, size=16, weight=BOLD)
    y = 38.0
    drawing.write(0, y, "   ".join(part for part in (caption.tap, caption.shape) if part), faint=True)
    for told in told_pass(caption, drawing.words).values():
        y += 20
        drawing.write(0, y, told, fill=drawing.theme.accent)
    if caption.formula:
        y += 20
        drawing.write_rich(0, y, caption.formula)
    if caption.note:
        y += 20
        drawing.write(0, y, caption.note, faint=True)
    return y + 18
