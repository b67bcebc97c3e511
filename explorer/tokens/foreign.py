"""The vocabularies of others: a folder's tokenizer.json, or the older files of families that are known.

The library `tokenizers` alone reads them. Rejected: the classes of transformers, some of which run code of the folder.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.errors import BadVocabulary, CannotRead, NeedsSentencepiece, NotInstalled, NoTokenizer, UnknownCut
from explorer.files import read_whole
from explorer.tokens.foreign_tokenizer import ForeignTokenizer
from explorer.tokens.gguf_vocabulary import UnknownWayError, tokenizer_json
from explorer.tokens.older_files import older_files
from explorer.tokens.sentence_pieces import has_pieces, pieces_file, read_pieces

_FILE = "tokenizer.json"
_MOST_BYTES = 2**27  # 128 MB; a vocabulary of 256,000 pieces has 33.
_NOTHING: Mapping[str, Any] = {}
_TRIAL = "a 1 我"  # A tokenizer that cannot cut this cuts nothing.


def read_tokenizer(folder: Path, family: str, told: Mapping[str, Any] = _NOTHING) -> ForeignTokenizer:
    """The tokenizer of a folder with a model of `family`; `told` is what the header of its GGUF file tells.

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
