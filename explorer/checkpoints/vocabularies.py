"""What a converted model reads. A checkpoint has no vocabulary, so without one from elsewhere a text is a row of ids."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from explorer.errors import NoTokenizer, OtherCharacters
from explorer.files import read_whole
from explorer.presets import FIRST_TEXT
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.vocabulary import SPECIALS, Vocabulary

_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "tokenizer.model",
    "spiece.model",
    "chat_template.jinja",
)
_VOCABULARIES = frozenset({"tokenizer.json", "vocab.json", "vocab.txt", "tokenizer.model", "spiece.model"})
_MOST_BYTES = 2**27
_MOST_TEXT_BYTES = 2**30
_FIRST, _EXAMPLES = len(SPECIALS), 4  # ids of the text that is offered to begin with
_UNKNOWN = "[UNK]"


@attrs.frozen
class WrittenVocabulary:
    """What a text is for a converted model, and one to begin with; "" where the tokenizer came from elsewhere."""

    kind: Literal["tokenizer", "characters", "ids", "own-ids"]
    text: str = ""

    @classmethod
    def of_own_ids(cls, folder: Path, n_source: int, n_target: int) -> "WrittenVocabulary":
        """The vocabularies of one of our own translators, of ids; the first four are what ours are, and bear their names."""
        sides = (Vocabulary((*SPECIALS, *map(str, range(_FIRST, size)))) for size in (n_source, n_target))
        Bilingual(*sides).write(folder)
        return cls("own-ids", _ids(n_source))


def written_vocabulary(
    folder: Path, n_symbols: int, tokenizer: Path | None, characters: Path | None, beside: Path | None = None
) -> WrittenVocabulary:
    """Write what a model of transformers reads: a tokenizer's files, the characters of a training text, or ids.

    The files are those in the folder `tokenizer`, or else those `beside` the checkpoint, if there are any.
    Raises NoTokenizer, OtherCharacters, CannotRead.
    """
    if tokenizer is None and characters is None and beside is not None and _there(beside):
        tokenizer = beside
    if tokenizer is not None:
        _copy(tokenizer, folder)
        return WrittenVocabulary("tokenizer")
    written = _own_vocabulary(folder, n_symbols, characters)
    (folder / FIRST_TEXT).write_text(f"{written.text}\n", encoding="utf-8")
    return written


def _own_vocabulary(folder: Path, n_symbols: int, characters: Path | None) -> WrittenVocabulary:
    """Write a tokenizer of the characters of a training text, or of ids."""
    if characters is not None:
        letters = _characters_of(characters, n_symbols)
        every = {"type": "Split", "pattern": {"Regex": r"[\s\S]"}, "behavior": "Isolated", "invert": False}
        _write(folder, letters, every, {"type": "Fuse"})
        return WrittenVocabulary("characters", "".join(each for each in letters if each.isalnum())[:_EXAMPLES] or letters[-1])
    _write(folder, [str(number) for number in range(n_symbols)], {"type": "WhitespaceSplit"}, None)
    return WrittenVocabulary("ids", _ids(n_symbols))


def _there(folder: Path) -> list[str]:
    """The files of a tokenizer; [] without a vocabulary."""
    there = [name for name in _FILES if (folder / name).is_file()]
    return [] if _VOCABULARIES.isdisjoint(there) else there


def _copy(source: Path, folder: Path) -> None:
    names = _there(source)
    if not names:
        raise NoTokenizer(path=str(source))
    for name in names:
        (folder / name).write_bytes(read_whole(source / name, _MOST_BYTES))


def _characters_of(text: Path, n_symbols: int) -> str:
    """All characters of a training text in the order of their codes: the vocabulary that nanoGPT and minGPT make of it."""
    content = read_whole(text, _MOST_TEXT_BYTES).decode("utf-8", "replace")
    found = "".join(sorted(set(content.replace("\r\n", "\n").replace("\r", "\n"))))
    if len(found) != n_symbols:
        raise OtherCharacters(path=str(text), got=len(found), wanted=n_symbols)
    return found


def _write(folder: Path, pieces: Sequence[str], cut: dict[str, Any], decoder: dict[str, Any] | None) -> None:
    # What is no piece gets the id behind the last one, which the model lacks; a text with it is refused by name.
    vocabulary = {piece: number for number, piece in enumerate([*pieces, _UNKNOWN])}
    table: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": cut,
        "decoder": decoder,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": _UNKNOWN},
    }
    (folder / "tokenizer.json").write_text(json.dumps(table, ensure_ascii=False), encoding="utf-8")


def _ids(n_symbols: int) -> str:
    """A row of ids to begin with."""
    return " ".join(map(str, range(_FIRST, min(_FIRST + _EXAMPLES, n_symbols)))) or "0"
