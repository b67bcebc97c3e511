"""One token, as every other room sees it."""

import attrs


@attrs.frozen
class Token:
    """A piece of the typed text and its place in the vocabulary.

    `text` is what is shown, never a broken character. `start` and `end` are code point offsets into the text that was
    typed. `known`: True if the vocabulary has it, else `id` is that of <unk>. `merges` is the history of a byte-pair
    token in the order applied: ("t h", "th e").
    """

    text: str
    id: int
    start: int
    end: int
    known: bool
    merges: tuple[str, ...] = ()
