"""Errors of texts and their tokens.

ExplorerError
└── BadText  NotText, EmptyText, ControlCharacter, LoneSurrogate, TooLong, BeyondPositions, TooManyCharacters,
    │        TooManySymbols, BadWord, WordOfBytePairs, BadCut, NoTokens, IdOutsideModel (NoTokenFor),
    │        NotIds, NeedsIds, NoSuchId, SeveralRows, TextAndIds
    └── TokenizerFailed  TokenizerTooSlow, TokenizerTooLarge
"""

from explorer.errors.base import ExplorerError


class BadText(ExplorerError):
    """A text that cannot be used."""


class NotText(BadText):
    """A value that is no str where a text is wanted. Values: got."""

    key = "error.not_text"


class EmptyText(BadText):
    """A text of nothing but white space."""

    key = "error.empty_text"


class ControlCharacter(BadText):
    """A control character, which is invisible. Values: place (from 1), code."""

    key = "error.control_character"


class LoneSurrogate(BadText):
    """Half of a UTF-16 pair, which is no character. Values: place (from 1), code."""

    key = "error.lone_surrogate"


class TooLong(BadText):
    """More tokens than the model has positions. Values: limit, got."""

    key = "error.too_long"


class TooManyCharacters(BadText):
    """A text that is too long to be tokenized at all. Values: limit, got."""

    key = "error.too_many_characters"


class BeyondPositions(BadText):
    """More tokens than a foreign model has position vectors, although its settings allow them. Values: got."""

    key = "error.beyond_positions"


class TooManySymbols(BadText):
    """More different tokens than the vocabulary has room for. Values: limit, got."""

    key = "error.too_many_symbols"


class BadWord(BadText):
    """A word that cannot become a token: empty, or with white space or invisible characters. Values: word."""

    key = "error.bad_word"


class WordOfBytePairs(BadText):
    """A word for a vocabulary of byte pairs, of which every word is made already. Values: word."""

    key = "error.word_of_byte_pairs"


class BadCut(BadText):
    """User-defined token boundaries that do not fit the text. Values: start, end, length."""

    key = "error.bad_cut"


class NoTokens(BadText):
    """A text that a model's own tokenizer turns into no tokens. Values: path."""

    key = "error.no_tokens"


class IdOutsideModel(BadText):
    """A token with an id that the model has no vector for. Values: path, token, id, size."""

    key = "error.id_outside_model"


class NotIds(BadText):
    """A piece that is no number in a text that is read as ids. Values: got."""

    key = "error.not_ids"


class NeedsIds(BadText):
    """A text that is no row of ids, for a foreign model without a tokenizer."""

    key = "error.needs_ids"


class NoSuchId(BadText):
    """An id that a model has no token for, given as such. Values: id, size."""

    key = "error.no_such_id"


class SeveralRows(BadText):
    """More than one row of ids for one pass. Values: got."""

    key = "error.several_rows"


class TextAndIds(BadText):
    """A text and ids, of which a pass takes one."""

    key = "error.text_and_ids"


class NoTokenFor(IdOutsideModel):
    """A piece of text that no token of the model stands for. Values: path, piece, example."""

    key = "error.no_token_for"


class TokenizerFailed(BadText):
    """A text on which a model's own tokenizer fails. Values: path, reason."""

    key = "error.tokenizer_failed"


class TokenizerTooSlow(TokenizerFailed):
    """A text that a model's own tokenizer does not finish in time. Values: path, seconds."""

    key = "error.tokenizer_too_slow"


class TokenizerTooLarge(TokenizerFailed):
    """A text for which a model's own tokenizer needs too much memory. Values: path, mb."""

    key = "error.tokenizer_too_large"
