"""The vocabularies of others: a folder's tokenizer.json, or the older files of families that are known.

The library `tokenizers` alone reads them. Rejected: the classes of transformers, some of which run code of the folder.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from explorer.errors import BadVocabulary, CannotRead, NeedsSentencepiece, NotInstalled, NoTokenizer
from explorer.files import read_whole
from explorer.tokens.foreign_tokenizer import ForeignTokenizer
from explorer.tokens.gguf_vocabulary import tokenizer_json
from explorer.tokens.sentence_pieces import has_pieces, read_pieces

_FILE, _ABOUT = "tokenizer.json", "tokenizer_config.json"
_MOST_BYTES = 2**27  # 128 MB; a vocabulary of 256,000 pieces has 33.
_NOTHING: Mapping[str, Any] = {}
_TRIAL = "a 1 我"  # A tokenizer that cannot cut this cuts nothing.
# How text is cut before pieces are looked up, where it is not GPT-2's way.
_QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def read_tokenizer(folder: Path, family: str, told: Mapping[str, Any] = _NOTHING) -> ForeignTokenizer:
    """The tokenizer of a folder with a model of `family`; `told` is what the header of its GGUF file tells.

    Raises NotInstalled, NoTokenizer, NeedsSentencepiece, BadVocabulary.
    """
    try:
        import tokenizers
    except ImportError as error:
        raise NotInstalled(name="tokenizers") from error
    path = folder / _FILE
    older = _OLDER.get(family)
    try:
        if path.is_file():
            made = ForeignTokenizer(tokenizers.Tokenizer.from_str(read_whole(path, _MOST_BYTES).decode()))
        elif told:
            made = ForeignTokenizer(tokenizers.Tokenizer.from_str(tokenizer_json(told)))
        elif has_pieces(folder, family):
            made = read_pieces(folder, family)
        elif older is not None:
            made = ForeignTokenizer(older(tokenizers, folder, _about(folder)))
        else:
            raise NoTokenizer(path=str(folder))
        made.tokenize(_TRIAL)
    except ImportError as error:
        raise NeedsSentencepiece(path=str(folder)) from error
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
