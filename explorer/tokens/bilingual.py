"""The two vocabularies of a translator: words and characters of the source, byte pairs of the target.

A source word that is no symbol falls apart into its characters, so that nearly nothing is unknown. Both are kept as
readable text, one symbol a line.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import attrs

from explorer.errors import BadVocabulary, CannotRead
from explorer.files import replacing
from explorer.tokens.bpe import BYTES, Encoder, learn
from explorer.tokens.graphemes import Span, Spans, characters
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import BEGIN, SPECIALS, UNKNOWN, Vocabulary

SOURCE_FILE, TARGET_FILE = "source.txt", "target.txt"

_FEWEST_WORDS = 5
_FEWEST_CHARACTERS = 2

Pair = tuple[str, str]
"""A source sentence and its target sentence."""


@attrs.frozen
class Bilingual:
    """What source and target symbols there are."""

    source: Vocabulary
    target: Vocabulary

    @classmethod
    def learn(cls, pairs: Sequence[Pair], segmenter: Segmenter, n_target_symbols: int) -> Self:
        """Words seen five times and characters seen twice; byte-pair encoding of `n_target_symbols` symbols."""
        words: Counter[str] = Counter()
        single: Counter[str] = Counter()
        for source, _target in pairs:
            words.update(source[start:end] for start, end in segmenter.spans(source, "accurate", hmm=True))
            single.update(source[start:end] for start, end in characters(source))
        counts = Counter({word: count for word, count in words.items() if count >= _FEWEST_WORDS})
        counts |= Counter({each: count for each, count in single.items() if count >= _FEWEST_CHARACTERS})
        symbols = sorted(counts, key=lambda symbol: (-counts[symbol], symbol))
        merges = learn((target for _source, target in pairs), n_target_symbols - len(SPECIALS) - len(BYTES))
        return cls(Vocabulary((*SPECIALS, *symbols)), Vocabulary((*SPECIALS, *BYTES, *merges)))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The vocabularies in a folder. Raises BadVocabulary."""
        return cls(_read(folder / SOURCE_FILE), _read(folder / TARGET_FILE))

    @property
    def sha256(self) -> str:
        """Names exactly these symbols in this order: weights trained with others would say something else."""
        sides = ("\n".join(side.symbols) for side in (self.source, self.target))
        return hashlib.sha256("\n\n".join(sides).encode()).hexdigest()

    def capped(self, n_source: int, n_target: int) -> "Bilingual":
        """The first symbols of each."""
        if n_source >= len(self.source) and n_target >= len(self.target):
            return self
        return Bilingual(self.source.capped(n_source), self.target.capped(n_target))

    def write(self, folder: Path) -> None:
        """Make the files that `read` reads, the source's last: it tells that both are there. Raises CannotWrite."""
        for vocabulary, name in ((self.target, TARGET_FILE), (self.source, SOURCE_FILE)):
            with replacing(folder / name) as unfinished:
                vocabulary.write(unfinished)

    def source_spans(self, text: str, spans: Iterable[Span], simplifier: Simplifier) -> Spans:
        """The spans of words, an unknown one as those of its characters."""
        found: list[Span] = []
        for start, end in spans:
            # A word by itself, as it will be looked up: in its sentence a character may have another simplified form.
            forms = text[start:end], simplifier.simplified(text[start:end])
            if all(self.source.id_of(form) is None for form in forms):
                found += ((start + a, start + b) for a, b in characters(text[start:end]))
            else:
                found.append((start, end))
        return tuple(found)

    def target_ids(self, text: str) -> tuple[int, ...]:
        """The ids of a target sentence, without begin and end."""
        return tuple(token.id for token in Encoder(self.target).encode(text))

    def target_text(self, ids: Iterable[int]) -> str:
        """The sentence of a row of ids."""
        return Encoder(self.target).decode(ids)

    def target_tokens(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """The begin symbol, then one token for each id, with its place in `target_text(ids)`.

        A model need not cut words as the encoder does, so this is not the same as encoding the text.
        """
        spans = Encoder(self.target).spans(ids)
        return (
            begin_token(),
            *(
                Token(self.target.symbols[each], each, start, end, known=each != UNKNOWN)
                for each, (start, end) in zip(ids, spans, strict=True)
            ),
        )


def begin_token() -> Token:
    """What a decoder is given before there is a first token."""
    return Token(SPECIALS[BEGIN], BEGIN, 0, 0, known=True)


def _read(path: Path) -> Vocabulary:
    try:
        return Vocabulary.read(path)
    except CannotRead as error:
        raise BadVocabulary(path=str(path), reason=error.values.get("reason", error)) from error
    except ValueError as error:  # no UTF-8, or no vocabulary
        raise BadVocabulary(path=str(path), reason=str(error)) from error
