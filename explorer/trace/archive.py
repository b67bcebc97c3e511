"""A NumPy archive that describes its arrays in JSON: one file, of which nothing is ever unpickled.

The JSON is an array of its own, whose name says what kind of file it is.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from explorer.files import opened, replacing
from explorer.json_text import read_json_text

_MOST_UNPACKED = 20  # The contents of a file may be at most so many times as large as the file.


def write_archive(path: Path, name: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and what is said about them; an older file stays until the new one is complete. Raises CannotWrite."""
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **{name: np.array(json.dumps(about))}, **arrays)


def is_archive(path: Path, name: str) -> bool:
    """Whether a file is an archive with this description in its table of contents. Raises CannotRead, NotAFile."""
    with opened(path) as handle:
        try:
            return f"{name}.npy" in ZipFile(handle).namelist()
        except Exception:  # A foreign file can raise anything in the reader of zip.
            return False


def read_archive(path: Path, name: str) -> tuple[Any, dict[str, NDArray[Any]]]:
    """What is said about the arrays, and the arrays. Raises CannotRead, NotAFile; whatever zip, NumPy or JSON raise."""
    handle = opened(path)
    # NumPy is given an open file, because it would leave a broken archive open if it were given the name.
    with handle, np.load(handle, allow_pickle=False) as file:
        told, n_bytes = sum(member.file_size for member in file.zip.infolist()), os.fstat(handle.fileno()).st_size
        if told > _MOST_UNPACKED * n_bytes:  # None that `write_archive` wrote unpacks to so much more than its own size.
            raise ValueError(f"{told} B in {n_bytes} B")
        return read_json_text(str(file[name])), {each: file[each] for each in file.files if each != name}
