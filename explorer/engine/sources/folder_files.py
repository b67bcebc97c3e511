"""The files of a model's folder: the version by which a change of them is noticed, and how much memory they take."""

import os
from pathlib import Path

import psutil

from explorer.model_stores import GGUF

_WIDENED = 2  # Files with 16 bits for each number become twice as large.
_UNPACKED = 4  # Files with 4 bits for each number become eight times as large.
_FILES = (".safetensors", GGUF)
_AMPLE = 0.4  # of the free memory


def fits_beside(path: Path) -> bool:
    """Whether there is ample room for the model of a folder beside everything that is in memory now."""
    files = folder_version(path)
    held = [(name, size) for name, size, _changed_ns in files if name.endswith(_FILES) or name == path.name]
    sizes = sum(size if name.endswith(".safetensors") else _UNPACKED * size for name, size in held)
    return _WIDENED * sizes < _AMPLE * psutil.virtual_memory().available


def folder_version(path: Path) -> tuple[tuple[str, int, int], ...]:
    """The names, sizes and times of the files of a folder, which change when one is written.

    Beside a file in GGUF there may be a chat template of its own; Ollama keeps the files of all its models in one folder.
    """
    try:
        if path.is_file() and path.suffix != GGUF:
            return ((path.name, path.stat().st_size, path.stat().st_mtime_ns),)
        with os.scandir(path.parent if path.suffix == GGUF and path.is_file() else path) as entries:
            found = [(entry.name, entry.stat()) for entry in entries]
    except OSError:  # Opening the folder reports it.
        return ()
    return tuple(sorted((name, about.st_size, about.st_mtime_ns) for name, about in found))
