"""The kind of Picture that shows several tokenizations of one sentence, a row for each."""

import attrs

from explorer.picture.picture import Caption, Picture
from explorer.picture.scales import Scale
from explorer.tokens.graphemes import Spans
from explorer.tokens.token import Token
from explorer.trace.arrays import Array


@attrs.frozen(eq=False)
class CutRow:
    """One tokenization: its key and name, its words, and the tokens that the model reads.

    `values` [unit, unit] are attention weights between the units, and `difference` is what remains of them without those of
    the present tokenization; both are None where no pass was made. `about` counts the tokens, `said` is the model's
    translation, and `refused` gives the reason why no pass was made.
    """

    way: str
    name: str
    tokens: tuple[Token, ...]
    words: Spans
    about: str
    said: str = ""
    values: Array | None = None
    difference: Array | None = None
    refused: str = ""

    @property
    def pieces(self) -> tuple[tuple[int, ...], ...]:
        """The places of the tokens of each word, in their order."""
        found: dict[tuple[int, int], list[int]] = {word: [] for word in self.words}
        for place, token in enumerate(self.tokens):
            found[token.word or (token.start, token.end)].append(place)
        return tuple(tuple(places) for places in found.values())

    @property
    def lanes(self) -> tuple[int, ...]:
        """The lane of each word: the first in which it does not overlap an earlier word."""
        ends: list[int] = []
        found: dict[int, int] = {}
        for word, (start, end) in sorted(enumerate(self.words), key=lambda each: (each[1][0], -each[1][1])):
            lane = next((place for place, last in enumerate(ends) if last <= start), len(ends))
            ends[lane : lane + 1] = [end]
            found[word] = lane
        return tuple(found[word] for word in range(len(self.words)))

    def fell_apart(self, word: int) -> bool:
        """Whether the vocabulary lacks a word, so that it fell apart."""
        return any(token.word == self.words[word] for token in self.tokens)


@attrs.frozen(kw_only=True, eq=False)
class CutRows(Picture):
    """A text in several tokenizations, a row for each; `present` is the row of the one on screen.

    `units` are the words that rows and columns of all maps stand for.
    """

    text: str
    rows: tuple[CutRow, ...]
    present: int
    units: tuple[str, ...]
    scale: Scale
    difference_scale: Scale
    caption: Caption
