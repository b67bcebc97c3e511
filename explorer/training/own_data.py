"""Examples of a file of one's own, character by character: the next character of a text, or the pairs of a table.

A tenth of the file, at its end, is kept apart for validation. Only the most frequent characters are known to the model.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

import attrs

from explorer.config import Config
from explorer.errors import EmptySplit
from explorer.files import read_whole
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.bpe import BYTES
from explorer.tokens.pieces import MARK
from explorer.tokens.vocabulary import SPECIALS, UNKNOWN, Vocabulary
from explorer.training.batches import BatchRow, Ids, PairExample
from explorer.training.own_files import MOST_BYTES, read_own_pairs, read_own_text
from explorer.training.prepare import PreparedData
from explorer.training.tasks import VALID_EXAMPLES

_MOST_SYMBOLS = 1000
_VALID_SHARE = 10
_OPENS_WITH = 24  # characters of the text that a language model's preset opens with
T = TypeVar("T")


@attrs.frozen
class WindowExample:
    """A piece of a running text in ids: each of them is predicted from those before it, and no end is."""

    ids: Ids

    @property
    def longest(self) -> int:
        """The number of ids that the model reads."""
        return len(self.ids) - 1

    @property
    def lengths(self) -> tuple[int, int]:
        """The room in a batch: no source, and the ids after the first one."""
        return 0, self.longest

    def row(self, _split_words: float, _drop_stop: float, _rng: Random) -> BatchRow:
        """The piece as a row; nothing of it is drawn."""
        return BatchRow((), self.ids[:-1], self.ids[1:])

    def again(self, row: BatchRow, _split_words: float, _drop_stop: float, _rng: Random) -> BatchRow:
        """The second row for R-Drop: the same one."""
        return row


def prepare_text(data: Path, folder: Path, config: Config) -> PreparedData:
    """The pieces of a text, one behind the other, each as long as the model reads; a line break is a space.

    Raises BadFile, BadText, NotInUtf8, EmptySplit.
    """
    text = " ".join(read_own_text(data).split())
    first = (*SPECIALS, *BYTES) if config.tokenizer == "bpe" else SPECIALS
    vocabulary = Bilingual.shared(_characters(text, first))
    vocabulary.write(folder)
    ids, size = _source_ids(text, vocabulary), config.max_len + 1
    pieces = [WindowExample(ids[start : start + size]) for start in range(0, len(ids) - size + 1, size)]
    train, valid = _parted(pieces, data)
    return PreparedData(vocabulary, train, valid, (), _sha256(data), text[-_OPENS_WITH:].strip())


def prepare_pairs(data: Path, folder: Path, config: Config) -> PreparedData:
    """The pairs of a table: on each line a source, a tab and its target. Those that are too long for the model are left out.

    Raises BadFile, BadText, NotInUtf8, NotPairs, EmptySplit.
    """
    pairs = [pair for pair in read_own_pairs(data) if max(map(len, pair)) < config.max_len]
    vocabulary = Bilingual(*(_characters("".join(pair[side] for pair in pairs), SPECIALS) for side in (0, 1)))
    vocabulary.write(folder)
    examples = [
        PairExample(tuple(((each,),) for each in _source_ids(source, vocabulary)), vocabulary.target_ids(target))
        for source, target in pairs
    ]
    train, valid = _parted(examples, data)
    return PreparedData(vocabulary, train, valid, (), _sha256(data), pairs[len(train)][0])


def _characters(text: str, first: tuple[str, ...]) -> Vocabulary:
    """The most frequent characters, behind the first symbols; a space is MARK."""
    counted = Counter(text.replace(" ", MARK)).most_common(_MOST_SYMBOLS)
    return Vocabulary((*first, *sorted({character for character, _count in counted} - set(first))))


def _source_ids(text: str, vocabulary: Bilingual) -> Ids:
    """The ids of a text as the window reads it: without spaces, unless the model reads them."""
    if vocabulary.reads_english:
        return vocabulary.target_ids(text)
    found = (vocabulary.source.id_of(each) for each in text if not each.isspace())
    return tuple(UNKNOWN if each is None else each for each in found)


def _parted(examples: Sequence[T], data: Path) -> tuple[tuple[T, ...], tuple[T, ...]]:
    n_valid = min(VALID_EXAMPLES, len(examples) // _VALID_SHARE)
    if not n_valid:
        raise EmptySplit(path=str(data), split="valid")
    return tuple(examples[:-n_valid]), tuple(examples[-n_valid:])


def _sha256(data: Path) -> str:
    return hashlib.sha256(read_whole(data, MOST_BYTES)).hexdigest()
