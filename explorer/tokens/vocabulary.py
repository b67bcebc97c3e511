"""Vocabularies: the tokens of a model and their ids, as readable text. The token of id i is on line i + 1."""

from pathlib import Path
from typing import Self

import attrs

from explorer.files import read_whole
from explorer.tokens.pieces import MARK

_MOST_BYTES = 2**24  # The bundled files have about a hundredth of this.
SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
PAD, UNKNOWN, BEGIN, END = range(4)
MASK = "<mask>"
_MARK_IN_FILES = "＿"
"""What stands in files for MARK, the space before a word.

Decision: files keep the sign of the first versions, as weights name the vocabularies that they fit by a hash of their text.
"""
"""The mask token. Only vocabularies of masked language models have it, as their fifth entry."""


@attrs.frozen
class Vocabulary:
    """Tokens, most frequent first after the four special ones."""

    symbols: tuple[str, ...]
    _ids: dict[str, int] = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        ids = {symbol: index for index, symbol in enumerate(self.symbols)}
        if self.symbols[: len(SPECIALS)] != SPECIALS or len(ids) != len(self.symbols) or "" in ids:
            raise ValueError("a vocabulary has the special symbols first and each symbol once")
        object.__setattr__(self, "_ids", ids)  # attrs recommends this way to set a field of a frozen class.

    @classmethod
    def read(cls, path: Path) -> Self:
        """The vocabulary in a file. Raises CannotRead, NotAFile, ValueError."""
        # `splitlines` is not used, because a token may be one of the rarer line separators.
        text = read_whole(path, _MOST_BYTES).decode("utf-8").replace("\r\n", "\n")
        return cls(tuple(text.removesuffix("\n").replace(_MARK_IN_FILES, MARK).split("\n")))

    def write(self, path: Path) -> None:
        """Write the file that `read` reads."""
        path.write_text(f"{self.as_text}\n", encoding="utf-8", newline="\n")

    @property
    def as_text(self) -> str:
        """The tokens as they stand in a file, a line for each."""
        return "\n".join(self.symbols).replace(MARK, _MARK_IN_FILES)

    def capped(self, size: int) -> "Vocabulary":
        """A vocabulary of the first `size` tokens."""
        return self if size >= len(self.symbols) else Vocabulary(self.symbols[: max(size, len(SPECIALS))])

    def id_of(self, symbol: str) -> int | None:
        """The id of a token, None if it is not in the vocabulary."""
        return self._ids.get(symbol)

    def __len__(self) -> int:
        return len(self.symbols)
