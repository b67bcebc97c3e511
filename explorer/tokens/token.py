"""The Token, as all other rooms use it."""

import attrs


@attrs.frozen
class Token:
    """A piece of the typed text and its id in the vocabulary.

    `text` is shown to the user and never has a broken character. `start` and `end` are code point offsets in the typed text.
    `known` is True where the vocabulary has the token; otherwise `id` is that of <unk>. `merges` are the merges that made a
    byte-pair token, in their order: ("t h", "th e"). A `special` token is one that a foreign model expects around a text, such
    as [CLS]; it has no place in the typed text. `word` is the span of the whole word, where the vocabulary lacks that word and
    it was split into this token and its neighbours; None for all others.
    """

    text: str
    id: int
    start: int
    end: int
    known: bool
    merges: tuple[str, ...] = ()
    special: bool = False
    word: tuple[int, int] | None = None
