"""User-defined token boundaries: merging and splitting tokens, and the check of boundaries from outside.

The full mode and the search mode of jieba give overlapping words. There a merge or split replaces only the chosen words, and a
word that would then occur twice is kept once.
"""

from collections.abc import Iterable

from explorer.errors import BadCut
from explorer.tokens.graphemes import Spans, borders, characters

__all__ = ["Spans", "check_cuts", "merged", "split", "trimmed"]


def merged(spans: Spans, index: int) -> Spans:
    """The spans after a merge: token `index` and the next one become one that covers both. Raises BadCut."""
    if not 0 <= index < len(spans) - 1:
        raise BadCut(start=index, end=index + 1, length=len(spans))
    pair = spans[index : index + 2]
    whole = (min(start for start, _ in pair), max(end for _, end in pair))
    return _once((*spans[:index], whole, *spans[index + 2 :]))


def split(spans: Spans, index: int, at: int) -> Spans:
    """The spans after a split: token `index` becomes two, cut at the code point offset `at` of the text. Raises BadCut."""
    if not 0 <= index < len(spans):
        raise BadCut(start=index, end=index, length=len(spans))
    start, end = spans[index]
    if not start < at < end:
        raise BadCut(start=at, end=at, length=max(end for _, end in spans))
    return _once((*spans[:index], (start, at), (at, end), *spans[index + 1 :]))


def trimmed(spans: Spans, text: str) -> Spans:
    """The spans without the white space around them. Spans of only white space are dropped, equal spans kept once."""
    tight = []
    for start, end in spans:
        piece = text[start:end]
        tight.append((end - len(piece.lstrip()), start + len(piece.rstrip())))
    return _once((start, end) for start, end in tight if start < end)


def check_cuts(spans: Spans, text: str) -> Spans:
    """The spans themselves. Raises BadCut if one lies outside the text or splits a character, or if text is left uncovered."""
    allowed = frozenset(borders(text))
    covered: set[int] = set()
    for start, end in spans:
        if not start < end or start not in allowed or end not in allowed:
            raise BadCut(start=start, end=end, length=len(text))
        covered.update(range(start, end))
    for start, end in characters(text):
        if start not in covered:
            raise BadCut(start=start, end=end, length=len(text))
    return spans


def _once(spans: Iterable[tuple[int, int]]) -> Spans:
    return tuple(dict.fromkeys(spans))
