"""The sentences of a language model: the source side of a parallel corpus, and a file of further sentences beside it.

The corpus names the split of each of its rows. A hash of its letters decides the split of a further sentence, so that it stays
there whatever else is added. Sentences that differ only in script, punctuation or spaces count as one sentence, and no held-out
sentence is ever trained on.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from explorer.errors import BadText, EmptyText
from explorer.files import read_whole
from explorer.tokens.check import check_text
from explorer.tokens.simplify import Simplifier
from explorer.tokens.tokenizer import full_width
from explorer.training.corpus import MOST_BYTES, SPLITS, BadRow, Corpus, read_corpus

_HELD_OUT = {0: "valid", 1: "valid", 2: "test", 3: "test"}  # percent of the hashes; the other 96 % are for training


@attrs.frozen
class Texts:
    """The sentences of each split; Chinese ones have simplified characters and full-width punctuation."""

    train: tuple[str, ...]
    valid: tuple[str, ...]
    test: tuple[str, ...]
    bad: tuple[BadRow, ...] = ()

    def split(self, name: str) -> tuple[str, ...]:
        """The sentences of "train", "valid" or "test"."""
        texts: tuple[str, ...] = getattr(self, name)
        return texts


def read_texts(data: Path, sentences: Path | None, simplifier: Simplifier | None) -> Texts:
    """The sentences of a corpus and of a file of further sentences: Chinese ones, or without a simplifier English ones.

    Raises CannotRead, NotAFile, NotACorpus.
    """
    corpus = read_corpus(data)
    if simplifier is None:
        corpus = corpus.turned()
    bad = list(corpus.bad)
    seen: set[str] = set()
    kept: dict[str, list[str]] = {name: [] for name in SPLITS}
    rows = _own_rows(corpus), () if sentences is None else _further(sentences, bad, simplifier)
    for split, text in (row for part in rows for row in part):
        usual = usual_form(text, simplifier)
        if (letters := letters_of(usual)) and letters not in seen:
            seen.add(letters)
            kept[split].append(usual)
    return Texts(**{name: tuple(found) for name, found in kept.items()}, bad=tuple(bad))


def usual_form(text: str, simplifier: Simplifier | None) -> str:
    """The text in its usual form: with simplified characters and full-width punctuation; an English text as it is."""
    return text if simplifier is None else full_width(simplifier.simplified(text))


def letters_of(usual: str) -> str:
    """The letters and digits of the usual form. Two sentences are the same if these are."""
    return "".join(filter(str.isalnum, usual)).casefold()


def split_of(letters: str) -> str:
    """The split of a further sentence, decided by its letters alone."""
    percent = int.from_bytes(hashlib.sha256(letters.encode()).digest()[:8], "big") % 100
    return _HELD_OUT.get(percent, "train")


def _own_rows(corpus: Corpus) -> Iterator[tuple[str, str]]:
    """(split, sentence) of the corpus; held-out ones come first, so that nothing equal to them is trained on."""
    for split in ("valid", "test", "train"):
        yield from ((split, source) for source, _target in corpus.split(split))


def _further(path: Path, bad: list[BadRow], simplifier: Simplifier | None) -> Iterable[tuple[str, str]]:
    """(split, sentence) of each line; the sentence is what stands after the last tab. Bad lines are added to `bad`."""
    for number, line in enumerate(read_whole(path, MOST_BYTES).split(b"\n"), 1):
        try:
            text = check_text(line.decode().rstrip("\r").rpartition("\t")[2].strip()) if line.strip() else ""
        except UnicodeDecodeError:
            bad.append(BadRow(number, "not_utf8"))
        except EmptyText:
            bad.append(BadRow(number, "empty"))
        except BadText:
            bad.append(BadRow(number, "control_character"))
        else:
            yield split_of(letters_of(usual_form(text, simplifier))), text
