"""A tokenizer of others: what it cuts is shown as text that one can read, with the places where it stands."""

import json
from functools import cached_property
from typing import Any

from explorer.tokens.check import check_text
from explorer.tokens.legible import alone, legible, piece_bytes, together
from explorer.tokens.token import Token

_MOST_IDS = 2**24  # Vocabularies have up to 300,000.


class ForeignTokenizer:
    """Cuts texts as somebody's model wants it. `inside` is a Tokenizer of the library."""

    def __init__(self, inside: Any) -> None:
        inside.no_truncation()  # Files may ask for it, and a part of the text would be missing.
        inside.no_padding()
        self._inside = inside
        if self.size > _MOST_IDS:  # To write this vocabulary, the library goes through every id: 4 GB for one of 10⁹.
            raise ValueError(f"id {self.size - 1:,} > {_MOST_IDS:,}")
        told = json.loads(inside.to_str())
        ways = json.dumps([told.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")], ensure_ascii=False)
        self._by_bytes = "ByteLevel" in ways
        self._spaced = "▁" in ways or "Metaspace" in ways
        self._special = {row["id"] for row in told.get("added_tokens") or () if row.get("special")}
        unknown = (told.get("model") or {}).get("unk_token")
        self._unknown = inside.token_to_id(unknown) if isinstance(unknown, str) else None

    @property
    def size(self) -> int:
        """One more than the largest id."""
        return 1 + max(self._pieces.values(), default=-1)

    def tokenize(self, text: str, *, special: bool = True) -> tuple[Token, ...]:
        """The tokens of a text, with the special ones that the model expects around it. Raises a BadText."""
        found = self._inside.encode(check_text(text), add_special_tokens=special)
        return self._tokens(list(zip(found.ids, found.tokens, found.offsets, strict=True)))

    def _tokens(self, rows: list[tuple[int, str, tuple[int, int]]]) -> tuple[Token, ...]:
        """The tokens of ids, pieces and spans."""
        shown = self._shown([piece for _id, piece, _span in rows], [self._is_special(number) for number, _p, _s in rows])
        tokens = []
        for name, (number, _piece, (start, end)) in zip(shown, rows, strict=True):
            known = number != self._unknown
            tokens.append(Token(name, number, start, end, known, special=known and self._is_special(number)))
        return tuple(tokens)

    @property
    def special_ids(self) -> frozenset[int]:
        """The ids of the pieces that a model expects around a text."""
        return frozenset(self._special)

    @property
    def longest(self) -> int:
        """How many characters of a text one piece can stand for."""
        return max(map(len, self._pieces), default=0)

    def decode(self, ids: tuple[int, ...]) -> str:
        """The text of a row of ids, without special ones and without what is no text."""
        text: str = self._inside.decode(list(ids), skip_special_tokens=True)
        return text.replace("\ufffd", "").strip()

    def id_of(self, piece: str) -> int | None:
        """The id of a piece, None if there is no such piece."""
        found: int | None = self._inside.token_to_id(piece)
        return found

    @cached_property
    def _pieces(self) -> dict[str, int]:
        pieces: dict[str, int] = self._inside.get_vocab(with_added_tokens=True)
        return pieces

    @property
    def names(self) -> dict[int, str]:
        """The text of each id that has a piece; ids may lie far apart."""
        return {
            number: legible(piece) if self._is_special(number) else alone(self._raw(piece))
            for piece, number in sorted(self._pieces.items())
        }

    def _is_special(self, number: int) -> bool:
        return number in self._special

    def _raw(self, piece: str) -> bytes:
        return (
            piece_bytes(piece, by_bytes=self._by_bytes) if self._by_bytes or self._spaced else piece.encode("utf-8", "replace")
        )

    def _shown(self, pieces: list[str], special: list[bool]) -> list[str]:
        """The pieces as texts; special ones are shown as they are, and belong to no group."""
        shown: list[str] = []
        row: list[bytes] = []
        for piece, apart in zip(pieces, special, strict=True):
            if not apart:
                row.append(self._raw(piece))
                continue
            shown += [*together(row), legible(piece)]
            row = []
        return [*shown, *together(row)]
