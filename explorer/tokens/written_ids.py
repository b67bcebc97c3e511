"""Tokens given by their ids: a text of numbers with spaces or commas between them, each the id of a token."""

import re

import attrs

from explorer.errors import EmptyText, ExplorerError, NoSuchId, NotIds
from explorer.tokens.token import Token

_LONGEST = 8  # characters of a number with the space behind it
_NUMBER = re.compile(r"[^\s,\[\]]+")


def written_ids(text: str) -> tuple[Token, ...]:
    """The ids in a text as tokens, each with its place in the text; a token's text is the number. Raises NotIds."""
    found = tuple(_NUMBER.finditer(text))
    wrong = next((each[0] for each in found if not (each[0].isascii() and each[0].isdigit())), None)
    if wrong is not None:
        raise NotIds(got=wrong)
    return tuple(Token(each[0], int(each[0]), each.start(), each.end(), known=True) for each in found)


def tokens_of_ids(row: tuple[Token, ...], symbols: tuple[str, ...]) -> tuple[Token, ...]:
    """The tokens of a row of written ids, each with its symbol, or with the number where it has none.

    Raises EmptyText, NoSuchId.
    """
    if not row:
        raise EmptyText
    for token in row:
        if token.id >= len(symbols):
            raise NoSuchId(id=token.id, size=len(symbols))
    return tuple(attrs.evolve(token, text=symbols[token.id] or token.text) for token in row)


class IdTokenizer:
    """Stands in for the tokenizer of a model that has none: a text is a row of ids.

    `missing` is raised for any other text: it says where a tokenizer was looked for.
    """

    size = 0

    def __init__(self, missing: ExplorerError) -> None:
        self._missing = missing

    def most_letters(self, n_positions: int) -> int:
        """How many characters a text may have for a model with so many positions."""
        return n_positions * _LONGEST

    def tokenize(self, text: str, *, special: bool = True) -> tuple[Token, ...]:
        """The ids in a text as tokens. Raises what says that there is no tokenizer."""
        try:
            return written_ids(text)
        except NotIds as error:
            raise self._missing from error

    def token(self, number: int) -> Token:
        """The token of an id, without a place in a typed text."""
        return Token(str(number), number, 0, 0, known=True)

    def symbols(self, n_symbols: int) -> tuple[str, ...]:
        """The text of each id below `n_symbols`: the id itself."""
        return tuple(map(str, range(n_symbols)))

    def decode(self, ids: tuple[int, ...]) -> str:
        """The ids as a text."""
        return " ".join(map(str, ids))

    def id_of(self, piece: str) -> int | None:
        """None: no piece is known."""
        return None

    def end(self) -> None:
        """Nothing runs that could be ended."""
