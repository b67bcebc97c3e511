"""A sum as a list of its terms, the largest first: the way to it, what it is made of, a bar for each term, the sum itself."""

import math

import attrs

from explorer.lang import Words, sentences
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.sums import Goes, Sums, SumTerm, TrailLink, told

_LETTERS, _SMALL = 12.0, 11.0
_TRAIL_PX, _CHAIN_PX, _HEAD_PX, _SUM_PX = 24.0, 48.0, 20.0, 28.0
_BETWEEN_PX, _ELLIPSIS = 22.0, "…"
_ROW_PX, _LEAST_ROW_PX, _LINE_PX = 34.0, 16.0, 18.0
_LABEL_SHARE, _FACTOR_SHARE, _FACTOR_PX, _FIGURE_PX = 0.24, 0.12, 70.0, 64.0
_WITH_FACTORS_PX = 380.0  # In a narrower picture the factors are told by the tooltip alone.


@attrs.frozen
class TermSpot:
    """A part of the picture that says something, and that a click may open.

    `more` is set for the row that stands for all terms that are not shown: so many are shown at once.
    """

    area: Rect
    about: str
    goes: Goes | None = None
    more: int = 0


@attrs.frozen
class _Columns:
    """The columns of a list (px): where labels end, where the factors end, and the plot."""

    label: float
    factors: tuple[float, float] | None
    plot: Rect
    low: float
    high: float

    def x(self, value: float) -> float:
        """The place of a value in the plot."""
        return self.plot.x + (value - self.low) / (self.high - self.low) * self.plot.wide


def terms(sketch: Sketch, sums: Sums, words: Words, area: Rect, first: int = 0) -> list[TermSpot]:
    """Draw the list from its term `first` on; returns the places that answer to the mouse.

    The terms that have no room are one row, whose number is their sum.
    """
    within = area.inset(4, 0, 4, 2)
    places = trail(sketch, sums.trail, within)
    within = within.inset(top=_TRAIL_PX if sums.trail else 4)
    said = sentences(sums.said, sums.hint if sketch.answers else "")
    for line in sketch.lines(said, _LETTERS, within.wide) if said else ():
        sketch.write(within.x, within.y + 13, line, _LETTERS, sketch.theme.faint)
        within = within.inset(top=_LINE_PX)
    if sums.chain:
        within = within.inset(top=6)
        places += _chain(sketch, sums.chain, within)
        within = within.inset(top=_CHAIN_PX)
    room = within.high - _HEAD_PX - _SUM_PX
    n_rows = max(1, int(room / _LEAST_ROW_PX))
    shown, rest = sums.terms, sums.terms[:0]
    if len(shown) > n_rows:
        n_shown = max(1, n_rows - 1)
        first = min(first, len(shown) - n_shown)
        shown, rest = sums.terms[first : first + n_shown], sums.terms[:first] + sums.terms[first + n_shown :]
    if rest:
        others = SumTerm(words("why.others", count=len(rest)), math.fsum(term.value for term in rest), words("why.show_others"))
        shown = (*shown, others)
    high = min(_ROW_PX, room / max(1, len(shown)))
    columns = _columns(sketch, sums, shown, within)
    hint = "why.back" if sums.trail else "why.open_hint" if sums.groups else "why.show_others" if rest else ""
    places += _head(sketch, sums, words(hint) if hint else "", within, columns, words)
    top = within.y + _HEAD_PX
    sketch.line(columns.x(0), top, columns.x(0), top + high * len(shown) + _SUM_PX - 4, sketch.theme.faint)
    for number, term in enumerate(shown):
        row = Rect(within.x, top + number * high, within.wide, high)
        is_rest = bool(rest) and number == len(shown) - 1
        spots = _row(sketch, term, row, columns, sums.digits, faint=is_rest)
        places += [attrs.evolve(spot, more=len(shown) - 1) for spot in spots] if is_rest else spots
    _sum(sketch, sums, words, Rect(within.x, top + high * len(shown) + 2, within.wide, _SUM_PX - 6), columns)
    return places


def trail(sketch: Sketch, links: tuple[TrailLink, ...], area: Rect) -> list[TermSpot]:
    """The way from the difference to here; each earlier link leads back. Of a long way the middle is left out."""
    places, x, theme = [], area.x, sketch.theme
    shown = _fitting(sketch, links, area.wide)
    for number, link in enumerate(shown):
        last = number == len(shown) - 1
        text = _ELLIPSIS if link is None else f"{link.label} {link.figure}".strip()
        wide = sketch.measure(text, _LETTERS, last)
        tint = theme.faint if link is None else theme.text if last else theme.accent
        sketch.write(x, area.y + 15, text, _LETTERS, tint, bold=last)
        if link is not None and not last and link.goes is not None:
            places.append(TermSpot(Rect(x - 2, area.y, wide + 4, _TRAIL_PX - 4), text, link.goes))
        x += wide + 8
        if not last:
            sketch.write(x, area.y + 15, "›", _LETTERS, theme.faint)
            x += _BETWEEN_PX - 8
    return places


def _fitting(sketch: Sketch, links: tuple[TrailLink, ...], room: float) -> tuple[TrailLink | None, ...]:
    """The first link and as many of the last ones as there is room for; None stands for those between them."""
    widths = [
        sketch.measure(f"{link.label} {link.figure}", _LETTERS, number == len(links) - 1) for number, link in enumerate(links)
    ]
    if sum(widths) + _BETWEEN_PX * (len(links) - 1) <= room or len(links) <= 2:
        return links
    left = room - widths[0] - sketch.measure(_ELLIPSIS, _LETTERS, False) - _BETWEEN_PX
    begin = len(links)
    while begin > 1 and widths[begin - 1] + _BETWEEN_PX <= left:
        begin -= 1
        left -= widths[begin] + _BETWEEN_PX
    return (links[0], None, *links[min(begin, len(links) - 1) :])


def _chain(sketch: Sketch, chain: tuple[TrailLink, ...], area: Rect) -> list[TermSpot]:
    """Recorded numbers in a line: score ÷ √d = scaled, softmax → weight × value = share. Each one says its tap."""
    places, theme = [], sketch.theme
    widths = [max(sketch.measure(link.figure, 15, True), sketch.measure(link.label, _SMALL, False)) for link in chain]
    signs = [sketch.measure(link.sign, _SMALL, False) + 12 if link.sign else 0.0 for link in chain]
    gap = min(8.0, max(0.0, (area.wide - sum(widths) - sum(signs)) / len(chain)))
    x = area.x
    sketch.box(Rect(area.x, area.y - 2, area.wide, _CHAIN_PX - 6), theme.window, radius=4)
    x += 8
    for link, wide, sign in zip(chain, widths, signs, strict=True):
        if sign:
            sketch.write(x + sign / 2, area.y + 30, link.sign, _SMALL, theme.faint, "middle")
            x += sign
        tint = theme.accent if link.goes is not None else theme.text
        sketch.write(x, area.y + 13, link.label, _SMALL, theme.faint)
        sketch.write(x, area.y + 32, link.figure, 15, tint, bold=True)
        places.append(
            TermSpot(
                Rect(x - 3, area.y, wide + 6, _CHAIN_PX - 10), f"{link.label} {link.figure}\n{link.about}".strip(), link.goes
            )
        )
        x += wide + gap
    return places


def _columns(sketch: Sketch, sums: Sums, shown: tuple[SumTerm, ...], area: Rect) -> _Columns:
    named = min(area.wide * _LABEL_SHARE, max(sketch.measure(term.label, _LETTERS, False) for term in shown)) + 8
    left = area.x + named
    factors = None
    if sums.factors is not None and area.wide >= _WITH_FACTORS_PX:
        wide = max(_FACTOR_PX, _FACTOR_SHARE * area.wide, *(sketch.measure(name, _SMALL, False) + 14 for name in sums.factors))
        factors = left + wide, left + 2 * wide
        left += 2 * wide
    values = [term.value for term in shown if math.isfinite(term.value)] + [0.0, sums.whole]
    low, high = min(values), max(values)
    spare = _FIGURE_PX if low < 0 else 10.0
    plot = Rect(left + spare, area.y, max(20.0, area.right - left - spare - _FIGURE_PX), area.high)
    return _Columns(area.x + named, factors, plot, low, high if high > low else low + 1.0)


def _head(sketch: Sketch, sums: Sums, hint: str, area: Rect, columns: _Columns, words: Words) -> list[TermSpot]:
    """What the terms and their factors are, and what can be done; the name of a factor may open it."""
    theme, places = sketch.theme, []
    sketch.write(area.x, area.y + 13, sums.names, _SMALL, theme.faint)
    if columns.factors is not None and sums.factors is not None:
        for x, name, sign, goes in zip(columns.factors, sums.factors, ("", "× "), sums.factor_goes, strict=True):
            tint = theme.faint if goes is None else theme.accent
            sketch.write(x - 6, area.y + 13, sign + name, _SMALL, tint, "end", bold=goes is not None)
            if goes is not None:
                wide = sketch.measure(sign + name, _SMALL, True) + 8
                places.append(
                    TermSpot(Rect(x - 2 - wide, area.y, wide, _HEAD_PX - 2), words("why.opens_whole", name=name), goes)
                )
    taken = columns.factors[1] if columns.factors is not None else area.x + sketch.measure(sums.names, _SMALL, False)
    if sketch.answers and sketch.measure(hint, _SMALL, False) < area.right - taken - 12:
        sketch.write(area.right, area.y + 13, hint, _SMALL, theme.faint, "end")
    return places


def _row(sketch: Sketch, term: SumTerm, row: Rect, columns: _Columns, digits: int, *, faint: bool) -> list[TermSpot]:
    theme, base, places = sketch.theme, row.y + row.high / 2 + 4, []
    tint = theme.faint if faint else theme.text
    label = sketch.fitting(term.label, _LETTERS, columns.label - row.x - 8)
    sketch.write(columns.label - 8, base, label, _LETTERS, tint, "end")
    if columns.factors is not None and term.factors is not None:
        for x, factor, goes in zip(columns.factors, term.factors, term.factor_goes, strict=True):
            sketch.write(x - 6, base, _figure(factor), _LETTERS, theme.faint, "end")
            if goes is not None:
                wide = sketch.measure(_figure(factor), _LETTERS, False) + 8
                places.append(TermSpot(Rect(x - 2 - wide, row.y, wide, row.high), term.about, goes))
    zero, end = columns.x(0), columns.x(term.value)
    thick = row.high * 0.6
    bar = Rect(min(zero, end), row.y + (row.high - thick) / 2, max(abs(end - zero), 0.5), thick)
    sketch.box(bar, theme.grey if faint else sketch.sign(term.value))
    anchor, x = ("end", bar.x - 5) if term.value < 0 else ("start", bar.right + 5)
    sketch.write(x, base, told(term.value, digits), _LETTERS, tint, anchor)
    return [] if not term.about else [*places, TermSpot(row, term.about, term.goes)]


def said_shortly(sums: Sums) -> str:
    """The recorded difference and the sum of all parts, where there is little room."""
    digits = max(4, sums.digits)
    return f"{sums.difference:.{digits}f} = Σ {sums.total:.{digits}f}".replace("-", "−")


def both_sums(sums: Sums, words: Words) -> str:
    """The recorded difference, and the sum of all parts."""
    exact = f".{max(4, sums.digits)}f"
    said = words("why.both_sums", difference=f"{sums.difference:{exact}}", total=f"{sums.total:{exact}}", count=sums.n_parts)
    return said.replace("-", "−")


def _figure(value: float) -> str:
    """A factor with four figures, "−0.6785"."""
    return f"{value:.3f}".replace("-", "−") if abs(value) < 100 else f"{value:.4g}".replace("-", "−")


def _sum(sketch: Sketch, sums: Sums, words: Words, row: Rect, columns: _Columns) -> None:
    """The sum below all terms, on the same scale; of all parts with the recorded difference."""
    theme, base = sketch.theme, row.y + row.high / 2 + 4
    sketch.line(row.x, row.y - 1, row.right, row.y - 1, theme.hairline)
    sketch.write(columns.label - 8, base, "Σ", _LETTERS, anchor="end", bold=True)
    zero, end = columns.x(0), columns.x(sums.whole)
    bar = Rect(min(zero, end), row.y + 3, max(abs(end - zero), 0.5), row.high - 6)
    sketch.box(bar, theme.text)
    said = both_sums(sums, words)
    if sums.groups and not sums.trail and sketch.measure(said, _SMALL, False) + 16 <= bar.wide:
        sketch.write(bar.x + 8, base, said, _SMALL, theme.card)
    anchor, x = ("end", bar.x - 5) if sums.whole < 0 else ("start", bar.right + 5)
    sketch.write(x, base, told(sums.whole, sums.digits + 1), _LETTERS, anchor=anchor, bold=True)
