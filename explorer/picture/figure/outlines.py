"""Letters as outlines: an SVG without text, for tools that ignore the fonts that an SVG carries.

Each line of text becomes one path with the glyphs of the bundled font, where a browser would have put them.
"""

import io
import re
import threading
from functools import lru_cache
from html import unescape

from explorer.picture.figure.elements import path
from explorer.picture.figure.text import BOLD, FILES, REGULAR, width
from explorer.resources import asset

_Contours = list[tuple[str, tuple[tuple[float, float], ...]]]  # commands of a pen with their points, in units of the font
_TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_PLACED = ("x", "y", "font-size", "text-anchor", "font-weight")  # Attributes of a text that its outlines need no more.
_STYLE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)
_BLANKS = re.compile(r"[ \t\n]+")
_SHARE = {"start": 0.0, "middle": 0.5, "end": 1.0}
_LETTERS = {"moveTo": "m", "lineTo": "l", "curveTo": "c", "closePath": "z"}  # The bundled font has cubic curves.
_BOX_EDGE = 0.06  # em
_BOX = (0.08, 0.0, 0.92, 0.84)  # em; left, bottom, right and top of the box for a letter that the font lacks
_DIGITS = 3  # decimals of px


def outlined(svg: str) -> str:
    """The document with outlines in the place of all texts, and without fonts."""
    return _STYLE.sub("", _TEXT.sub(_outlined, svg))


def lacking(svg: str) -> str:
    """The letters of a document that the bundled font lacks, each once: their outlines are boxes."""
    letters = dict.fromkeys(letter for content in _TEXT.findall(svg) for letter in unescape(content[1]))
    return "".join(letter for letter in letters if letter.strip() and not _font(REGULAR).knows(letter))


def _outlined(found: re.Match[str]) -> str:
    given = dict(_ATTRIBUTE.findall(found[1]))
    size, weight = float(given["font-size"]), int(given.get("font-weight", REGULAR))
    content = _BLANKS.sub(" ", unescape(found[2])).strip(" ")  # An SVG draws blanks in the same way.
    x = float(given["x"]) - _SHARE[given.get("text-anchor", "start")] * width(content, size, weight)
    way = []
    for letter in content:
        glyph = _glyph(letter, size, BOLD if weight == BOLD else REGULAR)
        if glyph:
            way.append(f"M{x:.{_DIGITS}f} {float(given['y']):.{_DIGITS}f}{glyph}")
        x += width(letter, size, weight)
    kept = " ".join(f'{name}="{value}"' for name, value in given.items() if name not in _PLACED)
    return path("".join(way), kept) if way else ""


@lru_cache(maxsize=4096)  # No row prints a figure: one of a map takes 0.4 ms, and 17 if each letter is drawn anew.
def _glyph(letter: str, size: float, weight: int) -> str:
    """The contours of a letter as commands of a path that are all relative to its origin."""
    font = _font(weight)
    scale = size / font.per_em * 10**_DIGITS
    at = start = (0, 0)  # in units of the last decimal, so that rounding does not add up
    way = []
    for command, points in font.contours(letter) if font.knows(letter) else _box(letter, font.per_em):
        places = [(round(x * scale), round(-y * scale)) for x, y in points]  # An SVG counts downward.
        way.append(_LETTERS[command] + " ".join(f"{_decimal(x - at[0])} {_decimal(y - at[1])}" for x, y in places))
        at = places[-1] if places else start
        start = at if command == "moveTo" else start
    return "".join(way)


def _box(letter: str, per_em: float) -> _Contours:
    """An empty box, in the place of a letter that the font lacks; nothing for one without width."""
    if not width(letter, 1.0):
        return []
    made: _Contours = []
    for edge in (0.0, _BOX_EDGE):
        left, bottom, right, top = (share * per_em for share in _BOX)
        left, bottom, right, top = left + edge * per_em, bottom + edge * per_em, right - edge * per_em, top - edge * per_em
        corners = ((left, bottom), (right, bottom), (right, top), (left, top))
        # The inner contour runs the other way, so that the box is empty.
        first, *others = corners if not edge else corners[::-1]
        made += [("moveTo", (first,)), *(("lineTo", (each,)) for each in others), ("closePath", ())]
    return made


class _Font:
    """The bundled font in one weight, kept open: reading it takes 40 ms."""

    def __init__(self, weight: int) -> None:
        from fontTools.ttLib import TTFont

        font = TTFont(io.BytesIO(asset(FILES[weight]).read_bytes()), lazy=True)
        self.per_em: int = font["head"].unitsPerEm
        self._names, self._glyphs = font.getBestCmap(), font.getGlyphSet()
        self._one = threading.Lock()  # fontTools reads a glyph when it is first drawn; a preview and a file may meet there.

    def knows(self, letter: str) -> bool:
        return ord(letter) in self._names

    def contours(self, letter: str) -> _Contours:
        from fontTools.pens.recordingPen import RecordingPen

        pen = RecordingPen()
        with self._one:
            self._glyphs[self._names[ord(letter)]].draw(pen)
        return [(command, points) for command, points in pen.value if command in _LETTERS]


@lru_cache(maxsize=2)  # as above: 40 ms
def _font(weight: int) -> _Font:
    return _Font(weight)


def _decimal(units: int) -> str:
    return f"{units / 10**_DIGITS:.{_DIGITS}f}".rstrip("0").rstrip(".") if units else "0"
