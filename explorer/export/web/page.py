"""Pictures as one HTML file, which needs no other file and no network, is light or dark as the reader's system is, and answers
the mouse.

Decision: figures and numbers are compressed together, which makes the file a third as large, so that it can be sent by mail;
the browser unpacks them. Rejected: figures that are visible without scripts; there the page says what it needs.
"""

from collections.abc import Sequence
from html import escape

from explorer.export.web.figures import SCRIPT, answering_figure, dark_rules, fonts_of, packed, styles
from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.figure.text import clean
from explorer.picture.kinds import Picture
from explorer.resources import asset_text
from explorer.trace.trace import Trace

_ARROW = " → "
_FIGURES = "0123456789+−.e∞NaN"  # what values are written with


def page(pictures: Sequence[Picture], trace: Trace, words: Words) -> str:
    """The HTML document of some pictures of a Trace, with its sentence above them."""
    figures = [answering_figure(picture, words) for picture in pictures]
    heading = clean(_ARROW.join(dict.fromkeys(text for text in (trace.source, trace.target) if text)))
    style = styles(":root", f"@media (prefers-color-scheme: dark){{{dark_rules(':root')}}}", "web/page.css")
    about, needs = _about(trace, words), words("web.needs")
    fonts = fonts_of(figures, about + needs, heading)
    empty = "\n".join(
        f'<figure role="img" aria-label="{escape(clean(in_words(picture, words)))}"></figure>' for picture in pictures
    )
    return (
        f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(heading)}</title>\n'
        f"<style>{fonts}{style}</style>\n</head>\n<body>\n<h1>{escape(heading)}</h1>\n"
        f'<p>{escape(about)}</p>\n<p id="needs" hidden>{escape(needs)}</p><noscript><p>{escape(needs)}</p></noscript>\n'
        f"{empty}\n"
        f'<div id="tip" role="status"></div>\n<script type="text/plain" id="packed">{packed(figures)}</script>\n'
        f"<script>{SCRIPT + asset_text('web/page.js')}</script>\n</body>\n</html>\n"
    )


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
