"""Makes the bundled vocabularies: `python -m explorer.training.bundled_vocabularies zh-en.tsv assets/vocabulary`.

The pair file has columns with a header row. Of these, split, zh and en are used, and only rows whose split is "train".
"""

import csv
import io
import string
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from explorer.files import opened
from explorer.resources import asset_text, cache_folder
from explorer.tokens import spaces
from explorer.tokens.bpe import BYTES
from explorer.tokens.graphemes import characters
from explorer.tokens.learn_bpe import learn
from explorer.tokens.segment import Segmenter
from explorer.tokens.vocabulary import SPECIALS, Vocabulary

N_BPE_SYMBOLS = 8000
CHINESE_PUNCTUATION = tuple("，。！？、；：“”‘’（）《》〈〉【】「」『』〔〕…—·～￥％－")
PRINTABLE = (*string.digits, *string.ascii_letters, *string.punctuation)

_FEWEST_WORDS = 5
_FEWEST_CHARACTERS = 2
# Count tokens that every vocabulary of usual size should have as if they occurred this often.
_ALWAYS_COUNT = 25

Pair = tuple[str, str]


def train_pairs(path: Path) -> Iterator[Pair]:
    """The Chinese and the English sentence of each training row."""
    with opened(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["split"] == "train":
                yield row["zh"], row["en"]


def example_words() -> tuple[str, ...]:
    """The words of well-known example sentences, which the pairs may lack."""
    return tuple(asset_text("vocabulary/examples.txt").split())


def word_symbols(pairs: list[Pair], segmenter: Segmenter, always: Iterable[str]) -> tuple[str, ...]:
    """The words of all tokenizations, characters and punctuation, most frequent first."""
    by_jieba = Counter(word for text in chain(*pairs) for word in _cut_by_jieba(text, segmenter))
    by_spaces = Counter(_texts((english for _, english in pairs)))
    # Letters of English sentences are not counted as words; PRINTABLE has them for names like "A".
    single = Counter(text[start:end] for text, _ in pairs for start, end in characters(text))
    counts: Counter[str] = Counter()
    for found, fewest in ((by_jieba, _FEWEST_WORDS), (by_spaces, _FEWEST_WORDS), (single, _FEWEST_CHARACTERS)):
        # Several tokenizations may find the same word, which counts once; `|=` keeps the larger count.
        counts |= Counter({word: count for word, count in found.items() if count >= fewest})
    counts |= Counter(dict.fromkeys(always, _ALWAYS_COUNT))
    return tuple(sorted(counts, key=lambda word: (-counts[word], word)))


def _cut_by_jieba(text: str, segmenter: Segmenter) -> Iterator[str]:
    for start, end in segmenter.spans(text, "search", hmm=True):
        yield text[start:end]


def _texts(sentences: Iterable[str]) -> Iterator[str]:
    for text in sentences:
        for start, end in spaces.words(text):
            yield text[start:end]


def main(pair_file: str, folder: str) -> None:
    """Write words.txt and bpe.txt into `folder`."""
    pairs = list(train_pairs(Path(pair_file)))
    examples = example_words()
    letters = (*PRINTABLE, *CHINESE_PUNCTUATION, *chain(*examples))
    words = word_symbols(pairs, Segmenter(cache_folder()), (*letters, *examples))
    symbols = learn(chain(*pairs), N_BPE_SYMBOLS - len(SPECIALS) - len(BYTES), always=letters)
    Vocabulary((*SPECIALS, *words)).write(Path(folder) / "words.txt")
    Vocabulary((*SPECIALS, *BYTES, *symbols)).write(Path(folder) / "bpe.txt")


if __name__ == "__main__":
    main(*sys.argv[1:])
