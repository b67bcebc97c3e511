"""Prepares a training: reads the files, learns vocabularies from the training rows alone, and makes examples in ids.

`prepare` does it for a translator, `prepare_texts` for a language model.
"""

import hashlib
from pathlib import Path

import attrs

from explorer import resources
from explorer.config import Config
from explorer.errors import EmptySplit
from explorer.files import read_whole
from explorer.stops import Progress
from explorer.tokens.bilingual import SOURCE_FILE, Bilingual, Pair
from explorer.tokens.bpe import BYTES, Encoder
from explorer.tokens.graphemes import characters
from explorer.tokens.pieces import MARK
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from explorer.tokens.vocabulary import SPECIALS, UNKNOWN, Vocabulary
from explorer.training.batches import Example, Ids, PairExample, TextExample, Word
from explorer.training.corpus import MOST_BYTES, BadRow, read_corpus
from explorer.training.masking import MaskedExample, Masking
from explorer.training.texts import read_texts

FULL_STOPS = ("。", ".")
_SMALL_PIECES = 4  # English words are split by all bytes and one of so many of the other byte pairs.
_TOLD_EVERY = 500


@attrs.frozen
class PreparedData:
    """What training needs from its data. `sha256` identifies the files; `bad` are the rows that were left out. `first` is the
    first sentence of the validation rows.

    `characters_per_token` counts over what a language model predicts on the validation rows; 0 for a translator.
    """

    bilingual: Bilingual
    train: tuple[Example, ...]
    valid: tuple[Example, ...]
    bad: tuple[BadRow, ...]
    sha256: str
    first: str
    characters_per_token: float = 0.0


def prepare(data: Path, folder: Path, config: Config, progress: Progress) -> PreparedData:
    """Read the rows, tokenize them and look up their ids. Vocabularies in the folder are used, else new ones are learned there.

    A row with more tokens than the Config has positions is left out. Raises BadFile, EmptySplit.
    """
    from_english = config.tokenizer == "bpe"
    corpus = read_corpus(data).turned() if from_english else read_corpus(data)
    for split in ("train", "valid"):
        if not corpus.split(split):
            raise EmptySplit(path=str(data), split=split)
    segmenter = Segmenter(resources.cache_folder())
    if (folder / SOURCE_FILE).exists():
        bilingual = Bilingual.read(folder)
    elif from_english:
        bilingual = Bilingual.learn_from_english(corpus.train, segmenter, config.vocab_size, config.n_target_symbols)
        bilingual.write(folder)
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
        bilingual, train, valid, tuple(sorted(bad, key=lambda row: row.line)), _sha256(data), corpus.valid[0][0]
    )


def example(pair: Pair, bilingual: Bilingual, segmenter: Segmenter) -> PairExample:
    """A pair in ids."""
    source, target = pair
    words = words_of(source, bilingual, segmenter)
    return PairExample(words, _target_ids(target, bilingual, segmenter), ends_with_stop(source, words))


def _target_ids(text: str, bilingual: Bilingual, segmenter: Segmenter) -> Ids:
    """The ids of a target sentence: its byte pairs, or its words, of which unknown ones fall apart into characters."""
    if bilingual.writes_english:
        return bilingual.target_ids(text)
    return tuple(each for word in words_of(text, bilingual.turned(), segmenter) for each in word[0])


def words_of(text: str, bilingual: Bilingual, segmenter: Segmenter) -> tuple[Word, ...]:
    """The words in ids: a known word as a whole and in characters, an unknown word in characters only.

    An English word, or a mark, is in byte pairs, and once more in smaller ones if it has any.
    """
    if bilingual.reads_english:
        return _english_words(text, bilingual.source)
    words: list[Word] = []
    for start, end in segmenter.spans(text, "accurate", hmm=True):
        word = text[start:end]
        whole = bilingual.source.id_of(word)
        single = tuple(bilingual.source.id_of(word[a:b]) or UNKNOWN for a, b in characters(word))
        words.append((single,) if whole is None or len(single) == 1 else ((whole,), single))
    return tuple(words)


def _english_words(text: str, vocabulary: Vocabulary) -> tuple[Word, ...]:
    n_bytes = len(SPECIALS) + len(BYTES)
    small = vocabulary.capped(n_bytes + (len(vocabulary) - n_bytes) // _SMALL_PIECES)
    ways = (Encoder(each, plain=True).by_piece(text) for each in (vocabulary, small))
    ids = ((tuple(token.id for token in way) for way in word) for word in zip(*ways, strict=True))
    return tuple(tuple(dict.fromkeys(word)) for word in map(tuple, ids) if any(word))


def ends_with_stop(text: str, words: tuple[Word, ...]) -> bool:
    """Whether a text of several words ends with a full stop, which people may omit when they type."""
    return text.endswith(FULL_STOPS) and len(words) > 1


def prepare_texts(data: Path, sentences: Path | None, folder: Path, config: Config, progress: Progress) -> PreparedData:
    """Read the sentences, tokenize them and look up their ids. A vocabulary in the folder is used, else one is learned there.

    A sentence with more tokens than the Config has positions is left out. An encoder-only model gets masked examples. Raises
    BadFile, EmptySplit.
    """
    is_masked_lm, is_english = config.architecture == "encoder-only", config.tokenizer == "bpe"
    texts = read_texts(data, sentences, None if is_english else Simplifier())
    segmenter = Segmenter(resources.cache_folder())
    if (folder / SOURCE_FILE).exists():
        vocabulary = Bilingual.read_shared(folder)
    elif is_english:
        vocabulary = Bilingual.learn_shared_english(texts.train, config.vocab_size)
        vocabulary.write(folder)
    else:
        vocabulary = Bilingual.learn_shared(texts.train, segmenter, config.vocab_size, with_mask=is_masked_lm)
        vocabulary.write(folder)
    masking = Masking.of(vocabulary, folder) if is_masked_lm else None
    total, done = len(texts.train) + len(texts.valid), 0
    made: dict[str, list[TextExample | MaskedExample]] = {"train": [], "valid": []}
    n_tokens = n_characters = 0
    for split, examples in made.items():
        for text in texts.split(split):
            example = text_example(text, vocabulary, segmenter)
            if example.longest <= config.max_len:
                examples.append(example if masking is None else MaskedExample(example, masking))
                if split == "valid":
                    n_tokens += example.lengths[1] + 1
                    n_characters += predicted_characters(text, vocabulary, example)
            done += 1
            if done % _TOLD_EVERY == 0:
                progress(done / total)
        if not examples:
            raise EmptySplit(path=str(data), split=split)
    return PreparedData(
        vocabulary,
        tuple(made["train"]),
        tuple(made["valid"]),
        texts.bad,
        _sha256(data, sentences),
        texts.valid[0],
        characters_per_token=n_characters / n_tokens,
    )


def text_example(text: str, vocabulary: Bilingual, segmenter: Segmenter) -> TextExample:
    """A sentence in ids."""
    words = words_of(text, vocabulary, segmenter)
    return TextExample(words, ends_with_stop(text, words))


def predicted_characters(text: str, vocabulary: Bilingual, example: TextExample) -> int:
    """How many characters a language model predicts: all after its first token, and the end as one more.

    The blanks between English words are characters.
    """
    first = example.words[0][0][0]
    if vocabulary.reads_english:
        symbol = vocabulary.source.symbols[first]
        return len(" ".join(text.split())) - (1 if symbol in BYTES else len(symbol.removeprefix(MARK))) + 1
    return len("".join(text.split())) - (len(vocabulary.source.symbols[first]) if first >= len(SPECIALS) else 1) + 1


def _sha256(*paths: Path | None) -> str:
    """A hash over all files. For one file it is the hash of that file."""
    parts = [hashlib.sha256(read_whole(path, MOST_BYTES)).hexdigest() for path in paths if path is not None]
    return parts[0] if len(parts) == 1 else hashlib.sha256("".join(parts).encode()).hexdigest()
