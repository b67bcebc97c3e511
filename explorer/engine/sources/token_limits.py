"""The tokens of both sides within the limits of a model: its greatest length and its vocabularies."""

import attrs

from explorer.config import Config
from explorer.engine.sources.translator import Translator
from explorer.errors import TooLong, TooManySymbols
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import UNKNOWN
from explorer.trace.recorded_pass import Tokens


def room(translator: Translator, config: Config) -> Bilingual:
    """The vocabularies of a translator, cut to the sizes that the Config has."""
    return translator.bilingual.capped(config.vocab_size, config.n_target_symbols)


def numbered(tokens: Tokens, config: Config) -> Tokens:
    """Both sides with ids in order of first appearance: the text itself is the vocabulary. Raises TooManySymbols."""
    ids = {text: place for place, text in enumerate(dict.fromkeys(t.text for t in (*tokens.source, *tokens.target)))}
    limit = min(config.vocab_size, config.n_target_symbols)
    if len(ids) > limit:
        raise TooManySymbols(limit=limit, got=len(ids))

    def side(row: tuple[Token, ...]) -> tuple[Token, ...]:
        return tuple(attrs.evolve(token, id=ids[token.text], known=True) for token in row)

    return Tokens(side(tokens.source), side(tokens.target))


def of_target(config: Config) -> Config:
    """The Config with which the target is looked up: with the vocabulary of the target, if it has its own."""
    return attrs.evolve(config, vocab_size=config.n_target_symbols) if config.has_two_vocabularies else config


def short_enough(tokens: tuple[Token, ...], config: Config) -> tuple[Token, ...]:
    """The tokens themselves. Raises TooLong if there are more than the model has positions."""
    if len(tokens) > config.max_len:
        raise TooLong(limit=config.max_len, got=len(tokens))
    return tokens


def within(tokens: tuple[Token, ...], n_symbols: int) -> tuple[Token, ...]:
    """The tokens; those whose ids are not below `n_symbols` become unknown tokens."""
    return tuple(token if token.id < n_symbols else attrs.evolve(token, id=UNKNOWN, known=False) for token in tokens)
