"""The Segmenter: Chinese words by jieba, with their places in the text. Only this file imports jieba.

jieba stores its words in the shared temporary folder with marshal, where anyone may put a harmful file. Here they are stored
in a folder of the user, by their first characters. Only one thread may use the Segmenter at a time, because words that are
added for a call change the dictionary until the call ends.

Decision: jieba's dictionary gets the words that begin with a character when a text has that character. Rejected: all half a
million at once (0.25 s of the processor and 68 MB in place of 18 ms and 8 MB; jieba's own way takes 0.7 s).
"""

import contextlib
import json
import logging
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

with warnings.catch_warnings():  # jieba's last release has invalid escapes and imports pkg_resources.
    warnings.simplefilter("ignore")
    import jieba

from explorer.errors import CannotWrite, ExplorerError
from explorer.files import opened, replacing
from explorer.json_text import read_json_text
from explorer.tokens.graphemes import Span, Spans, borders, joined, visible, widened
from explorer.tokens.simplify import Simplifier

_STRETCH = 1000  # characters; jieba's time for guessing new words grows with the square of a run's length.
_LONGEST_ADDED = 100  # characters; jieba stores every beginning of a word, so a long word would fill the memory.
_UNSETTLED = 8  # The text after a stretch may still change so many of its last words.

_FORM = "word counts 3"
_LONGEST_HEAD, _MOST_BYTES = 1000, 2**26  # bytes; jieba's words take 10 MB.

Counts = tuple[dict[str, int], int]
"""The count of each word, and the total. jieba counts words of two lines twice, so the total may be more than the sum."""


class WordCounts:
    """The count of each word, by the words' first characters, and the total.

    `groups` hold the words that begin with a character, each with its count behind it, between tabs.
    """

    def __init__(self, groups: Mapping[str, bytes], total: int) -> None:
        self._groups = groups
        self.total = total

    def beginning(self, character: str) -> dict[str, int]:
        """The words that begin with a character, with their counts."""
        fields = self._groups.get(character, b"").decode("utf-8").split("\t")
        return dict(zip(fields[::2], map(int, fields[1::2]), strict=False))  # Of no group there is one empty field.


class Segmenter:
    """jieba in its three modes. The file of its words is read on first use."""

    def __init__(self, cache_folder: Path) -> None:
        self._simplifier = Simplifier()
        jieba.setLogLevel(logging.CRITICAL + 1)
        self._jieba = jieba.Tokenizer()
        self._cache_folder = cache_folder
        self._counts: WordCounts | None = None
        self._begun: set[str] = set()  # first characters whose words jieba has

    def spans(self, text: str, mode: str, *, hmm: bool, words: tuple[str, ...] = ()) -> Spans:
        """The spans of the words of `text` in jieba's order; white space is no word.

        `mode` is "accurate", "full" or "search". `hmm` lets jieba guess words that are not in its dictionary, except in full
        mode. `words` of at most 100 characters are added to the dictionary for this call only. As always in jieba, a word
        cannot have white space or most punctuation.
        """
        cut = {"accurate": self._accurate, "full": self._full, "search": self._search}[mode]
        simplified = self._simplifier.simplified(text)
        with self._added(simplified, words):
            return visible(cut(simplified, hmm), text)

    def _load(self, text: str) -> None:
        """Give jieba the words that begin with a character of the text. It asks for no others."""
        if self._counts is None:
            with self._jieba.get_dict_file() as file:
                key = f"jieba {jieba.__version__} {Path(file.name).stat().st_size}"
            self._counts = word_counts(self._cache_folder / "jieba.words", key, self._counted)
            self._jieba.total = self._counts.total
            self._jieba.initialized = True
        for character in set(text) - self._begun:
            self._jieba.FREQ.update(self._counts.beginning(character))
            self._begun.add(character)

    def _counted(self) -> Counts:
        counts: Counts = self._jieba.gen_pfdict(self._jieba.get_dict_file())
        return counts

    def _accurate(self, text: str, hmm: bool) -> Spans:
        found: list[Span] = []
        start = 0
        for run in jieba.re_han_default.split(text):  # jieba too segments each run by itself.
            for word in self._words(run, hmm):
                found.append((start, start + len(word)))
                start += len(word)
        return joined(found, borders(text))

    def _words(self, run: str, hmm: bool) -> Iterator[str]:
        """The words of one run. A very long run is segmented in stretches, each of which begins where a word begins."""
        stretch = _STRETCH
        while stretch < len(run):
            settled = self._jieba.lcut(run[:stretch], HMM=hmm)[:-_UNSETTLED]
            if not settled:
                stretch *= 2
                continue
            yield from settled
            run = run[sum(map(len, settled)) :]
            stretch = _STRETCH
        yield from self._jieba.cut(run, HMM=hmm)

    def _search(self, text: str, hmm: bool) -> Spans:
        """Search mode: for each word first the dictionary words of two and of three characters inside it, then the word."""
        allowed = frozenset(borders(text))
        found: list[Span] = []
        for start, end in self._accurate(text, hmm):
            for size in (2, 3):
                inside = ((at, at + size) for at in range(start, end - size + 1) if end - start > size)
                found += [span for span in inside if self._is_word(text, span) and allowed.issuperset(span)]
            found.append((start, end))
        return tuple(found)

    def _is_word(self, text: str, span: Span) -> bool:
        return bool(self._jieba.FREQ.get(text[span[0] : span[1]]))

    def _full(self, text: str, hmm: bool) -> Spans:
        found: list[Span] = []
        start = 0
        for run in jieba.re_han_default.split(text):
            if jieba.re_han_default.match(run):
                found += [(start + a, start + b) for a, b in full_spans(self._jieba.get_DAG(run), run)]
                start += len(run)
                continue
            for piece in jieba.re_skip_default.split(run):
                if piece:
                    found.append((start, start + len(piece)))
                start += len(piece)
        return widened(found, borders(text))

    @contextlib.contextmanager
    def _added(self, text: str, words: tuple[str, ...]) -> Iterator[None]:
        """Inside the block, jieba's dictionary has what the text needs and these words too; afterwards it is without them."""
        added = [self._simplifier.simplified(word) for word in words if 0 < len(word) <= _LONGEST_ADDED]
        self._load("".join((text, *added)))
        touched = {word[:end] for word in added for end in range(1, len(word) + 1)}
        total = self._jieba.total
        before = {part: self._jieba.FREQ.get(part) for part in touched}
        try:
            for word in added:
                self._jieba.add_word(word)
            yield
        finally:
            self._jieba.total = total
            for part, count in before.items():
                if count is None:
                    self._jieba.FREQ.pop(part, None)
                else:
                    self._jieba.FREQ[part] = count


def full_spans(lasts_by_start: Mapping[int, Sequence[int]], text: str) -> Iterator[Span]:
    """The spans of all dictionary words in a run of text, overlapping ones too.

    `lasts_by_start` is jieba's table: for each offset the last offsets of the words that begin there. jieba itself returns the
    words without their places. Words and order are the same, with one exception: letters on both sides of a dictionary word
    are two words here, while jieba joins them to one word that is not in the text.
    """
    letters: list[Span] = []
    covered = 0  # The text before this offset is covered by words.
    for start, lasts in lasts_by_start.items():
        if not _is_letter(text[start]):
            yield from letters
            letters.clear()
        if len(lasts) > 1 or start < covered:
            for last in lasts:
                if last > start:  # A single character is a word only if no longer word begins with it.
                    yield start, last + 1
                    covered = last + 1
            continue
        covered = lasts[0] + 1
        if not _is_letter(text[start]):
            yield start, covered
        elif letters and letters[-1][1] == start:
            letters[-1] = (letters[-1][0], covered)
        else:
            letters.append((start, covered))
    yield from letters


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()


def word_counts(path: Path, key: str, build: Callable[[], Counts]) -> WordCounts:
    """The counts that `build` makes, read from the file if it has the same key. A file that cannot be written is no error.

    The file has a line of JSON, then a line for each first character.
    """
    try:
        return _read_counts(path, key)
    # The file may be absent, a foreign one, or broken anywhere: JSON can be nested without end, a total can be any number.
    except (ExplorerError, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError):
        counts, total = build()
        groups = _grouped(counts)
        with contextlib.suppress(CannotWrite):
            _write_counts(path, key, groups, total)
        return WordCounts(groups, total)


def _grouped(counts: Mapping[str, int]) -> dict[str, bytes]:
    """The words and their counts by first characters, as a WordCounts has them."""
    fields: defaultdict[str, list[str]] = defaultdict(list)
    for word, count in counts.items():
        fields[word[:1]] += (word, str(count))
    return {first: "\t".join(each).encode("utf-8") for first, each in fields.items()}


def _read_counts(path: Path, key: str) -> WordCounts:
    with opened(path) as file:
        about = read_json_text(file.readline(_LONGEST_HEAD))
        if (about["form"], about["key"]) != (_FORM, key):
            raise ValueError
        rest = file.read(_MOST_BYTES)
    total = int(about["total"])
    if total <= 0 or _digest(total, rest) != about["crc32"]:  # The file was cut short or changed.
        raise ValueError
    return WordCounts({line[:4].decode("utf-8", "ignore")[:1]: line for line in rest.split(b"\n")}, total)


def _digest(total: int, rest: bytes) -> int:
    """The checksum of the words, the counts and the total."""
    return zlib.crc32(rest, zlib.crc32(str(total).encode()))


def _write_counts(path: Path, key: str, groups: Mapping[str, bytes], total: int) -> None:
    rest = b"\n".join(groups.values())
    about = {"form": _FORM, "key": key, "total": total, "crc32": _digest(total, rest)}
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        file.write(json.dumps(about).encode("utf-8") + b"\n" + rest)
