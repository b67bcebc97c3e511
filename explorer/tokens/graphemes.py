"""What a reader sees as one character: extended grapheme clusters, Unicode Standard Annex 29.

An emoji family is one, and so is a letter with its combining marks; no cut may go through one.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

import regex

# A pair of regional indicators is a flag. \X looks back through the whole run of flags at each of them.
CLUSTER = r"(?:\p{RI}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*|\X)"
_CLUSTER = regex.compile(CLUSTER)

Span = tuple[int, int]
Spans = tuple[Span, ...]
"""Start and end of each piece, in code points."""


def clusters(text: str) -> Spans:
    """The span of every cluster, white space too."""
    return tuple(found.span() for found in _CLUSTER.finditer(text))


def characters(text: str) -> Spans:
    """The span of every cluster that can be seen."""
    return visible(clusters(text), text)


def visible(spans: Iterable[Span], text: str) -> Spans:
    """The spans that hold more than white space."""
    return tuple((start, end) for start, end in spans if not text[start:end].isspace())


def borders(text: str) -> tuple[int, ...]:
    """Every offset at which a cut may be made, 0 and the length included."""
    return (0, *(end for _, end in clusters(text)))


def joined(spans: Iterable[Span], allowed: Iterable[int]) -> Spans:
    """Neighbouring spans, put together wherever the cut between them is not allowed."""
    allowed = frozenset(allowed)
    whole: list[Span] = []
    for start, end in spans:
        if start in allowed:
            whole.append((start, end))
        else:
            whole[-1] = (whole[-1][0], end)
    return tuple(whole)


def widened(spans: Iterable[Span], allowed: tuple[int, ...]) -> Spans:
    """Overlapping spans, each grown to the next allowed cut on both sides; what becomes equal is kept once."""
    grown = ((allowed[bisect_right(allowed, start) - 1], allowed[bisect_left(allowed, end)]) for start, end in spans)
    return tuple(dict.fromkeys(grown))
