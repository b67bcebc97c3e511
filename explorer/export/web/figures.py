"""Pictures as figures that answer the mouse: SVG with its places and numbers, packed, and the style, script and font they need.

The page and the widget of a notebook show the same figures.
"""

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from explorer.export.web.drawing import WebDrawing, draw_web_river, variables
from explorer.lang import Words
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.kinds import kind_of
from explorer.picture.figure.svg import MARGIN, draw_head
from explorer.picture.figure.text import faces
from explorer.picture.kinds import Picture
from explorer.picture.river.river import River
from explorer.picture.theme import DARK, LIGHT, STACK
from explorer.resources import asset_text

SCRIPT = asset_text("web/figures.js")
_FIGURES = "0123456789+−.e∞NaN"  # what values are written with


def styles(root: str, in_the_dark: str, file: str) -> str:
    """The style sheet of figures below the elements `root`, and a further sheet; `in_the_dark` are the `dark_rules`."""
    sheets = asset_text("web/figures.css") + asset_text(file)
    return f"{root}{{{variables(LIGHT)}}}{sheets.replace('FAMILY', STACK)}{in_the_dark}"


def dark_rules(root: str) -> str:
    """What another style has in the dark, for figures below the elements `root`."""
    return f"{root}{{{variables(DARK)}}}{root} .dark{{display:inline}}{root} .light{{display:none}}"


def fonts_of(figures: Sequence[dict[str, Any]], around: str = "", bold: str = "") -> str:
    """CSS with the glyphs of figures, and of further texts around them."""
    return faces("".join((around, *_letters(figures))), bold=bold + _FIGURES)


def _letters(figures: Sequence[dict[str, Any]]) -> Iterator[str]:
    """All visible texts: those of the figures, of highlighted elements, and of cells' values."""
    yield "→()"
    for each in figures:
        yield from (each["svg"], *each["overs"].values())
        for place in each["places"]:
            yield from (place["title"], place["tap"], place["reason"], *place["rows"]["labels"], *place["columns"]["labels"])


def answering_figure(picture: Picture, words: Words) -> dict[str, Any]:
    """A picture as an SVG element, with its places that answer and what stands out for each token."""
    picture = on_ground(picture, LIGHT)  # The page declares the dark counterparts of these colours.
    is_river, kind = isinstance(picture, River) and picture.opened is None, kind_of(picture)
    drawing = WebDrawing(words, signed_by_theme=is_river)
    margin = MARGIN if kind.sheet is None else 0.0
    top = draw_head(drawing, picture.caption) if kind.sheet is None else 0.0
    if isinstance(picture, River) and is_river:
        draw_web_river(drawing, picture, top)
    else:
        kind.draw(drawing, picture, top)
    wide, high = kind.sheet or (drawing.width, drawing.height)
    wide, high = wide + 2 * margin, high + 2 * margin
    size = f'width="{wide:.0f}" height="{high:.0f}" viewBox="{-margin:g} {-margin:g} {wide:.0f} {high:.0f}"'
    drawn = "\n".join(drawing.body)
    return {
        "svg": _namespaceless(f"<svg {size}>\n{drawn}\n</svg>"),
        "places": drawing.places,
        "overs": {name: _namespaceless(over) for name, over in drawing.overs.items()},
    }


def _namespaceless(drawn: str) -> str:
    """The elements for HTML, which has no namespaces."""
    return drawn.replace(" xlink:href=", " href=")


def packed(figures: Sequence[dict[str, Any]]) -> str:
    """The figures as compressed JSON, since the parts of a picture are much alike."""
    told = json.dumps(figures, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(told.encode("utf-8"), 9)).decode("ascii")
