"""Vocabularies from before tokenizer.json: a folder's vocab.txt, or its vocab.json and merges.txt.

The files determine the kind of pieces. The class that the settings name, or else the family, determines the special tokens
around a text and the pre-tokenizer. A Chinese GPT-2 or BART has BERT's vocabulary.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import CannotRead, UnknownTokenizer
from explorer.files import read_whole
from explorer.json_text import read_json_text

_MOST_BYTES = 2**27  # 128 MB
_WORDS, _PAIRS = ("vocab.txt",), ("vocab.json", "merges.txt")
_ABOUT = ("tokenizer_config.json", "config.json")  # Either may name the class.
_ENDS = ("[CLS]", "[SEP]")
_UNKNOWN = "[UNK]"
# Qwen has a pre-tokenizer of its own.
QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LIKE_BERT = (
    *("Bert", "Electra", "DistilBert", "Ernie", "MobileBert", "ConvBert", "LayoutLM", "SqueezeBert", "Lxmert", "RetriBert"),
    *("DPRContextEncoder", "DPRQuestionEncoder", "DPRReader"),
)


@attrs.frozen
class OlderFiles:
    """The file of a vocabulary, and the function that makes the library's Tokenizer of it and its settings."""

    vocabulary: Path
    about: Mapping[str, Any]
    made: Callable[[Any, Path, Mapping[str, Any]], Any]

    def read(self, library: Any) -> Any:
        """The Tokenizer. Raises CannotRead, ValueError, KeyError or what the library raises for files that are none."""
        made = self.made(library, self.vocabulary.parent, self.about)
        _add(library, made, self.vocabulary.parent, self.about)
        return made


def older_files(folder: Path, family: str) -> OlderFiles | None:
    """The older files in a folder with a model of `family`; None if there are none. Raises UnknownTokenizer, CannotRead."""
    about = _about(folder)
    told = str(about.get("tokenizer_class") or "").removesuffix("Fast").removesuffix("Tokenizer")
    if all((folder / name).is_file() for name in _PAIRS):
        made = _BYTE_PAIRS.get(told or _CLASSES.get(family, ""))
        vocabulary = folder / _PAIRS[0]
    elif (folder / _WORDS[0]).is_file():
        vocabulary = folder / _WORDS[0]
        made = _word_pieces if (told in _LIKE_BERT or not told) and {_UNKNOWN, *_ENDS} <= set(_lines(vocabulary)) else None
    else:
        return None
    if made is None:
        raise UnknownTokenizer(path=str(folder), file=vocabulary.name, kind=f"{told}Tokenizer" if told else family)
    return OlderFiles(vocabulary, about, made)


def _about(folder: Path) -> dict[str, Any]:
    """The settings of the tokenizer, with the class that those of the model may name."""
    first, second = (table_in(folder / name) for name in _ABOUT)
    return {"tokenizer_class": second.get("tokenizer_class")} | first


def table_in(file: Path, most_bytes: int = _MOST_BYTES) -> dict[str, Any]:
    """The table in a JSON file, empty if there is none."""
    try:
        found = read_json_text(read_whole(file, most_bytes))
    except (CannotRead, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lines(file: Path) -> list[str]:
    """The lines of vocab.txt, a piece a line. Raises CannotRead."""
    try:
        text = read_whole(file, _MOST_BYTES).decode()
    except UnicodeDecodeError as error:
        raise CannotRead(path=str(file), reason=str(error)) from error
    return [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")]


def _word_pieces(library: Any, folder: Path, about: Mapping[str, Any]) -> Any:
    """BERT's tokenizer."""
    vocabulary = {piece: number for number, piece in enumerate(_lines(folder / _WORDS[0]))}
    made = library.Tokenizer(library.models.WordPiece(vocabulary, unk_token=_UNKNOWN))
    accents = about.get("strip_accents")
    made.normalizer = library.normalizers.BertNormalizer(
        lowercase=about.get("do_lower_case", True) is not False,
        handle_chinese_chars=about.get("tokenize_chinese_chars", True) is not False,
        strip_accents=accents if isinstance(accents, bool) else None,
    )
    made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    made.decoder = library.decoders.WordPiece(prefix="##")
    ends = [(piece, vocabulary[piece]) for piece in _ENDS]
    made.post_processor = library.processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    made.add_special_tokens([piece for piece in ("[PAD]", _UNKNOWN, *_ENDS, "[MASK]") if piece in vocabulary])
    return made


def _byte_pairs(library: Any, folder: Path, about: Mapping[str, Any]) -> Any:
    """GPT-2's tokenizer."""
    vocabulary = read_json_text(read_whole(folder / _PAIRS[0], _MOST_BYTES))
    lines = read_whole(folder / _PAIRS[1], _MOST_BYTES).decode().split("\n")
    merges = [tuple(line.rstrip("\r").split(" ")) for line in lines if line.strip() and not line.startswith("#version")]
    made = library.Tokenizer(library.models.BPE(vocab=vocabulary, merges=merges))
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=about.get("add_prefix_space") is True)
    made.decoder = library.decoders.ByteLevel()
    made.add_special_tokens([piece for piece in ("<|endoftext|>",) if piece in vocabulary])
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
    """Qwen's: another pre-tokenizer, and each digit alone."""
    made = _byte_pairs(library, folder, about)
    made.normalizer = library.normalizers.NFC()
    cut = library.pre_tokenizers.Split(library.Regex(QWEN_PATTERN), behavior="isolated")
    whole = library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = library.pre_tokenizers.Sequence([cut, whole])
    return made


def _add(library: Any, made: Any, folder: Path, about: Mapping[str, Any]) -> None:
    """Add the pieces that stand outside the vocabulary, special and plain ones, in the order of their ids.

    Raises ValueError where a piece would get another id than in the files.
    """
    rows = about.get("added_tokens_decoder")
    found = {int(number): row for number, row in rows.items() if _is_row(number, row)} if isinstance(rows, dict) else {}
    for piece, number in table_in(folder / "added_tokens.json").items():
        if type(number) is int and number not in {*found, made.token_to_id(piece)}:
            found[number] = {"content": piece, "special": False}
    for number, row in sorted(found.items()):
        piece, special = row["content"], row.get("special") is True
        add = made.add_special_tokens if special else made.add_tokens
        add([library.AddedToken(piece, special=special, normalized=not special)])
        if made.token_to_id(piece) != number:
            raise ValueError(f"{piece}: {made.token_to_id(piece)} ≠ {number}")


def _is_row(number: str, row: object) -> bool:
    return bool(re.fullmatch(r"\d{1,8}", number)) and isinstance(row, dict) and isinstance(row.get("content"), str)


_BYTE_PAIRS: Mapping[str, Callable[[Any, Path, Mapping[str, Any]], Any]] = {
    "GPT2": _byte_pairs,
    "Roberta": _framed_byte_pairs,
    "Bart": _framed_byte_pairs,
    "Longformer": _framed_byte_pairs,
    "LED": _framed_byte_pairs,
    "Qwen2": _qwen_byte_pairs,
}
"""How a tokenizer of byte pairs is made, by its class."""

_CLASSES: Mapping[str, str] = {
    **dict.fromkeys(("gpt2", "gpt_neo", "gptj"), "GPT2"),
    **dict.fromkeys(("roberta", "bart", "longformer", "led"), "Roberta"),
    **dict.fromkeys(("qwen2", "qwen3", "qwen2_moe", "qwen3_moe"), "Qwen2"),
}
"""The class of a family whose settings name none."""
