"""The two vocabularies of a translator: words and characters of the Chinese side, byte pairs of the English one.

A word that its vocabulary lacks is split into its characters, so that nearly nothing is unknown. English that is read has small
letters only; what was typed in capitals is looked up in them. Both vocabularies are stored as readable text, one token on each
line. A vocabulary of byte pairs has all bytes, so it tells itself which of the two it is.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

import attrs

from explorer.errors import BadVocabulary, CannotRead
from explorer.files import replacing
from explorer.tokens.bpe import BYTES, Encoder
from explorer.tokens.graphemes import Span, Spans, characters
from explorer.tokens.learn_bpe import learn
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import BEGIN, MASK, SPECIALS, UNKNOWN, Vocabulary

SOURCE_FILE, TARGET_FILE = "source.txt", "target.txt"

_FEWEST_WORDS = 5
_FEWEST_CHARACTERS = 2

Pair = tuple[str, str]
"""A source sentence and its target sentence."""


@attrs.frozen
class Bilingual:
    """The vocabularies of the source and of the target."""

    source: Vocabulary
    target: Vocabulary

    @classmethod
    def learn(cls, pairs: Sequence[Pair], segmenter: Segmenter, n_target_symbols: int) -> Self:
        """Vocabularies learned from pairs of sentences.

        The source has words that were seen at least five times and characters that were seen at least twice. The target has
        `n_target_symbols` tokens of byte-pair encoding.
        """
        words, single = _counted((source for source, _target in pairs), segmenter)
        symbols = _most_frequent_first(words | single)
        return cls(Vocabulary((*SPECIALS, *symbols)), _byte_pairs((target for _source, target in pairs), n_target_symbols))

    @classmethod
    def learn_shared(cls, texts: Iterable[str], segmenter: Segmenter, n_symbols: int, *, with_mask: bool = False) -> Self:
        """One vocabulary for both sides, as a language model has it, of at most `n_symbols` symbols.

        It has words and characters as the source of a translator does. Characters come before words where there is no room
        for all, because a word can be spelled in characters, and a character cannot be split.
        `with_mask` adds the mask token.
        """
        first = (*SPECIALS, MASK) if with_mask else SPECIALS
        return cls.shared(_words_and_characters(texts, segmenter, n_symbols, first))

    @classmethod
    def learn_from_english(cls, pairs: Sequence[Pair], segmenter: Segmenter, n_source: int, n_target: int) -> Self:
        """Vocabularies of pairs of an English and a Chinese sentence: byte pairs, and words and characters, at most so many.

        Every character that was seen is a symbol, so that a model never learns to write the unknown token.
        """
        source = _byte_pairs((source.lower() for source, _target in pairs), n_source)
        return cls(source, _words_and_characters((target for _source, target in pairs), segmenter, n_target, SPECIALS, 1))

    @classmethod
    def learn_shared_english(cls, texts: Iterable[str], n_symbols: int) -> Self:
        """One vocabulary of at most `n_symbols` byte pairs for both sides, as a language model of English has it."""
        return cls.shared(_byte_pairs(texts, n_symbols))

    @classmethod
    def shared(cls, vocabulary: Vocabulary) -> Self:
        """The same symbols on both sides."""
        return cls(vocabulary, vocabulary)

    @classmethod
    def read_shared(cls, folder: Path) -> Self:
        """The one vocabulary in a folder, for both sides. Raises BadVocabulary."""
        return cls.shared(_read(folder / SOURCE_FILE))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The vocabularies in a folder. Raises BadVocabulary."""
        return cls(_read(folder / SOURCE_FILE), _read(folder / TARGET_FILE))

    @property
    def reads_english(self) -> bool:
        """Whether the source is cut into byte pairs."""
        return _is_of_byte_pairs(self.source)

    @property
    def writes_english(self) -> bool:
        """Whether the target is cut into byte pairs."""
        return _is_of_byte_pairs(self.target)

    @property
    def sha256(self) -> str:
        """A hash of these tokens in this order. Weights fit only the vocabularies that they were trained with."""
        sides = self.source.as_text, self.target.as_text
        return hashlib.sha256("\n\n".join(sides).encode()).hexdigest()

    def capped(self, n_source: int, n_target: int) -> "Bilingual":
        """The first `n_source` and `n_target` symbols."""
        if n_source >= len(self.source) and n_target >= len(self.target):
            return self
        return Bilingual(self.source.capped(n_source), self.target.capped(n_target))

    def write(self, folder: Path) -> None:
        """Write the files that `read` reads, or the one of `read_shared`. Raises CannotWrite.

        The source's file is the last, so if it is there, all are.
        """
        target = () if self.target is self.source else ((self.target, TARGET_FILE),)
        for vocabulary, name in (*target, (self.source, SOURCE_FILE)):
            with replacing(folder / name) as unfinished:
                vocabulary.write(unfinished)

    def turned(self) -> "Bilingual":
        """The vocabularies of the other direction, with which a target is tokenized as a source is."""
        return Bilingual(self.target, self.source)

    def source_spans(self, text: str, spans: Iterable[Span], simplifier: Simplifier) -> Spans:
        """The spans of words; an unknown word becomes the spans of its characters, and a mask token is one span."""
        return tuple(span for span, _word in self.source_pieces(text, spans, simplifier))

    def source_pieces(self, text: str, spans: Iterable[Span], simplifier: Simplifier) -> Iterator[tuple[Span, Span | None]]:
        """The spans of `source_spans`, each with the span of the unknown word that it is a part of; None for a whole word."""
        if self.source.id_of(MASK) is not None:
            spans = _with_masks(text, spans)
        for start, end in spans:
            # The word is simplified by itself, as when it is looked up. In its sentence a character may get another form.
            forms = text[start:end], simplifier.simplified(text[start:end])
            parts = characters(text[start:end]) if all(self.source.id_of(form) is None for form in forms) else ()
            if len(parts) > 1:
                yield from (((start + a, start + b), (start, end)) for a, b in parts)
            else:
                yield from (((start + a, start + b), None) for a, b in parts or ((0, end - start),))

    def target_ids(self, text: str) -> tuple[int, ...]:
        """The ids of a target sentence in byte pairs, without begin and end symbols."""
        return tuple(token.id for token in Encoder(self.target).encode(text))

    def target_text(self, ids: Iterable[int]) -> str:
        """The sentence of a row of ids."""
        return Encoder(self.target).decode(ids)

    def target_tokens(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """The begin symbol, then one token for each id, with its place in `target_text(ids)`.

        This is not the same as encoding that text, because a model may generate other pieces of a word than the encoder makes.
        """
        spans = Encoder(self.target).spans(ids)
        return (
            begin_token(),
            *(
                Token(self.target.symbols[each], each, start, end, known=each != UNKNOWN)
                for each, (start, end) in zip(ids, spans, strict=True)
            ),
        )


def _with_masks(text: str, spans: Iterable[Span]) -> Spans:
    """The spans, in which each mask token that the text spells out is one span."""
    masks = [found.span() for found in re.finditer(re.escape(MASK), text)]
    others = (each for each in spans if not any(start < each[1] and each[0] < end for start, end in masks))
    return tuple(sorted((*others, *masks))) if masks else tuple(others)


def begin_token() -> Token:
    """The begin token, which is a decoder's first input."""
    return Token(SPECIALS[BEGIN], BEGIN, 0, 0, known=True)


def _is_of_byte_pairs(vocabulary: Vocabulary) -> bool:
    return vocabulary.id_of(BYTES[0]) is not None


def _byte_pairs(texts: Iterable[str], n_symbols: int) -> Vocabulary:
    return Vocabulary((*SPECIALS, *BYTES, *learn(texts, n_symbols - len(SPECIALS) - len(BYTES))))


def _words_and_characters(
    texts: Iterable[str],
    segmenter: Segmenter,
    n_symbols: int,
    first: tuple[str, ...],
    fewest_characters: int = _FEWEST_CHARACTERS,
) -> Vocabulary:
    """At most `n_symbols` symbols: `first`, then characters and words; words only where there is room for all characters."""
    words, single = _counted(texts, segmenter, fewest_characters)
    kept = _most_frequent_first(single)[: n_symbols - len(first)]
    kept += [word for word in _most_frequent_first(words) if word not in single][: n_symbols - len(first) - len(kept)]
    counts = words | single
    return Vocabulary((*first, *_most_frequent_first(Counter({each: counts[each] for each in kept}))))


def _counted(
    texts: Iterable[str], segmenter: Segmenter, fewest_characters: int = _FEWEST_CHARACTERS
) -> tuple[Counter[str], Counter[str]]:
    """The counts of the words and the characters of these texts, without rare ones."""
    words: Counter[str] = Counter()
    single: Counter[str] = Counter()
    for text in texts:
        words.update(text[start:end] for start, end in segmenter.spans(text, "accurate", hmm=True))
        single.update(text[start:end] for start, end in characters(text))
    often = Counter({word: count for word, count in words.items() if count >= _FEWEST_WORDS})
    return often, Counter({each: count for each, count in single.items() if count >= fewest_characters})


def _most_frequent_first(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda symbol: (-counts[symbol], symbol))


def _read(path: Path) -> Vocabulary:
    try:
        return Vocabulary.read(path)
    except CannotRead as error:
        raise BadVocabulary(path=str(path), reason=error.values.get("reason", error)) from error
    except ValueError as error:  # The file is no UTF-8 or no vocabulary.
        raise BadVocabulary(path=str(path), reason=str(error)) from error
