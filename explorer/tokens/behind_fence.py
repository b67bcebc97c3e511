"""The entry of the process behind the fence: it opens a foreign tokenizer or chat template and answers questions.

A vocabulary stands in a folder's tokenizer.json, in a GGUF file's header, or in the older files of families that are known. The
library `tokenizers` alone reads it. Rejected: the classes of transformers, some of which run code of the folder.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.errors import BadVocabulary, CannotRead, NeedsSentencepiece, NotInstalled, NoTokenizer, UnknownCut
from explorer.files import read_whole
from explorer.tokens.fence_process import Answer, Kinds, run
from explorer.tokens.foreign_tokenizer import ForeignTokenizer
from explorer.tokens.gguf_vocabulary import UnknownWayError, tokenizer_json
from explorer.tokens.older_files import older_files
from explorer.tokens.sentence_pieces import has_pieces, pieces_file, read_pieces
from explorer.tokens.token import Token

MOST_LETTERS = 2**20  # of a text that is made of ids
_MOST_SHOWN = 256  # characters of one piece
_FILE = "tokenizer.json"
_MOST_BYTES = 2**27  # 128 MB; a vocabulary of 256,000 pieces has 33.
_NOTHING: Mapping[str, Any] = {}
_TRIAL = "a 1 我"  # A tokenizer that fails on this is of no use.


def tokenizer(opening: Mapping[str, Any]) -> tuple[Any, Answer]:
    """The tokenizer in `folder` of a model of `family`, or the one that a GGUF file's header describes in `told`.

    Raises NotInstalled, NoTokenizer, NeedsSentencepiece, BadVocabulary.
    """
    made = read_tokenizer(Path(opening["folder"]), opening["family"], opening["told"])

    def tokenize(question: Mapping[str, Any]) -> list[list[Any]]:
        return [_row(token) for token in made.tokenize(question["text"], special=question["special"])]

    def decode(question: Mapping[str, Any]) -> str:
        text = made.decode(tuple(question["ids"]))
        if len(text) > MOST_LETTERS:
            raise ValueError(f"> {MOST_LETTERS:,}")
        return text

    def id_of(question: Mapping[str, Any]) -> int | None:
        return made.id_of(question["piece"])

    answers: Mapping[str, Answer] = {"tokenize": tokenize, "decode": decode, "id_of": id_of}
    # Sorted by id, because a restarted process must report the same bytes.
    names = {number: _shown(name) for number, name in sorted(made.names.items())}
    about = {"ids": list(names), "names": list(names.values()), "special": sorted(made.special_ids), "longest": made.longest}
    return about, lambda question: answers[question["what"]](question)


def read_tokenizer(folder: Path, family: str, told: Mapping[str, Any] = _NOTHING) -> ForeignTokenizer:
    """The tokenizer of a folder with a model of `family`; `told` are the settings in its GGUF file's header.

    Raises NotInstalled, NoTokenizer, NeedsSentencepiece, UnknownTokenizer, UnknownCut, BadVocabulary.
    """
    try:
        import tokenizers
    except ImportError as error:
        raise NotInstalled(name="tokenizers") from error
    path = folder / _FILE  # A refusal names the file that was read.
    try:
        if path.is_file():
            made = ForeignTokenizer(tokenizers.Tokenizer.from_str(read_whole(path, _MOST_BYTES).decode()))
        elif told:
            path = folder
            made = ForeignTokenizer(tokenizers.Tokenizer.from_str(tokenizer_json(told)))
        elif has_pieces(folder, family):
            path = pieces_file(folder, family)
            made = read_pieces(folder, family)
        else:
            older = older_files(folder, family)
            if older is None:
                raise NoTokenizer(path=str(folder))
            path = older.vocabulary
            made = ForeignTokenizer(older.read(tokenizers))
        made.tokenize(_TRIAL)
    except UnknownWayError as error:
        raise UnknownCut(path=str(folder), name=error.args[0]) from error
    except ImportError as error:
        raise NeedsSentencepiece(path=str(folder)) from error
    except CannotRead as error:
        raise BadVocabulary(path=error.values.get("path", path), reason=error.values.get("reason", error)) from error
    except NoTokenizer:
        raise
    except Exception as error:  # The library raises plain Exceptions for what it cannot read.
        raise BadVocabulary(path=str(path), reason=str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # A panic in Rust is no Exception in Python.
            raise
        raise BadVocabulary(path=str(path), reason=str(error)) from error
    return made


def template(opening: Mapping[str, Any]) -> tuple[Any, Answer]:
    """A chat template, which answers with what it makes of a user's message."""
    from explorer.tokens.chat_rendering import rendered

    def written(question: Mapping[str, Any]) -> dict[str, Any]:
        messages = [{"role": "user", "content": question["text"]}]
        return rendered({**opening, "messages": messages, "most": question["most"]})

    return None, written


KINDS: Kinds = {"tokenizer": tokenizer, "template": template}


def main() -> None:
    """Answer questions about one of these until there are none."""
    run(KINDS)


def _row(token: Token) -> list[Any]:
    return [_shown(token.text), token.id, token.start, token.end, token.known, token.special]


def _shown(name: str) -> str:
    """A piece, shortened to a length that can be shown: a foreign vocabulary may have one of any length."""
    return name if len(name) <= _MOST_SHOWN else f"{name[: _MOST_SHOWN - 1]}…"
