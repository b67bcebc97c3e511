"""The kind of Picture that lays the cuts of one sentence beside each other."""

from functools import cached_property

import attrs

from explorer.picture.picture import Caption, Picture
from explorer.picture.scales import Scale
from explorer.tokens.graphemes import Spans
from explorer.tokens.token import Token
from explorer.trace.arrays import Array


@attrs.frozen(eq=False)
class CutRow:
    """One cut: its key and name, the words that it cut and the tokens that the model reads.

    `values` [unit, unit] are attention weights on the units, and `difference` what is left without those of the present cut;
    both are None where there was no pass. `about` counts the tokens, and `said` is the translation that the model makes.
    `refused` says why there is no pass.
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

    @cached_property  # Each word asks, and each answer reads all tokens.
    def pieces(self) -> tuple[tuple[int, ...], ...]:
        """For each word the places of the tokens that it became, in their order."""
        found: dict[tuple[int, int], list[int]] = {word: [] for word in self.words}
        for place, token in enumerate(self.tokens):
            found[token.word or (token.start, token.end)].append(place)
        return tuple(tuple(places) for places in found.values())

    @cached_property  # Each word asks, and each answer reads all words.
    def lanes(self) -> tuple[int, ...]:
        """For each word the lane in which it stands: the first in which it lies beside those before it."""
        ends: list[int] = []
        found: dict[int, int] = {}
        for word, (start, end) in sorted(enumerate(self.words), key=lambda each: (each[1][0], -each[1][1])):
            lane = next((place for place, last in enumerate(ends) if last <= start), len(ends))
            ends[lane : lane + 1] = [end]
            found[word] = lane
        return tuple(found[word] for word in range(len(self.words)))

    def fell_apart(self, word: int) -> bool:
        """Whether the vocabulary lacks a word, so that it fell apart."""
        return any(self.tokens[place].word is not None for place in self.pieces[word])


@attrs.frozen(kw_only=True, eq=False)
class CutRows(Picture):
    """A text cut in several ways, a row for each; `present` is the row of the cut on screen.

    `units` are the words that rows and columns of all maps stand for.
    """

    text: str
    rows: tuple[CutRow, ...]
    present: int
    units: tuple[str, ...]
    scale: Scale
    difference_scale: Scale
    caption: Caption
