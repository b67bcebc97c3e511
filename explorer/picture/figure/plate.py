"""Pictures as one figure for print: laid out for the width on paper, with letters and a caption, as an SVG document."""

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import reduce
from html import unescape

import attrs

from explorer.errors import TooNarrow, TooWideForPaper
from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.elements import document
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.kinds import kind_of
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.figure.print import WIDTH, Print
from explorer.picture.figure.text import width
from explorer.picture.kinds import Caption, Picture
from explorer.picture.layout.arranged import Arranged, Beside, pictures_in
from explorer.picture.layout.sketch import LABEL, LINE, Sketch
from explorer.picture.picture import told_pass
from explorer.picture.theme import LIGHT, Theme

_SLACK = 0.5  # px that a drawing may be wider than its room
_GAP_X, _GAP_Y = 20.0, 16.0  # px between parts
_LETTER = 20.0  # px, the line above a part with its letter
_ABOVE_CAPTION = 22.0  # px from the pictures to the first baseline of the caption
_STOPS = re.compile("([?!？！])[.。]")  # A question has its own stop.
_LINES = re.compile(
    r'<text [^>]*?x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)" fill="[^"]*" '
    r'text-anchor="(\w+)"(?: font-weight="\d+")?>([^<]*)<'
)
_SHARES = {"start": 1.0, "middle": 0.5, "end": 0.0}
_BEYOND = 60.0  # px
_SIZE = re.compile(r'(<text [^>]*font-size=")([\d.]+)"')


def render_print(arranged: Arranged, print_: Print, words: Words, theme: Theme = LIGHT, *, with_fonts: bool = True) -> str:
    """The SVG document as text, as wide as `print_` says; one that is only drawn here needs no fonts in it.

    Raises TooNarrow with a width at which every picture has room.
    """
    theme = attrs.evolve(theme, window=theme.card)  # Paper has one ground.
    pictures = pictures_in(arranged)
    margin = print_.margin_px
    room = print_.width_px - 2 * margin
    plate = _Plate(print_, words, theme, room, letters=print_.letters and len(pictures) > 1)
    drawing = plate.part(arranged, room)
    if plate.widest is not None:
        if not print_.grows:
            raise plate.refusal(*plate.widest, room)
        room = drawing.width
    caption = caption_of(pictures, words, letters=plate.letters) if print_.caption is None else print_.caption
    aside = max(0.0, (room - drawing.width) / 2) if len(pictures) == 1 else 0.0
    high = drawing.height
    body = [f'<g transform="translate({margin + aside:.2f} {margin:g})">', *drawing.body, "</g>"]
    if caption.strip():
        below, sketch = Drawing(theme, words, room), Sketch(theme, "", measured)
        last = high + _ABOVE_CAPTION - LINE
        for line in caption.splitlines():
            last = sketch.write_lines(0, last + LINE, line, room, "text")
        write_marks(below, sketch.marks)
        if below.width > room + _SLACK:
            if not print_.grows:
                raise plate.refusal(below.width, pictures[0], room)
            room = below.width
        high = last + 4
        body += [f'<g transform="translate({margin:g} {margin:g})">', *below.body, "</g>"]
    title = "; ".join(picture.caption.title for picture in pictures)
    wide, high = room + 2 * margin, high + 2 * margin
    svg = document(wide, high, body, theme.card, title, with_fonts=with_fonts, mm_per_px=print_.mm_per_px)
    return _SIZE.sub(lambda found: f'{found[1]}{max(float(found[2]), print_.smallest_px):g}"', svg)


def letter(place: int) -> str:
    """The letter of a part, counted from 0: "(a)", "(b)" … "(z)", "(aa)"."""
    return f"({chr(ord('a') + place % 26) * (place // 26 + 1)})"


def caption_of(pictures: tuple[Picture, ...], words: Words, *, letters: bool) -> str:
    """What pictures say of themselves: titles and notes, and whether the pass was changed or recorded by another program."""
    told = []
    for place, picture in enumerate(pictures):
        said = _joined(_said(picture.caption, words), words)
        told.append(f"{letter(place)} {said}" if letters else said)
    return _joined(told, words)


def _joined(sentences: Iterable[str], words: Words) -> str:
    joined = reduce(lambda first, then: words("export.sentences", first=first, then=then), sentences)
    return _STOPS.sub(r"\1", joined)


def _said(caption: Caption, words: Words) -> Iterator[str]:
    yield caption.title.rstrip("。. ")
    if caption.note:
        yield caption.note.rstrip("。. ")
    yield from (told.rstrip("。. ") for told in told_pass(caption, words).values())


class _Plate:
    """The drawing of the parts in a width of `room` px; `letters` says whether they are named, in the order of reading.

    `widest` is the width (px) and the picture that needs most of those which even the whole room is too narrow for.
    """

    def __init__(self, print_: Print, words: Words, theme: Theme, room: float, *, letters: bool) -> None:
        self._print, self._words, self._theme, self._room = print_, words, theme, room
        self.letters = letters
        self.widest: tuple[float, Picture] | None = None
        self._n_named = 0

    def part(self, arranged: Arranged, room: float) -> Drawing:
        """A part in a width of `room` px. Raises TooNarrow."""
        if isinstance(arranged, Picture):
            return self._picture(arranged, room)
        if isinstance(arranged, Beside):
            before = self._n_named
            for per_line in range(len(arranged.parts), 1, -1):  # What has no room beside the others stands in a further line.
                self._n_named = before
                with suppress(TooNarrow):
                    made = self._lines(arranged, per_line, room)
                    if not made.cramped:
                        return made
            self._n_named = before
        return self._below(arranged.parts, room)

    def _picture(self, picture: Picture, room: float) -> Drawing:
        picture = on_ground(picture, self._theme)
        drawing = self._drawn(picture, room)
        given = room
        for _again in range(2):
            beyond = drawing.width - room
            if 0 < beyond < _BEYOND:  # Its last label stands out, so it is laid out for less room.
                given -= beyond
                drawing = self._drawn(picture, given)
        if drawing.width > room + _SLACK:
            if room < self._room:
                raise self.refusal(drawing.width, picture, room)  # It has more room further down.
            if self.widest is None or drawing.width > self.widest[0]:
                self.widest = drawing.width, picture
        self._n_named += 1
        return drawing

    def _drawn(self, picture: Picture, room: float) -> Drawing:
        drawing, sheet, top = Drawing(self._theme, self._words, room), kind_of(picture).sheet, 0.0
        if self.letters:
            named = Sketch(self._theme, "", measured)
            named.write(0, LABEL, letter(self._n_named), LABEL, bold=True)
            write_marks(drawing, named.marks)
            top = _LETTER
        kind_of(picture).draw(drawing, picture, top)
        if sheet is not None:
            drawing.reach(sheet[0], top + sheet[1])
        self._grow(drawing)
        return drawing

    def _lines(self, row: Beside, per_line: int, room: float) -> Drawing:
        """The parts of a row with `per_line` of them in each line; of several lines all parts are equally wide."""
        drawing, y, n = Drawing(self._theme, self._words, room), 0.0, len(row.parts)
        shares = row.shares if per_line == n else (1 / per_line,) * n
        spare = room - _GAP_X * (per_line - 1)
        for first in range(0, n, per_line):
            x, bottom = 0.0, y
            for part, share in zip(row.parts[first : first + per_line], shares[first:], strict=False):
                made = self.part(part, share * spare)
                self._put(drawing, made, x, y)
                x, bottom = x + share * spare + _GAP_X, max(bottom, y + made.height)
            y = bottom + _GAP_Y
        return drawing

    def _below(self, parts: tuple[Arranged, ...], room: float) -> Drawing:
        drawing, y = Drawing(self._theme, self._words, room), 0.0
        for part in parts:
            made = self.part(part, room)
            self._put(drawing, made, 0.0, y)
            y += made.height + _GAP_Y
        return drawing

    def _grow(self, drawing: Drawing) -> None:
        """Let a drawing reach as far as its smallest letters will, which `render_print` enlarges."""
        smallest = self._print.smallest_px
        for x, y, size, anchor, content in _LINES.findall("\n".join(drawing.body)):
            if float(size) < smallest:
                wide = width(unescape(content), smallest)
                drawing.reach(float(x) + _SHARES[anchor] * wide, float(y) + 4)

    @staticmethod
    def _put(drawing: Drawing, part: Drawing, x: float, y: float) -> None:
        drawing.body += [f'<g transform="translate({x:.2f} {y:.2f})">', *part.body, "</g>"]
        drawing.reach(x + part.width, y + part.height)
        drawing.cramped = drawing.cramped or part.cramped

    def refusal(self, wide: float, picture: Picture, room: float) -> TooNarrow:
        """The error about a picture that is `wide` (px) in a room that is narrower."""
        margins = 2 * self._print.margin_px
        exact_mm, room_mm = ((each + margins) * self._print.mm_per_px for each in (wide, room))
        need_mm = math.ceil(exact_mm + 0.5)
        told = {"title": picture.caption.title, "need_mm": need_mm, "font_pt": self._print.font_pt}
        if need_mm > WIDTH.valid.high:
            return TooWideForPaper(**told, most_mm=round(WIDTH.valid.high))
        return TooNarrow(**told, room_mm=round(room_mm))
