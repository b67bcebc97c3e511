"""The Token, as all other rooms use it."""

import attrs


@attrs.frozen
class Token:
    """A piece of the typed text and its id in the vocabulary.

    `text` is shown to the user and never has a broken character. `start` and `end` are code point offsets in the typed text.
    `known` says whether the vocabulary has the token; if not, `id` is that of <unk>. `merges` are the merges that made a
    byte-pair token, in their order: ("t h", "th e"). A `special` token is one that somebody else's model expects around a text,
    such as [CLS]; it stands nowhere in the typed text. `word` is the span of the word that was cut first, where the vocabulary
    lacks that word and it fell apart into this token and its neighbours; None for all others.
    """

    text: str
    id: int
    start: int
    end: int
    known: bool
    merges: tuple[str, ...] = ()
    special: bool = False
    word: tuple[int, int] | None = None
