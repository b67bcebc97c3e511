"""Splits a text at white space, as English is written."""

from collections.abc import Iterator
from itertools import groupby

import regex

from explorer.tokens.graphemes import Span, Spans, clusters

_PUNCTUATION = regex.compile(r"\p{P}")


def words(text: str) -> Spans:
    """The spans of the words between white space.

    A punctuation mark at either end of a word becomes a token of its own; inside a word it stays: "don't", "U.S". Symbols
    belong to the word: "$5", "C++".
    """
    runs = groupby(clusters(text), key=lambda span: text[span[0] : span[1]].isspace())
    return tuple(span for is_space, run in runs if not is_space for span in _trimmed(list(run), text))


def _trimmed(run: list[Span], text: str) -> Iterator[Span]:
    inner = [index for index, (start, _) in enumerate(run) if not _PUNCTUATION.match(text, start)]
    if not inner:
        yield from run
        return
    first, last = inner[0], inner[-1]
    yield from run[:first]
    yield run[first][0], run[last][1]
    yield from run[last + 1 :]
