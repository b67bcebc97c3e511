"""What byte-pair encoding looks at before any merge: pieces that no merge may leave.

A piece is a run of characters of one script, or one punctuation mark. White space becomes MARK: it opens a word of
letters or digits, and stands alone before anything else. A text begins as if after white space, so that "The" is the
same symbol there as inside; Chinese is written without spaces and gets no mark for it.
"""

from collections.abc import Iterator

import attrs
import regex

from explorer.tokens.graphemes import CLUSTER, Span, clusters

MARK = "＿"  # the low line of GB 2312: nearly never typed, and the bundled font has it, which it has not for "▁"

_WORD = r"(?:(?=\p{Latin})\X)+|(?:(?=\p{N})\X)+|(?:(?=\p{L})(?!\p{Han})(?!\p{Latin})\X)+"
_PIECE = regex.compile(rf"(?P<word>{_WORD})|(?:(?=\p{{Han}})\X)+|{CLUSTER}")


@attrs.frozen
class Piece:
    """The spans of its characters, and that of the white space MARK stands for, if it is marked.

    At the beginning of a text that span is empty.
    """

    characters: tuple[Span, ...]
    space: Span | None = None


def pieces(text: str) -> Iterator[Piece]:
    """The pieces of `text` in order. A piece with no characters is a mark alone."""
    space: Span | None = (0, 0)
    for found in _PIECE.finditer(text):
        start, end = found.span()
        if found[0].isspace():
            space = (space[0] if space and space[1] == start else start, end)
            continue
        spans = tuple((start + a, start + b) for a, b in clusters(found[0]))
        if found["word"]:
            yield Piece(spans, space)
        else:
            if space and space[0] > 0:
                yield Piece((), space)
            yield Piece(spans)
        space = None


def opens_word(text: str, start: int) -> bool:
    """True: what begins at `start` is marked."""
    found = _PIECE.match(text, start)
    return bool(found and found["word"]) and (start == 0 or text[start - 1].isspace())


def first_symbols(piece: Piece, text: str) -> tuple[str, ...]:
    """What merging starts from: the mark and the characters."""
    characters = tuple(text[start:end] for start, end in piece.characters)
    return characters if piece.space is None else (MARK, *characters)
