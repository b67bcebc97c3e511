"""A session's table as a TOML file with a format version. Files are replaced only when completely written.

Files may be of unknown origin, so their size and depth are limited before they are parsed.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from explorer.errors import BadState, NewerState
from explorer.files import opened, read_whole, replacing
from explorer.toml_text import deep_line, too_deep

SUFFIX = ".explorer.toml"
BUNDLE_SUFFIX = ".explorer"
"""The ending of a file that takes presets and weights along, see `bundle.py`."""
VERSION = 1
MOST_BYTES = 2**24  # bytes, more than a sentence of a million characters needs


def title_of(path: str | Path) -> str:
    """The title of the session in a file: its name without the ending."""
    return Path(path).name.removesuffix(SUFFIX).removesuffix(BUNDLE_SUFFIX)


def to_toml(table: Mapping[str, Any]) -> bytes:
    """A table as the contents of a file, with the number of the format."""
    # Pasted text may hold half a surrogate pair, which UTF-8 cannot encode: a question mark replaces it.
    return tomli_w.dumps({"version": VERSION, **table}).encode("utf-8", errors="replace")


def write_table(table: Mapping[str, Any], path: Path) -> None:
    """Write a table to a file, whole or not at all. Raises CannotWrite, DiskFull."""
    content = to_toml(table)
    with replacing(path) as unfinished:
        unfinished.write_bytes(content)


def is_bundle(path: Path) -> bool:
    """Whether a file begins as a zip does. Raises NotAFile, CannotRead."""
    with opened(path) as file:
        return file.read(2) == b"PK"


def read_table(path: Path) -> dict[str, Any]:
    """The table in a file, without the number of its format. Raises CannotRead, BadState, NewerState."""
    return parsed(read_whole(path, MOST_BYTES), path)


def parsed(content: bytes, path: str | Path) -> dict[str, Any]:
    """The table in the contents of the file that errors call `path`. Raises BadState, NewerState."""
    try:
        text = content.decode("utf-8")
        if deep_line(text):
            raise BadState(path=str(path), reason=too_deep())
        table = tomllib.loads(text)
    except RecursionError as error:
        raise BadState(path=str(path), reason=too_deep()) from error
    except (ValueError, OverflowError) as error:  # The file is no TOML or no UTF-8, or holds too long a number.
        raise BadState(path=str(path), reason=str(error)[:200]) from error
    version = table.pop("version", None)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadState(path=str(path), reason="version ?")
    if version > VERSION:
        raise NewerState(path=str(path), version=version, known=VERSION)
    return table
