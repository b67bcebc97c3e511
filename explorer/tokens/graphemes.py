"""Grapheme clusters: what a reader sees as one character. Unicode Standard Annex 29, extended clusters.

The emoji of a family is one cluster, and so is a letter with its combining marks. No token boundary may lie inside a cluster.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

import regex

# Two regional indicators make a flag. They are matched before \X, which would look back through all flags at each flag.
CLUSTER = r"(?:\p{RI}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*|\X)"
_CLUSTER = regex.compile(CLUSTER)

Span = tuple[int, int]
Spans = tuple[Span, ...]
"""The start and end of each piece, in code points."""


def clusters(text: str) -> Spans:
    """The spans of all clusters, with those of white space."""
    return tuple(found.span() for found in _CLUSTER.finditer(text))


def characters(text: str) -> Spans:
    """The spans of all clusters but white space."""
    return visible(clusters(text), text)


def visible(spans: Iterable[Span], text: str) -> Spans:
    """The spans that have more than white space."""
    return tuple((start, end) for start, end in spans if not text[start:end].isspace())


def borders(text: str) -> tuple[int, ...]:
    """All offsets at which a boundary may lie, including 0 and the length of the text."""
    return (0, *(end for _, end in clusters(text)))


def joined(spans: Iterable[Span], allowed: Iterable[int]) -> Spans:
    """Neighbouring spans; two of them are joined where no boundary may lie between them."""
    allowed = frozenset(allowed)
    whole: list[Span] = []
    for start, end in spans:
        if start in allowed:
            whole.append((start, end))
        else:
            whole[-1] = (whole[-1][0], end)
    return tuple(whole)


def widened(spans: Iterable[Span], allowed: tuple[int, ...]) -> Spans:
    """Overlapping spans, each widened on both sides to the next allowed boundary; equal spans are kept once."""
    grown = ((allowed[bisect_right(allowed, start) - 1], allowed[bisect_left(allowed, end)]) for start, end in spans)
    return tuple(dict.fromkeys(grown))
