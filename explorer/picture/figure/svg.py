"""Any Picture as an SVG document: the master of every exported figure."""

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.elements import document
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.kinds import kind_of
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Caption, Picture
from explorer.picture.layout.sketch import LABEL, Sketch
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
    sketch = Sketch(drawing.theme, "", measured)
    sketch.write(0, 16, caption.title, 16, bold=True)
    y = 38.0
    sketch.write(0, y, "   ".join(part for part in (caption.tap, caption.shape) if part), LABEL, "faint")
    for told in told_pass(caption, drawing.words).values():
        y += 20
        sketch.write(0, y, told, LABEL, "accent")
    if caption.formula:
        y += 20
        sketch.formula(0, y, caption.formula)
    if caption.note:
        y += 20
        sketch.write(0, y, caption.note, LABEL, "faint")
    write_marks(drawing, sketch.marks)
    return y + 18
