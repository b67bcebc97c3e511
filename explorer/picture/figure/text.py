"""Text in an SVG: how wide it is, and the bundled font, reduced to the glyphs that are used.

fontTools takes 0.1 s to import, so it is imported when a letter is first measured. Tables and descriptions do not need it.
"""

import base64
import io
import logging
import re
import unicodedata
from collections.abc import Mapping
from copy import copy
from functools import lru_cache
from typing import Any

from explorer.picture.theme import FAMILY
from explorer.resources import asset

REGULAR, BOLD = 400, 700
_DIGITS = frozenset("0123456789")
FILES = {REGULAR: "fonts/TXSansSC-Regular.otf", BOLD: "fonts/TXSansSC-Bold.otf"}
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_BOLD_TEXT = re.compile(rf'<text [^>]*font-weight="{BOLD}"[^>]*>([^<]*)<')


def clean(content: str) -> str:
    """The text with a box in place of each character that XML may not hold or that cannot be printed."""
    return content if content.isprintable() else _UNPRINTABLE.sub("□", content)


@lru_cache(maxsize=4096)  # row "48 labelled maps to PNG": 0.85 ms for a figure would be 1.0
def width(text: str, size: float, weight: int = REGULAR) -> float:
    """The width of a text in the bundled font (px). A letter that the font lacks counts as square."""
    return size * sum(map(_advances(weight).__getitem__, clean(text)))


def _joins(letter: str) -> bool:
    """Whether a character has no width of its own: combining accents, joiners, direction marks."""
    return unicodedata.category(letter) in ("Mn", "Me", "Cf")


class _Advances(dict[str, float]):
    """From letter to width in em. A film measures thousands of letters for each frame, so each letter is looked up once."""

    def __init__(self, of_codes: Mapping[int, float]) -> None:
        super().__init__()
        self._of_codes = of_codes

    def __missing__(self, letter: str) -> float:
        self[letter] = found = 0.0 if _joins(letter) else self._of_codes.get(ord(letter), 1.0)
        return found


@lru_cache(maxsize=2)  # row "48 labelled maps to PNG": a font is read in 40 ms, a figure made in 1
def _advances(weight: int) -> _Advances:
    """The widths of a font's letters. The font is read once, since reading takes 40 ms."""
    from fontTools.ttLib import TTFont

    with TTFont(asset(FILES[weight]), lazy=True) as font:
        metrics, em = font["hmtx"].metrics, font["head"].unitsPerEm
        return _Advances({code: metrics[glyph][0] / em for code, glyph in _codes(weight).getBestCmap().items()})


@lru_cache(maxsize=2)  # the same row: 10 ms for each figure
def _codes(weight: int) -> Any:
    """The font's table of which glyph draws which letter. To read it takes 10 ms, so it is read once and never changed."""
    from fontTools.ttLib import TTFont

    with TTFont(asset(FILES[weight]), lazy=True) as font:
        table = font["cmap"]
        for each in table.tables:
            each.ensureDecompiled()
        return table


def _own_codes(weight: int) -> Any:
    """The same table for a font that is about to be reduced: whoever reduces it gives its parts other letters."""
    table = copy(_codes(weight))
    table.tables = [copy(each) for each in table.tables]
    return table


def faces(drawn: str, bold: str = "") -> str:
    """CSS with the bundled font, reduced to the glyphs of SVG elements and of further `bold` text."""
    bold += "".join(_BOLD_TEXT.findall(drawn))
    letters = re.sub(r"<[^>]*>", "", drawn)
    return "".join(_face(weight, frozenset(glyphs)) for weight, glyphs in ((REGULAR, letters), (BOLD, bold)) if glyphs)


def _face(weight: int, letters: frozenset[str]) -> str:
    data = _subset(weight, letters | _DIGITS)
    return f"@font-face{{font-family:'{FAMILY}';font-weight:{weight};src:url(data:font/otf;base64,{data})}}"


@lru_cache(maxsize=64)  # row "48 labelled maps to PNG", where figures carry their glyphs: 1 ms would be 48
def _subset(weight: int, letters: frozenset[str]) -> str:
    """The bundled font with these glyphs alone, in base64.

    The result is cached, since making it takes 25 ms and the figures of many heads use the same letters. It took 50 before
    two things were left out. Glyphs are written whole: to find out which of the font's 6,000 shared parts are still used takes
    longer, and makes a larger file. And the box around all glyphs stays that of the whole font, which no program draws by.
    """
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    logging.getLogger("fontTools.subset").setLevel(logging.ERROR)
    options = Options(hinting=False, desubroutinize=True, notdef_outline=True, name_IDs=[0, 1, 2, 13, 14])
    with TTFont(asset(FILES[weight]), lazy=True, recalcBBoxes=False, recalcTimestamp=False) as font:
        font["cmap"] = _own_codes(weight)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=[ord(letter) for letter in letters])
        subsetter.subset(font)
        file = io.BytesIO()
        font.save(file)
    return base64.b64encode(file.getvalue()).decode("ascii")
