"""The tokenizer of a foreign model, as all other rooms use it: each question goes to its process behind the fence."""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import (
    BadVocabulary,
    TokenizerFailed,
    TokenizerTooLarge,
    TokenizerTooSlow,
    VocabularyTooLarge,
    VocabularyTooSlow,
)
from explorer.tokens.check import check_text
from explorer.tokens.fence import Fence, Limits, NoAnswerError, OverSizeError, OverTimeError
from explorer.tokens.token import Token

# A vocabulary of 256,000 pieces, 35 MB, is read in 3 s and 450 MB.
LIMITS = Limits(opening_s=30, seconds=3, memory_bytes=2**29)
_TIMES_FILES = 16  # so much more memory for what is in the files
_MOST_BYTES = 2**27
_FILES = (".json", ".txt", ".model", ".spm")
_ALWAYS_READ = 2**16  # characters: unknown words and white space may give few tokens for many characters
_IN_HEADER = "tokenizer."
_NOTHING: Mapping[str, Any] = {}


def open_tokenizer(folder: Path, family: str, told: Mapping[str, Any] = _NOTHING, limits: Limits = LIMITS) -> "FencedTokenizer":
    """The tokenizer of a folder with a model of `family`; `told` are the settings in its GGUF file's header.

    Raises NotInstalled, NoTokenizer, NeedsSentencepiece, BadVocabulary.
    """
    told = {key: value for key, value in told.items() if key.startswith(_IN_HEADER)}
    limits = attrs.evolve(limits, memory_bytes=limits.memory_bytes + _TIMES_FILES * _n_bytes(folder, told))
    fence = Fence("tokenizer", limits, folder=str(folder.absolute()), family=family, told=told)
    try:
        return FencedTokenizer(fence, fence.open(), str(folder))
    except OverSizeError as error:
        raise VocabularyTooLarge(path=str(folder), mb=round(error.n_bytes / 2**20)) from error
    except OverTimeError as error:
        raise VocabularyTooSlow(path=str(folder), seconds=round(error.seconds)) from error
    except NoAnswerError as error:
        raise BadVocabulary(path=str(folder), reason=error.reason) from error


def _n_bytes(folder: Path, told: Mapping[str, Any]) -> int:
    """About how many bytes there are to read."""
    found = len(json.dumps(told))
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        found += sum(entry.stat().st_size for entry in entries if entry.name.endswith(_FILES))
    return min(found, _MOST_BYTES)


class FencedTokenizer:
    """`about` holds the facts that the process reports when it opens the vocabulary, and `path` is where it came from.

    `size` is one more than the largest id. Every question may raise TokenizerTooSlow, TokenizerTooLarge, TokenizerFailed.
    """

    def __init__(self, fence: Fence, about: Mapping[str, Any], path: str) -> None:
        self._fence, self._path, self._longest = fence, path, int(about["longest"])
        self._names: dict[int, str] = dict(zip(about["ids"], about["names"], strict=True))
        self._special = frozenset(about["special"])
        self.size = 1 + max(self._names, default=-1)

    def most_letters(self, n_positions: int) -> int:
        """How many characters a text may have for a model with so many positions: more cannot become so few tokens."""
        return max(_ALWAYS_READ, n_positions * self._longest)

    def tokenize(self, text: str, *, special: bool = True) -> tuple[Token, ...]:
        """The tokens of a text, with the special ones that the model expects around it. Raises a BadText."""
        rows = self._ask(what="tokenize", text=check_text(text), special=special)
        n = len(text)
        return tuple(
            Token(name, number, min(start, n), min(end, n), known, special=of_model)
            for name, number, start, end, known, of_model in rows
        )

    def token(self, number: int) -> Token:
        """The token of an id, without a place in a typed text."""
        return Token(self._names.get(number, ""), number, 0, 0, known=True, special=number in self._special)

    def symbols(self, n_symbols: int) -> tuple[str, ...]:
        """The text of each id below `n_symbols`; "" for an id without a piece."""
        return tuple(self._names.get(number, "") for number in range(n_symbols))

    def decode(self, ids: tuple[int, ...]) -> str:
        """The text of a row of ids, without special tokens and without bytes that are no text."""
        text: str = self._ask(what="decode", ids=ids)
        return text

    def id_of(self, piece: str) -> int | None:
        """The id of a piece, None if there is no such piece."""
        found: int | None = self._ask(what="id_of", piece=piece)
        return found

    def end(self) -> None:
        """End the process; a further question starts another."""
        self._fence.end()

    def _ask(self, **question: Any) -> Any:
        try:
            return self._fence.ask(**question)
        except OverTimeError as error:
            raise TokenizerTooSlow(path=self._path, seconds=error.seconds) from error
        except OverSizeError as error:
            raise TokenizerTooLarge(path=self._path, mb=error.n_bytes // 2**20) from error
        except NoAnswerError as error:
            raise TokenizerFailed(path=self._path, reason=error.reason) from error
