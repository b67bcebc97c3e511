"""How a folder of a sentence model declares its pooling: `modules.json` and the settings of the pooling module.

Both are read as data. Rejected: the library sentence-transformers, which runs modules of the folder. A folder without such
files gets the mean of all tokens, and the answer says that it was assumed.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import CannotRead, UnknownPooling
from explorer.files import read_whole
from explorer.json_text import read_json_text

_MODULES, _SETTINGS = "modules.json", "config.json"
_MOST_BYTES = 2**20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
# The keys of the ways, in the order in which several of them are concatenated.
_WAYS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len",
    "pooling_mode_weightedmean_tokens": "weighted_mean",
    "pooling_mode_lasttoken": "last",
}
_KNOWN = ("cls", "max", "mean", "mean_sqrt_len", "last")


@attrs.frozen
class Pooling:
    """The `ways` in which a sentence's vector is pooled from its tokens', concatenated; whether its length is 1.

    "cls" is the first token's vector, "last" the last one's, "max" the largest number of each feature, "mean" the mean, and
    "mean_sqrt_len" the sum divided by the root of how many there are. `told` is False where the folder declares nothing.
    """

    ways: tuple[str, ...] = ("mean",)
    normalises: bool = True
    told: bool = False


def read_pooling(folder: Path) -> Pooling:
    """The Pooling that the files of a folder declare. Raises UnknownPooling."""
    if not (folder / _MODULES).is_file():
        return Pooling()
    ways: tuple[str, ...] = ()
    normalises = False
    for kind, path in _modules(folder):
        if kind == "Pooling":
            ways = _ways(folder, _read(folder, f"{path}/{_SETTINGS}" if path else _SETTINGS))
        elif kind == "Normalize":
            normalises = True
        elif kind != "Transformer":  # A further layer with weights, or code of the folder.
            raise UnknownPooling(path=str(folder), got=kind)
    if not ways:
        raise UnknownPooling(path=str(folder), got=_MODULES)
    return Pooling(ways, normalises, told=True)


def _modules(folder: Path) -> Iterator[tuple[str, str]]:
    """The kind and the subfolder of each module."""
    rows = _read(folder, _MODULES)
    if not isinstance(rows, list):
        raise UnknownPooling(path=str(folder), got=_MODULES)
    for row in rows:
        kind, path = (row.get("type"), row.get("path", "")) if isinstance(row, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(path, str) or (path and not _NAME.fullmatch(path)):
            raise UnknownPooling(path=str(folder), got=_MODULES)
        library, _dot, name = kind.rpartition(".")
        yield (name if library.startswith("sentence_transformers.") else kind), path


def _ways(folder: Path, settings: Any) -> tuple[str, ...]:
    """The ways that the settings of a pooling ask for: one of them by name, or a switch for each."""
    if not isinstance(settings, dict):
        raise UnknownPooling(path=str(folder), got=_SETTINGS)
    named = settings.get("pooling_mode")
    told = [named] if isinstance(named, str) else [way for key, way in _WAYS.items() if settings.get(key) is True]
    ways = tuple("last" if way == "lasttoken" else way for way in told)
    for way in ways:
        if way not in _KNOWN:
            raise UnknownPooling(path=str(folder), got=way)
    return ways


def _read(folder: Path, name: str) -> Any:
    try:
        return read_json_text(read_whole(folder / name, _MOST_BYTES))
    except (CannotRead, ValueError) as error:  # ValueError stands for broken JSON and for broken UTF-8.
        raise UnknownPooling(path=str(folder), got=name) from error
