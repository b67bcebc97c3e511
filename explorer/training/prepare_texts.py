"""Prepares the training of a language model: from sentences to examples in ids, with a vocabulary learned from them."""

import hashlib
from pathlib import Path

from explorer import resources
from explorer.config import Config
from explorer.errors import EmptySplit
from explorer.files import read_whole
from explorer.stops import Progress
from explorer.tokens.bilingual import SOURCE_FILE, Bilingual
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from explorer.tokens.vocabulary import SPECIALS
from explorer.training.batches import TextExample
from explorer.training.corpus import MOST_BYTES
from explorer.training.gaps import GapExample, Gaps
from explorer.training.prepare import PreparedData, ends_with_stop, words_of
from explorer.training.texts import read_texts

_TOLD_EVERY = 500


def prepare_texts(data: Path, sentences: Path | None, folder: Path, config: Config, progress: Progress) -> PreparedData:
    """Read the sentences, cut them and look up their ids. If the folder has a vocabulary, it is used.

    A sentence with more tokens than the Config has positions is left out. Those for an encoder alone get gaps. Raises BadFile,
    EmptySplit.
    """
    fills_gaps = config.architecture == "encoder-only"
    texts = read_texts(data, sentences, Simplifier())
    segmenter = Segmenter(resources.cache_folder())
    if (folder / SOURCE_FILE).exists():
        vocabulary = Bilingual.read_shared(folder)
    else:
        vocabulary = Bilingual.learn_shared(texts.train, segmenter, config.vocab_size, gaps=fills_gaps)
        vocabulary.write(folder)
    gaps = Gaps.of(vocabulary, folder) if fills_gaps else None
    total, done = len(texts.train) + len(texts.valid), 0
    made: dict[str, list[TextExample | GapExample]] = {"train": [], "valid": []}
    n_tokens = n_characters = 0
    for split, examples in made.items():
        for text in texts.split(split):
            example = text_example(text, vocabulary, segmenter)
            if example.longest <= config.max_len:
                examples.append(example if gaps is None else GapExample(example, gaps))
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
        characters_per_token=n_characters / n_tokens,
    )


def text_example(text: str, vocabulary: Bilingual, segmenter: Segmenter) -> TextExample:
    """A sentence in ids."""
    words = words_of(text, vocabulary, segmenter)
    return TextExample(words, ends_with_stop(text, words))


def predicted_characters(text: str, vocabulary: Bilingual, example: TextExample) -> int:
    """How many characters a language model predicts: all but those of its first token, and the end as one more."""
    first = example.words[0][0][0]
    return len("".join(text.split())) - (len(vocabulary.source.symbols[first]) if first >= len(SPECIALS) else 1) + 1


def _sha256(*paths: Path | None) -> str:
    """A name of all the data. For one file it is the hash of the file."""
    parts = [hashlib.sha256(read_whole(path, MOST_BYTES)).hexdigest() for path in paths if path is not None]
    return parts[0] if len(parts) == 1 else hashlib.sha256("".join(parts).encode()).hexdigest()
