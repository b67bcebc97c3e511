"""The vocabularies of others: a folder's tokenizer.json, or the older files of families that are known.

The library `tokenizers` alone reads them. Rejected: the classes of transformers, some of which run code of the folder.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from explorer.errors import BadVocabulary, CannotRead, NotInstalled, NoTokenizer
from explorer.files import read_whole
from explorer.tokens.check import check_text
from explorer.tokens.legible import alone, legible, piece_bytes, together
from explorer.tokens.token import Token

_FILE, _ABOUT = "tokenizer.json", "tokenizer_config.json"
_MOST_BYTES = 2**27  # 128 MB; a vocabulary of 256,000 pieces has 33.
_TRIAL = "a 1 我"  # A tokenizer that cannot cut this cuts nothing.
# How text is cut before pieces are looked up, where it is not GPT-2's way.
_QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class ForeignTokenizer:
    """Cuts texts as somebody's model wants it. `inside` is a Tokenizer of the library."""

    def __init__(self, inside: Any) -> None:
        inside.no_truncation()  # Files may ask for it, and a part of the text would be missing.
        inside.no_padding()
        self._inside = inside
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
        rows = list(zip(found.ids, found.tokens, found.offsets, strict=True))
        shown = self._shown([piece for _id, piece, _span in rows], [self._is_special(number) for number, _p, _s in rows])
        tokens = []
        for name, (number, _piece, (start, end)) in zip(shown, rows, strict=True):
            known = number != self._unknown
            tokens.append(Token(name, number, start, end, known, special=known and self._is_special(number)))
        return tuple(tokens)

    def token(self, number: int) -> Token:
        """The token of an id that stands nowhere in a typed text."""
        return Token(self.symbols(number + 1)[number], number, 0, 0, known=True, special=self._is_special(number))

    def symbols(self, n_symbols: int) -> tuple[str, ...]:
        """The text of each id below `n_symbols`; "" for an id without a piece."""
        if len(self._names) < n_symbols:
            return (*self._names, *[""] * (n_symbols - len(self._names)))
        return self._names[:n_symbols]

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

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names = [""] * self.size
        for piece, number in self._pieces.items():
            names[number] = legible(piece) if self._is_special(number) else alone(self._raw(piece))
        return tuple(names)

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


def read_tokenizer(folder: Path, family: str) -> ForeignTokenizer:
    """The tokenizer of a folder with a model of `family`.

    Raises NotInstalled, NoTokenizer, BadVocabulary.
    """
    try:
        import tokenizers
    except ImportError as error:
        raise NotInstalled(name="tokenizers") from error
    path = folder / _FILE
    older = _OLDER.get(family)
    try:
        if path.is_file():
            inside = tokenizers.Tokenizer.from_str(read_whole(path, _MOST_BYTES).decode())
        elif older is not None:
            inside = older(tokenizers, folder, _about(folder))
        else:
            raise NoTokenizer(path=str(folder))
        made = ForeignTokenizer(inside)
        made.tokenize(_TRIAL)
    except CannotRead as error:
        raise NoTokenizer(path=str(folder)) from error
    except NoTokenizer:
        raise
    except Exception as error:  # The library raises plain Exceptions for what it cannot read.
        raise BadVocabulary(path=str(path), reason=str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # What Rust did not expect is no Exception in Python.
            raise
        raise BadVocabulary(path=str(path), reason=str(error)) from error
    return made


def _about(folder: Path) -> dict[str, Any]:
    """The table in tokenizer_config.json, empty if there is none."""
    try:
        found = json.loads(read_whole(folder / _ABOUT, _MOST_BYTES))
    except (CannotRead, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _word_pieces(library: Any, folder: Path, about: Mapping[str, Any]) -> Any:
    """BERT's tokenizer from vocab.txt, a piece a line."""
    text = read_whole(folder / "vocab.txt", _MOST_BYTES).decode()
    vocabulary = {line.rstrip("\r"): number for number, line in enumerate(text.removesuffix("\n").split("\n"))}
    made = library.Tokenizer(library.models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = library.normalizers.BertNormalizer(
        lowercase=about.get("do_lower_case", True) is not False,
        handle_chinese_chars=about.get("tokenize_chinese_chars", True) is not False,
    )
    made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    made.decoder = library.decoders.WordPiece(prefix="##")
    ends = [(piece, vocabulary[piece]) for piece in ("[CLS]", "[SEP]")]
    made.post_processor = library.processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    made.add_special_tokens([piece for piece in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if piece in vocabulary])
    return made


def _byte_pairs(library: Any, folder: Path, about: Mapping[str, Any]) -> Any:
    """GPT-2's tokenizer from vocab.json and merges.txt."""
    vocabulary = json.loads(read_whole(folder / "vocab.json", _MOST_BYTES))
    lines = read_whole(folder / "merges.txt", _MOST_BYTES).decode().split("\n")
    merges = [tuple(line.rstrip("\r").split(" ")) for line in lines if line.strip() and not line.startswith("#version")]
    made = library.Tokenizer(library.models.BPE(vocab=vocabulary, merges=merges))
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=about.get("add_prefix_space") is True)
    made.decoder = library.decoders.ByteLevel()
    made.add_special_tokens(_added(about) or [piece for piece in ("<|endoftext|>",) if piece in vocabulary])
    return made


def _framed_byte_pairs(library: Any, folder: Path, about: Mapping[str, Any]) -> Any:
    """RoBERTa's and BART's: GPT-2's with <s> and </s> around each text."""
    made = _byte_pairs(library, folder, about)
    ends = [(piece, made.token_to_id(piece)) for piece in ("<s>", "</s>")]
    made.post_processor = library.processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    made.add_special_tokens(
        [piece for piece in ("<s>", "<pad>", "</s>", "<unk>", "<mask>") if made.token_to_id(piece) is not None]
    )
    return made


def _qwen_byte_pairs(library: Any, folder: Path, about: Mapping[str, Any]) -> Any:
    """Qwen's: text is cut in another way first, and each digit stands alone."""
    made = _byte_pairs(library, folder, about)
    made.normalizer = library.normalizers.NFC()
    cut = library.pre_tokenizers.Split(library.Regex(_QWEN), behavior="isolated")
    whole = library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = library.pre_tokenizers.Sequence([cut, whole])
    return made


def _added(about: Mapping[str, Any]) -> list[str]:
    """The special pieces that stand outside the vocabulary, in the order of their ids."""
    rows = about.get("added_tokens_decoder")
    if not isinstance(rows, dict):
        return []
    kept = sorted(
        (int(number), row) for number, row in rows.items() if re.fullmatch(r"\d{1,8}", number) and isinstance(row, dict)
    )
    return [row["content"] for _number, row in kept if row.get("special") and isinstance(row.get("content"), str)]


_OLDER: Mapping[str, Callable[[Any, Path, Mapping[str, Any]], Any]] = {
    "bert": _word_pieces,
    "gpt2": _byte_pairs,
    "roberta": _framed_byte_pairs,
    "bart": _framed_byte_pairs,
    "qwen2": _qwen_byte_pairs,
    "qwen3": _qwen_byte_pairs,
}
"""How a tokenizer is made of older files, by family."""
