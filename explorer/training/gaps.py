"""Sentences with gaps, for a model that has an encoder alone. Devlin et al. 2019, section 3.1.

Some 15 % of the symbols are expected back. Of these, 80 % are hidden behind the symbol of a gap, 10 % behind some other
symbol, and 10 % stay as they are, so that the model is of use where nothing is hidden.
"""

import random
from pathlib import Path
from typing import Self

import attrs

from explorer.errors import BadVocabulary
from explorer.tokens.bilingual import SOURCE_FILE, Bilingual
from explorer.tokens.vocabulary import MASK, PAD, SPECIALS
from explorer.training.batches import BatchRow, TextExample

_EXPECTED, _HIDDEN, _OTHER = 0.15, 0.8, 0.1


@attrs.frozen
class Gaps:
    """What gaps are made of: the id of their symbol, and how many symbols there are."""

    mask: int
    n_symbols: int

    @classmethod
    def of(cls, vocabulary: Bilingual, folder: Path) -> Self:
        """The gaps of a vocabulary, which was read in a folder. Raises BadVocabulary if it has no symbol for them."""
        mask = vocabulary.source.id_of(MASK)
        if mask is None:
            raise BadVocabulary(path=str(folder / SOURCE_FILE), reason=f"{MASK} ?")
        return cls(mask, len(vocabulary.source))

    def shown(self, symbol: int, chance: random.Random) -> int:
        """What stands in place of a symbol that is expected back."""
        drawn = chance.random()
        if drawn < _HIDDEN:
            return self.mask
        if drawn < _HIDDEN + _OTHER:
            return chance.randrange(len(SPECIALS) + 1, self.n_symbols)
        return symbol


@attrs.frozen
class GapExample:
    """A sentence in ids that is drawn with other gaps each time."""

    text: TextExample
    gaps: Gaps

    @property
    def lengths(self) -> tuple[int, int]:
        """By how much a batch of such rows is filled; the encoder's ids count as a target's do."""
        return 0, self.text.lengths[1]

    def row(self, split_words: float, drop_stop: float, chance: random.Random) -> BatchRow:
        """The sentence with gaps: the encoder's ids, and at each of them the expected symbol or PAD. One gap at least."""
        ids = self.text.row(split_words, drop_stop, chance).given
        at = {place for place in range(len(ids)) if chance.random() < _EXPECTED} or {chance.randrange(len(ids))}
        shown = tuple(self.gaps.shown(each, chance) if place in at else each for place, each in enumerate(ids))
        return BatchRow(shown, (), tuple(each if place in at else PAD for place, each in enumerate(ids)))

    def again(self, row: BatchRow, _split_words: float, _drop_stop: float, _chance: random.Random) -> BatchRow:
        """The row that is compared with `row`: the same one, because both must expect the same symbols."""
        return row
