"""The files of a model's folder: the version by which a change of them is noticed, and how much memory they take."""

import os
from pathlib import Path

import psutil

_WIDENED = 2  # Files with 16 bits for each number become twice as large.
_UNPACKED = 4  # Files with 4 bits for each number become eight times as large.
_FILES = (".safetensors", ".gguf")
_AMPLE = 0.4  # of the free memory


def fits_beside(path: Path) -> bool:
    """Whether there is ample room for the model of a folder beside everything that is in memory now."""
    files = folder_version(path)
    sizes = sum(
        size * (_UNPACKED if name.endswith(".gguf") else 1) for name, size, _changed_ns in files if name.endswith(_FILES)
    )
    return _WIDENED * sizes < _AMPLE * psutil.virtual_memory().available


def folder_version(path: Path) -> tuple[tuple[str, int, int], ...]:
    """The names, sizes and times of the files of a folder, which change when one is written."""
    try:
        with os.scandir(path.parent if path.suffix == ".gguf" and path.is_file() else path) as entries:
            found = [(entry.name, entry.stat()) for entry in entries]
    except OSError:  # Opening the folder reports it.
        return ()
    return tuple(sorted((name, about.st_size, about.st_mtime_ns) for name, about in found))
