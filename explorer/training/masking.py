"""Masked language modelling for encoder-only models. Devlin et al. 2019, section 3.1.

The model predicts 15 % of the tokens. Of these, 80 % are replaced by the mask token, 10 % by a random token, and 10 % stay as
they are, so that the model is also of use on unmasked text.
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
class Masking:
    """The facts that masking needs of a vocabulary: the id of the mask token, and the vocabulary's size."""

    mask: int
    n_symbols: int

    @classmethod
    def of(cls, vocabulary: Bilingual, folder: Path) -> Self:
        """The masking of a vocabulary that was read in `folder`. Raises BadVocabulary if it has no mask token."""
        mask = vocabulary.source.id_of(MASK)
        if mask is None:
            raise BadVocabulary(path=str(folder / SOURCE_FILE), reason=f"{MASK} ?")
        return cls(mask, len(vocabulary.source))

    def shown(self, symbol: int, rng: random.Random) -> int:
        """The id that the model sees in place of a token that it shall predict."""
        drawn = rng.random()
        if drawn < _HIDDEN:
            return self.mask
        if drawn < _HIDDEN + _OTHER:
            return rng.randrange(len(SPECIALS) + 1, self.n_symbols)
        return symbol


@attrs.frozen
class MaskedExample:
    """A sentence in ids; other tokens are masked each time it is drawn."""

    text: TextExample
    masking: Masking

    @property
    def longest(self) -> int:
        """The greatest length: with all words in characters."""
        return self.text.longest

    @property
    def lengths(self) -> tuple[int, int]:
        """The room that the sentence takes in a batch; the encoder's ids count as a target's do."""
        return 0, self.text.lengths[1]

    def row(self, split_words: float, drop_stop: float, rng: random.Random) -> BatchRow:
        """The masked sentence: the encoder's ids, and at each of them the expected token or PAD. At least one is expected."""
        ids = self.text.row(split_words, drop_stop, rng).given
        at = {place for place in range(len(ids)) if rng.random() < _EXPECTED} or {rng.randrange(len(ids))}
        shown = tuple(self.masking.shown(each, rng) if place in at else each for place, each in enumerate(ids))
        return BatchRow(shown, (), tuple(each if place in at else PAD for place, each in enumerate(ids)))

    def again(self, row: BatchRow, _split_words: float, _drop_stop: float, _rng: random.Random) -> BatchRow:
        """The second row for R-Drop: the same one, because both must expect the same tokens."""
        return row
