"""Where an Account stands: the parts as a waterfall by layer, or one list of terms; and the places that answer to the mouse."""

from explorer.lang import Words
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.terms import TermSpot, terms, trail
from explorer.picture.layout.waterfall import waterfall
from explorer.picture.marks import Rect
from explorer.picture.sums import Sums

__all__ = ["TermSpot", "account"]
_SIZE, _LINE = 13.0, 20.0


def account(sketch: Sketch, sums: Sums, words: Words, area: Rect, added: int | None = None, first: int = 0) -> list[TermSpot]:
    """Draw an Account; returns the places that say or open something, in the order of drawing.

    With `added`, the waterfall has only so many of its terms; a list begins with its term `first`.
    """
    if not sums.exact:
        places = trail(sketch, sums.trail, area.inset(4, 0, 4))
        _refused(sketch, sums, words, area.inset(top=24) if sums.trail else area)
        return places
    return terms(sketch, sums, words, area, first) if sums.terms else waterfall(sketch, sums, words, area, added)


def _refused(sketch: Sketch, sums: Sums, words: Words, area: Rect) -> None:
    """The two sums that differ, and why there are no shares."""
    told = words("why.inexact", difference=f"{sums.difference:.4f}", count=sums.n_parts, total=f"{sums.total:.4f}")
    y = area.y + 24
    for line in sketch.lines(told, _SIZE, area.wide - 24):
        sketch.write(area.x + 12, y, line, _SIZE, sketch.theme.warning)
        y += _LINE
