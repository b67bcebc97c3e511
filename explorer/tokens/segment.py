"""Chinese words by jieba, with their places in the text. The only file that knows jieba.

jieba keeps a marshal cache in the shared temp folder, where anyone may leave a file; here its words are kept in a folder
of the user's own, in a form that is read faster (`tokens.word_counts`). One thread at a time: words added for a call
change the dictionary until it ends.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

with warnings.catch_warnings():  # its last release has invalid escapes and asks for pkg_resources
    warnings.simplefilter("ignore")
    import jieba

from explorer.tokens.graphemes import Span, Spans, borders, joined, visible, widened
from explorer.tokens.jieba_full_mode import full_spans
from explorer.tokens.simplify import Simplifier
from explorer.tokens.word_counts import Counts, word_counts

_STRETCH = 1000  # characters; the time jieba takes for new words grows with the square of a run's length
_LONGEST_ADDED = 100  # characters; jieba enters every beginning of a word, so a long one fills the memory
_UNSETTLED = 8  # words at the end of a stretch that what follows may still change


class Segmenter:
    """jieba in its three modes. The dictionary is loaded on first use."""

    def __init__(self, cache_folder: Path) -> None:
        self._simplifier = Simplifier()
        jieba.setLogLevel(logging.CRITICAL + 1)
        self._jieba = jieba.Tokenizer()
        self._cache_folder = cache_folder

    def spans(self, text: str, mode: str, *, hmm: bool, words: tuple[str, ...] = ()) -> Spans:
        """The words of `text` in `mode` "accurate", "full" or "search", in jieba's order; white space is no word.

        `hmm` lets jieba guess words that are not in its dictionary (full mode never does). `words` are added to the
        dictionary for this call only, if they have at most 100 characters; as in jieba, white space and most
        punctuation cannot be part of one.
        """
        cut = {"accurate": self._accurate, "full": self._full, "search": self._search}[mode]
        simplified = self._simplifier.simplified(text)
        self._load()
        with self._added(words):
            return visible(cut(simplified, hmm), text)

    def _load(self) -> None:
        """jieba's dictionary, once."""
        if not self._jieba.initialized:
            with self._jieba.get_dict_file() as file:
                key = f"jieba {jieba.__version__} {Path(file.name).stat().st_size}"
            counts = word_counts(self._cache_folder / "jieba.words", key, self._counted)
            self._jieba.FREQ, self._jieba.total = counts
            self._jieba.initialized = True

    def _counted(self) -> Counts:
        counts: Counts = self._jieba.gen_pfdict(self._jieba.get_dict_file())
        return counts

    def _accurate(self, text: str, hmm: bool) -> Spans:
        found: list[Span] = []
        start = 0
        for run in jieba.re_han_default.split(text):  # jieba cuts each run by itself too
            for word in self._words(run, hmm):
                found.append((start, start + len(word)))
                start += len(word)
        return joined(found, borders(text))

    def _words(self, run: str, hmm: bool) -> Iterator[str]:
        """The words of one run; a very long one is cut a stretch at a time, each beginning where a word began."""
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
        """Each word after the dictionary words of two, then of three characters inside it."""
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

    @contextmanager
    def _added(self, words: tuple[str, ...]) -> Iterator[None]:
        """jieba's dictionary with `words`, and exactly as it was afterwards."""
        added = [self._simplifier.simplified(word) for word in words if 0 < len(word) <= _LONGEST_ADDED]
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
