"""Tokenizers: from a typed text to tokens with ids, as the Config says. The dictionary and the vocabularies stay loaded."""

from functools import lru_cache
from pathlib import Path

from explorer import resources
from explorer.config import Config
from explorer.tokens import spaces
from explorer.tokens.bilingual import Bilingual, begin_token
from explorer.tokens.bpe import Encoder
from explorer.tokens.check import check_text
from explorer.tokens.cuts import check_cuts, trimmed
from explorer.tokens.graphemes import Span, Spans, characters
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import UNKNOWN, Vocabulary

# A user who types Chinese with the half-width punctuation of another keyboard means the full-width marks.
_FULL_WIDTH = {ord(mark): chr(ord(mark) + 0xFEE0) for mark in "!(),:;?"}
_BY_JIEBA = Config()
_JIEBA_MODES = {"jieba": "accurate", "jieba-full": "full", "jieba-search": "search"}


class Tokenizers:
    """All ways of tokenizing a text, with their vocabularies. `cache_folder` stores jieba's dictionary for the next start."""

    def __init__(self, cache_folder: Path | None = None) -> None:
        self._segmenter = Segmenter(cache_folder or resources.cache_folder())
        self._simplifier = Simplifier()
        # Without it, reading vocabularies takes 24 of the 36 ms of a request of "tiny". A slider alternates between sizes.
        self._vocabulary = lru_cache(maxsize=4)(_bundled)

    def source(
        self, text: str, config: Config, bilingual: Bilingual, *, cuts: Spans | None = None, words: tuple[str, ...] = ()
    ) -> tuple[Token, ...]:
        """The tokens of a translator's source; words that the vocabulary lacks are split into characters. Raises a BadText.

        Under byte-pair encoding such words are split into byte pairs.
        """
        check_text(text)
        if bilingual.reads_english:
            return self._in_byte_pairs(text, config, bilingual.source, cuts, words)
        if cuts is not None:
            pieces: list[tuple[Span, Span | None]] = [(span, None) for span in trimmed(check_cuts(cuts, text), text)]
        else:
            pieces = list(bilingual.source_pieces(text, self._spans(text, config, words), self._simplifier))
        return tuple(self._looked_up(text[start:end], start, end, bilingual.source, word) for (start, end), word in pieces)

    def target(self, text: str, bilingual: Bilingual, *, cuts: Spans | None = None) -> tuple[Token, ...]:
        """The begin symbol and the tokens of a translator's target. Raises a BadText."""
        check_text(text)
        if not bilingual.writes_english:
            return begin_token(), *self.source(text, _BY_JIEBA, bilingual.turned(), cuts=cuts)
        encoder = Encoder(bilingual.target)
        if cuts is None:
            return begin_token(), *encoder.encode(text)
        spans = trimmed(check_cuts(cuts, text), text)
        return begin_token(), *(token for start, end in spans for token in encoder.whole(text, start, end))

    def _in_byte_pairs(
        self, text: str, config: Config, vocabulary: Vocabulary, cuts: Spans | None, words: tuple[str, ...]
    ) -> tuple[Token, ...]:
        """The tokens of a text whose vocabulary is of byte pairs: those, or what another tokenizer cuts, looked up in them."""
        encoder = Encoder(vocabulary, plain=True)
        if cuts is not None:
            return tuple(token for span in trimmed(check_cuts(cuts, text), text) for token in encoder.whole(text, *span))
        if config.tokenizer == "bpe":
            return encoder.encode(text)
        return tuple(encoder.within(text, self._spans(text, config, words)))

    def tokenize(
        self, text: str, config: Config, *, cuts: Spans | None = None, words: tuple[str, ...] = ()
    ) -> tuple[Token, ...]:
        """The tokens of `text`, with `words` added to jieba's dictionary, or by the user-defined spans `cuts` if they are
        given. White space around such a span is dropped. Under byte-pair encoding each of them is looked up as a whole: if the
        vocabulary lacks it, the token is shown as unknown and is not split further. Raises a BadText.
        """
        check_text(text)
        vocabulary = self._of(config)
        if cuts is not None:
            cuts = trimmed(check_cuts(cuts, text), text)
        if config.tokenizer == "bpe":
            encoder = Encoder(vocabulary)
            if cuts is None:
                return encoder.encode(text)
            return tuple(token for start, end in cuts for token in encoder.whole(text, start, end))
        spans = cuts if cuts is not None else self._spans(text, config, words)
        return tuple(self._looked_up(text[start:end], start, end, vocabulary) for start, end in spans)

    def symbols(self, config: Config) -> tuple[str, ...]:
        """The token of each id; there are `vocab_size` or fewer."""
        return self._of(config).symbols

    def decode(self, ids: tuple[int, ...], config: Config) -> str:
        """The text of a row of ids that byte-pair encoding made."""
        return Encoder(self._of(config)).decode(ids)

    def _of(self, config: Config) -> Vocabulary:
        return self._vocabulary("bpe" if config.tokenizer == "bpe" else "words", config.vocab_size)

    def _spans(self, text: str, config: Config, words: tuple[str, ...]) -> Spans:
        if config.tokenizer == "characters":
            return characters(text)
        if config.tokenizer == "spaces":
            return spaces.words(text)
        if config.tokenizer == "bpe":
            found = Encoder(self._of(config)).encode(text)
            return tuple(dict.fromkeys((token.start, token.end) for token in found if text[token.start : token.end].strip()))
        return self._segmenter.spans(text, _JIEBA_MODES[config.tokenizer], hmm=config.jieba_hmm, words=words)

    def _looked_up(self, piece: str, start: int, end: int, vocabulary: Vocabulary, word: Span | None = None) -> Token:
        identity = vocabulary.id_of(piece)
        if identity is None:
            identity = vocabulary.id_of(self._simplifier.simplified(piece))
        if identity is None:
            identity = vocabulary.id_of(full_width(piece))
        known = identity is not None
        return Token(piece, UNKNOWN if identity is None else identity, start, end, known, word=word)


def full_width(text: str) -> str:
    """The text with full-width punctuation, which Chinese uses; its length stays the same."""
    return text.translate(_FULL_WIDTH)


def _bundled(name: str, size: int) -> Vocabulary:
    return Vocabulary.read(resources.asset(f"vocabulary/{name}.txt")).capped(size)
