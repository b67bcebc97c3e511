"""Pictures as one HTML file, which needs no other file and no network, is light or dark as the reader's system is, and answers
the mouse.

Decision: figures and numbers are compressed together, which makes the file a third as large, so that it can be sent by mail;
the browser unpacks them. Rejected: figures that are visible without scripts; there the page says what it needs.
"""

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from explorer.export.web.drawing import WebDrawing, draw_web_river, variables
from explorer.lang import Words
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.kinds import in_words, kind_of
from explorer.picture.figure.svg import MARGIN, draw_head
from explorer.picture.figure.text import clean, faces
from explorer.picture.kinds import Picture
from explorer.picture.river.river import River
from explorer.picture.theme import DARK, LIGHT, STACK
from explorer.resources import asset_text
from explorer.trace.trace import Trace

_ARROW = " → "
_FIGURES = "0123456789+−.e∞NaN"  # what values are written with


def page(pictures: Sequence[Picture], trace: Trace, words: Words) -> str:
    """The HTML document of some pictures of a Trace, with its sentence above them."""
    figures = [_figure(picture, words) for picture in pictures]
    heading = clean(_ARROW.join(dict.fromkeys(text for text in (trace.source, trace.target) if text)))
    style = f":root{{{variables(LIGHT)}}}@media (prefers-color-scheme: dark){{:root{{{variables(DARK)}}}}}"
    style += asset_text("web/page.css").replace("FAMILY", STACK)
    about, needs = _about(trace, words), words("web.needs")
    fonts = faces("".join((about, needs, *_letters(figures))), bold=heading + _FIGURES)
    empty = "\n".join(
        f'<figure role="img" aria-label="{escape(clean(in_words(picture, words)))}"></figure>' for picture in pictures
    )
    return (
        f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(heading)}</title>\n'
        f"<style>{fonts}{style}</style>\n</head>\n<body>\n<h1>{escape(heading)}</h1>\n"
        f'<p>{escape(about)}</p>\n<p id="needs" hidden>{escape(needs)}</p><noscript><p>{escape(needs)}</p></noscript>\n'
        f"{empty}\n"
        f'<div id="tip" role="status"></div>\n<script type="text/plain" id="packed">{_packed(figures)}</script>\n'
        f"<script>{asset_text('web/page.js')}</script>\n</body>\n</html>\n"
    )


def _letters(figures: list[dict[str, Any]]) -> Iterator[str]:
    """All visible texts: those of the figures, of highlighted elements, and of cells' values."""
    yield "→()"
    for each in figures:
        yield from (each["svg"], *each["overs"].values())
        for place in each["places"]:
            yield from (place["title"], place["tap"], place["reason"], *place["rows"]["labels"], *place["columns"]["labels"])


def _figure(picture: Picture, words: Words) -> dict[str, Any]:
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


def _packed(figures: list[dict[str, Any]]) -> str:
    """The figures as compressed JSON, since the parts of a picture are much alike."""
    told = json.dumps(figures, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(told.encode("utf-8"), 9)).decode("ascii")


def _about(trace: Trace, words: Words) -> str:
    """The line below the sentence: the model as far as it is known, and who recorded the pass or changed it."""
    parts = [trace.card.name, trace.card.architecture]
    if trace.parameters:
        parts.append(words("web.parameters", count=f"{trace.parameters:,}"))
    if trace.config is not None:  # It is unknown for other models.
        parts.append(words("status.trained") if trace.trained else words("status.untrained", seed=trace.knob("seed")))
    if trace.changes:
        parts.append(words("change.badge_about", count=len(trace.changes)))
    if trace.recorded_by:
        parts.append(words("recorded.by", name=trace.recorded_by))
    return clean(" · ".join(filter(None, parts)))
