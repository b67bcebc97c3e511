"""A foreign tokenizer: its pieces as legible text, with their places in the typed text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.tokens.check import check_text
from explorer.tokens.legible import alone, legible, piece_bytes, together
from explorer.tokens.token import Token

_MOST_IDS = 2**24  # Vocabularies have up to 300,000.


class ForeignTokenizer:
    """Tokenizes texts as a foreign model expects it. `inside` is a Tokenizer of the library."""

    def __init__(self, inside: Any) -> None:
        inside.no_truncation()  # Files may ask for truncation, and a part of the text would be missing.
        inside.no_padding()
        self._inside = inside
        self._pieces: Mapping[str, int] = inside.get_vocab(with_added_tokens=True)
        if self.size > _MOST_IDS:  # To write this vocabulary, the library goes through every id: 4 GB for one of 10⁹.
            raise ValueError(f"id {self.size - 1:,} > {_MOST_IDS:,}")
        told = json.loads(inside.to_str())
        ways = json.dumps([told.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")], ensure_ascii=False)
        self._by_bytes = "ByteLevel" in ways
        self._spaced = "▁" in ways or "Metaspace" in ways
        added = told.get("added_tokens") or ()
        self._special = {row["id"] for row in added if row.get("special")} | set(_around(told.get("post_processor")))
        self._plain = frozenset(row["content"] for row in added if not row.get("special"))  # They stand for their own text.
        self._unknown = _unknown(inside, told.get("model") or {})
        self._unknown_piece = None if self._unknown is None else inside.id_to_token(self._unknown)

    @property
    def size(self) -> int:
        """One more than the largest id."""
        return 1 + max(self._pieces.values(), default=-1)

    def tokenize(self, text: str, *, special: bool = True) -> tuple[Token, ...]:
        """The tokens of a text, with the special ones that the model expects around it. Raises a BadText."""
        found = self._inside.encode(check_text(text), add_special_tokens=special)
        return self._tokens(list(zip(found.ids, found.tokens, found.offsets, strict=True)), text)

    def _tokens(self, rows: list[tuple[int, str, tuple[int, int]]], text: str = "") -> tuple[Token, ...]:
        """The tokens of ids, pieces and spans in a text."""
        shown = self._shown([piece for _id, piece, _span in rows], [self._is_special(number) for number, _p, _s in rows])
        tokens = []
        for name, (number, _piece, (start, end)) in zip(shown, rows, strict=True):
            # Who types "[UNK]" means that symbol.
            known = number != self._unknown or (start < end and text[start:end] == self._unknown_piece)
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
        """The text of a row of ids, without special tokens and without bytes that are no text."""
        text: str = self._inside.decode(list(ids), skip_special_tokens=True)
        return text.replace("\ufffd", "").strip()

    def id_of(self, piece: str) -> int | None:
        """The id of a piece, None if there is no such piece."""
        found: int | None = self._inside.token_to_id(piece)
        return found

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
        if piece in self._plain or not (self._by_bytes or self._spaced):
            return piece.encode("utf-8", "replace")
        return piece_bytes(piece, by_bytes=self._by_bytes)

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


def _unknown(inside: Any, model: Mapping[str, Any]) -> int | None:
    """The id of the unknown token: byte pairs and WordPiece name its piece, Unigram its place."""
    piece, place = model.get("unk_token"), model.get("unk_id")
    if isinstance(piece, str):
        found: int | None = inside.token_to_id(piece)
        return found
    return place if isinstance(place, int) else None


def _around(processor: Any) -> Iterator[int]:
    """The ids that a post-processor puts around a text, which not every file lists as special."""
    if not isinstance(processor, dict):
        return
    for part in processor.get("processors") or ():
        yield from _around(part)
    for row in (processor.get("special_tokens") or {}).values():
        yield from row["ids"]
    for name in ("sep", "cls"):  # BERT's and RoBERTa's own kinds have pairs of a piece and its id.
        if name in processor:
            yield processor[name][1]
