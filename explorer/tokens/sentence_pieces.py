"""Vocabularies in sentencepiece's own files (spiece.model, tokenizer.model, source.spm), read with its library if it is there.

A file holds the pieces and how a text is split into them. Their ids in the model and the special tokens around a text depend on
the family: `RULES` has a row for each.
"""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.files import read_whole
from explorer.json_text import read_json_text
from explorer.tokens.check import check_text
from explorer.tokens.foreign_tokenizer import ForeignTokenizer
from explorer.tokens.token import Token

_MOST_BYTES = 2**25  # bytes; a vocabulary of 256,000 pieces has five million.
_LIBRARY = "sentencepiece"


@attrs.frozen(kw_only=True)
class Rules:
    """The files of a family, tried in this order; `target` tokenizes the target side, and `ids` has the ids of all pieces.

    Without `ids` the id of a piece is its place in the file plus `after`, except for the special ones in `first`. `before` and
    `behind` are the pieces around a text.
    """

    files: tuple[str, ...]
    target: str = ""
    ids: str = ""
    first: tuple[str, ...] = ()
    after: int = 0
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


_T5 = Rules(files=("spiece.model",), behind=("</s>",))
_LLAMA = Rules(files=("tokenizer.model",), before=("<s>",))
_ROBERTA = Rules(
    files=("sentencepiece.bpe.model",), first=("<s>", "<pad>", "</s>", "<unk>"), after=1, before=("<s>",), behind=("</s>",)
)
RULES: Mapping[str, Rules] = {
    "t5": _T5,
    "mt5": _T5,
    "llama": _LLAMA,
    "mistral": _LLAMA,
    "gemma": attrs.evolve(_LLAMA, before=("<bos>",)),
    "gemma2": attrs.evolve(_LLAMA, before=("<bos>",)),
    "xlm-roberta": _ROBERTA,
    "marian": Rules(files=("source.spm",), target="target.spm", ids="vocab.json", behind=("</s>",)),
}
"""The families whose files of sentencepiece are known, by the `model_type` of their settings."""


def has_pieces(folder: Path, family: str) -> bool:
    """Whether a folder has files of sentencepiece that its family is known to use."""
    rules = RULES.get(family)
    return rules is not None and any((folder / name).is_file() for name in rules.files)


def pieces_file(folder: Path, family: str) -> Path:
    """The file with the pieces of a folder's source texts."""
    return next(folder / each for each in RULES[family].files if (folder / each).is_file())


def read_pieces(folder: Path, family: str) -> "SentencePieces":
    """The tokenizer in a folder's files. Raises ImportError, CannotRead, ValueError, RuntimeError for files that are none."""
    library, rules = importlib.import_module(_LIBRARY), RULES[family]
    source = _cutter(library, pieces_file(folder, family))
    target = _cutter(library, folder / rules.target) if rules.target else source
    ids: Any = read_json_text(read_whole(folder / rules.ids, _MOST_BYTES)) if rules.ids else None
    if ids is not None and not (
        isinstance(ids, dict) and all(type(each) is int and 0 <= each < 2**24 for each in ids.values())
    ):
        raise ValueError(rules.ids)
    return SentencePieces(source, target, rules, ids)


def _cutter(library: Any, path: Path) -> Any:
    made = library.SentencePieceProcessor(model_proto=read_whole(path, _MOST_BYTES))
    if made.get_piece_size() < 1:
        raise ValueError(path.name)
    return made


class SentencePieces(ForeignTokenizer):
    """Tokenizes texts with sentencepiece. `source` and `target` are its processors; `ids` is None where places are ids."""

    def __init__(self, source: Any, target: Any, rules: Rules, ids: Mapping[str, int] | None) -> None:
        self._by_bytes, self._spaced = False, True
        self._source, self._target, self._rules = source, target, rules
        self._pieces = dict(ids) if ids is not None else _places(source, rules)
        self._piece_of = {number: piece for piece, number in self._pieces.items()}
        unknown = source.unk_id()
        self._unknown = self._id(source.id_to_piece(unknown)) if unknown >= 0 else None
        self._plain: frozenset[str] = frozenset()
        self._unknown_piece = None  # No typed text becomes this piece.
        around = (*rules.first, *rules.before, *rules.behind)
        places = range(source.get_piece_size())
        control = (source.id_to_piece(place) for place in places if source.is_control(place) or source.is_unknown(place))
        found = (self._id(piece) for piece in (*control, *around))
        self._special = {number for number in found if number is not None}

    def tokenize(self, text: str, *, special: bool = True) -> tuple[Token, ...]:
        """See ForeignTokenizer. Without `special` it is a text of the target side."""
        text = check_text(text)
        # A character of the text takes one to four bytes; the library counts bytes.
        place = {at: n for n, at in enumerate(_ends(text))}
        rows = [
            (self._number(piece), piece, (place.get(begin, 0), place.get(end, len(text))))
            for piece, begin, end in _pieces(
                (self._source if special else self._target).encode(text, out_type="serialized_proto")
            )
        ]
        if special:
            rows = [*self._around(self._rules.before), *rows, *self._around(self._rules.behind)]
        return self._tokens(rows)

    def decode(self, ids: tuple[int, ...]) -> str:
        """See ForeignTokenizer."""
        kept = [self._piece_of.get(number, "") for number in ids if not self._is_special(number)]
        text: str = self._target.decode([piece for piece in kept if piece])
        return text.replace("\ufffd", "").strip()

    def id_of(self, piece: str) -> int | None:
        """See ForeignTokenizer."""
        return self._pieces.get(piece)

    def _id(self, piece: str) -> int | None:
        return self._pieces.get(piece)

    def _number(self, piece: str) -> int:
        """The id of a piece; a piece that the model lacks is the unknown one. Raises ValueError where there is none."""
        number = self._pieces.get(piece, self._unknown)
        if number is None:
            raise ValueError(piece)
        return number

    def _around(self, pieces: tuple[str, ...]) -> list[tuple[int, str, tuple[int, int]]]:
        return [(number, piece, (0, 0)) for piece in pieces if (number := self._pieces.get(piece)) is not None]


def _places(cutter: Any, rules: Rules) -> dict[str, int]:
    """The id of each piece of a model whose ids are the places in the file."""
    first = {piece: number for number, piece in enumerate(rules.first)}
    every = (cutter.id_to_piece(place) for place in range(cutter.get_piece_size()))
    return {piece: place + rules.after for place, piece in enumerate(every)} | first


def _ends(text: str) -> Iterator[int]:
    """The byte offset of each character, and of the end."""
    at = 0
    for letter in text:
        yield at
        at += len(letter.encode())
    yield at


def _pieces(message: bytes) -> Iterator[tuple[str, int, int]]:
    """The pieces in what the library writes (SentencePieceText in Protocol Buffers), each with its first and last byte."""
    for field, value in message_fields(message):
        if field == 2 and isinstance(value, bytes):
            row = dict(message_fields(value))
            piece = row.get(1, b"")
            begin, end = row.get(4, 0), row.get(5, 0)
            assert isinstance(piece, bytes)
            assert isinstance(begin, int)
            assert isinstance(end, int)
            yield piece.decode("utf-8", "replace"), begin, end


def message_fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of one message: whole numbers, and rows of bytes. All that the library writes is of these two kinds."""
    at = 0
    while at < len(message):
        key, at = _number_at(message, at)
        value, at = _number_at(message, at)
        if key & 7 == 2:
            yield key >> 3, message[at : at + value]
            at += value
        else:
            yield key >> 3, value


def _number_at(message: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the place behind it."""
    value = shift = 0
    while at < len(message):
        byte = message[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            break
    return value, at
