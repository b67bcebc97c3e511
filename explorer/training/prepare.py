"""Prepares a training: from a data file to examples in ids, with vocabularies learned from its training rows alone."""

import hashlib
from pathlib import Path

import attrs

from explorer import resources
from explorer.config import Config
from explorer.errors import EmptySplit
from explorer.files import read_whole
from explorer.stops import Progress
from explorer.tokens.bilingual import SOURCE_FILE, Bilingual, Pair
from explorer.tokens.graphemes import characters
from explorer.tokens.segment import Segmenter
from explorer.tokens.vocabulary import UNKNOWN
from explorer.training.batches import PairExample, TextExample, Word
from explorer.training.corpus import MOST_BYTES, BadRow, read_corpus
from explorer.training.gaps import GapExample

_FULL_STOP = "。"
_TOLD_EVERY = 500


@attrs.frozen
class PreparedData:
    """What training needs from its data. `sha256` identifies the files; `bad` are the rows that were left out.

    `characters_per_token` is that of what a language model predicts on the validation rows; 0 for a translator.
    """

    bilingual: Bilingual
    train: tuple[PairExample, ...] | tuple[TextExample | GapExample, ...]
    valid: tuple[PairExample, ...] | tuple[TextExample | GapExample, ...]
    bad: tuple[BadRow, ...]
    sha256: str
    characters_per_token: float = 0.0


def prepare(data: Path, folder: Path, config: Config, progress: Progress) -> PreparedData:
    """Read the rows, cut them and look up their ids. If the folder has vocabularies, they are used. Raises BadFile, EmptySplit.

    A row with more tokens than the Config has positions is left out.
    """
    corpus = read_corpus(data)
    for split in ("train", "valid"):
        if not corpus.split(split):
            raise EmptySplit(path=str(data), split=split)
    segmenter = Segmenter(resources.cache_folder())
    if (folder / SOURCE_FILE).exists():
        bilingual = Bilingual.read(folder)
    else:
        bilingual = Bilingual.learn(corpus.train, segmenter, config.n_target_symbols)
        bilingual = bilingual.capped(config.vocab_size, len(bilingual.target))
        bilingual.write(folder)
    total = len(corpus.train) + len(corpus.valid)
    bad = list(corpus.bad)
    done = 0

    def examples(split: str) -> tuple[PairExample, ...]:
        nonlocal done
        made: list[PairExample] = []
        for line, pair in zip(corpus.lines[split], corpus.split(split), strict=True):
            one = example(pair, bilingual, segmenter)
            if one.longest > config.max_len:
                bad.append(BadRow(line, "too_long"))
            else:
                made.append(one)
            done += 1
            if done % _TOLD_EVERY == 0:
                progress(done / total)
        if not made:
            raise EmptySplit(path=str(data), split=split)
        return tuple(made)

    train, valid = examples("train"), examples("valid")
    return PreparedData(
        bilingual,
        train,
        valid,
        tuple(sorted(bad, key=lambda row: row.line)),
        hashlib.sha256(read_whole(data, MOST_BYTES)).hexdigest(),
    )


def example(pair: Pair, bilingual: Bilingual, segmenter: Segmenter) -> PairExample:
    """A pair in ids."""
    source, target = pair
    words = words_of(source, bilingual, segmenter)
    return PairExample(words, bilingual.target_ids(target), ends_with_stop(source, words))


def words_of(text: str, bilingual: Bilingual, segmenter: Segmenter) -> tuple[Word, ...]:
    """The words in ids: a known word can be written as a whole or in characters, an unknown word in characters only."""
    words: list[Word] = []
    for start, end in segmenter.spans(text, "accurate", hmm=True):
        word = text[start:end]
        whole = bilingual.source.id_of(word)
        single = tuple(bilingual.source.id_of(word[a:b]) or UNKNOWN for a, b in characters(word))
        words.append((single,) if whole is None or len(single) == 1 else ((whole,), single))
    return tuple(words)


def ends_with_stop(text: str, words: tuple[Word, ...]) -> bool:
    """Whether a text of several words ends with a full stop, which people may leave out when they type."""
    return text.endswith(_FULL_STOP) and len(words) > 1
