"""Pre-tokenization: byte-pair encoding first splits a text into pieces, and merges only inside a piece.

A piece is a run of characters of one script, or one punctuation mark. White space becomes MARK, which belongs to the piece of
letters or digits after it, and is a piece of its own before anything else. The beginning of a text counts as white space, so
that "The" is the same token there as inside a text. Chinese is written without spaces and gets no mark for that.
"""

from collections.abc import Iterator

import attrs
import regex

from explorer.tokens.graphemes import CLUSTER, Span, clusters

MARK = "␣"  # the space before a word

_WORD = r"(?:(?=\p{Latin})\X)+|(?:(?=\p{N})\X)+|(?:(?=\p{L})(?!\p{Han})(?!\p{Latin})\X)+"
_PIECE = regex.compile(rf"(?P<word>{_WORD})|(?:(?=\p{{Han}})\X)+|{CLUSTER}")


@attrs.frozen
class Pretoken:
    """A piece (pre-token): the spans of its characters, and that of the white space that its MARK stands for, if it has one.

    At the beginning of a text the span of white space is empty.
    """

    characters: tuple[Span, ...]
    space: Span | None = None


def pieces(text: str) -> Iterator[Pretoken]:
    """The pieces of `text` in order. A piece without characters is a mark alone."""
    space: Span | None = (0, 0)
    for found in _PIECE.finditer(text):
        start, end = found.span()
        if found[0].isspace():
            space = (space[0] if space and space[1] == start else start, end)
            continue
        spans = tuple((start + a, start + b) for a, b in clusters(found[0]))
        if found["word"]:
            yield Pretoken(spans, space)
        else:
            if space and space[0] > 0:
                yield Pretoken((), space)
            yield Pretoken(spans)
        space = None


def opens_word(text: str, start: int) -> bool:
    """Whether the piece that begins at `start` has a mark."""
    found = _PIECE.match(text, start)
    return bool(found and found["word"]) and (start == 0 or text[start - 1].isspace())


def first_symbols(piece: Pretoken, text: str) -> tuple[str, ...]:
    """The parts with which merging starts: the mark and the characters."""
    characters = tuple(text[start:end] for start, end in piece.characters)
    return characters if piece.space is None else (MARK, *characters)
