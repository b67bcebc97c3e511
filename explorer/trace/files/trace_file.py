"""The file of a Trace: a NumPy archive with its arrays, its tables of positions and, as JSON, everything else about them.

Nothing is ever unpickled.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.config import Config
from explorer.errors import NotATrace
from explorer.files import opened, replacing
from explorer.json_text import read_json_text
from explorer.tokens.token import Token
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.changes import changes_from
from explorer.trace.files.recorded_file import Made, read_recorded
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.search_tree import Node, Search

_MOST_UNPACKED = 20  # The contents of a file may be at most so many times as large as the file.
_ABOUT, _PLACES, _DECODER_PLACES = "about.json", "places", "decoder_places"


def write_trace(trace: RecordedPass, path: Path) -> None:
    """Write all that was kept; an older file is replaced only when the new one is complete. Raises CannotWrite."""
    about = {_ABOUT: np.array(json.dumps(_about(trace))), _PLACES: trace.places}
    if trace.decoder_places is not None:
        about[_DECODER_PLACES] = trace.decoder_places
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **about, **trace.arrays)


def read_trace(path: Path, make: Callable[..., Made]) -> Made:
    """What `make` makes of the fields of a Trace that was written here, or recorded by another program.

    Its `tokens` are given by side. Raises CannotRead, NotAFile, NotATrace; BadRecording says what another program did wrong.
    """
    return _read_own(path, make) if _is_own(path) else read_recorded(path, make)


def _is_own(path: Path) -> bool:
    """Whether a file is an archive with the table of contents that `write_trace` writes. Raises CannotRead, NotAFile."""
    with opened(path) as handle:
        try:
            return f"{_ABOUT}.npy" in ZipFile(handle).namelist()
        except Exception:  # A foreign file can raise anything in the reader of zip.
            return False


def _read_own(path: Path, make: Callable[..., Made]) -> Made:
    handle = opened(path)
    try:
        # NumPy is given an open file, because it would leave a broken archive open if it were given the name.
        with handle, np.load(handle, allow_pickle=False) as file:
            _check_size(file.zip.infolist(), os.fstat(handle.fileno()).st_size)
            about = read_json_text(str(file[_ABOUT]))
            arrays = {name: _checked(file[name], len(axes)) for name, axes in about["axes"].items()}
            tables = _checked(file[_PLACES], 2), _checked(file[_DECODER_PLACES], 2) if _DECODER_PLACES in file else None
        return make(**_fields(about, arrays, *tables))
    except Exception as error:  # A foreign file can raise anything in the readers of zip, NumPy and JSON.
        raise NotATrace(path=str(path)) from error


def _about(trace: RecordedPass) -> dict[str, Any]:
    return {
        "axes": {name: list(axes) for name, axes in trace.axis_names.items() if name in trace.arrays},
        "tokens": attrs.asdict(trace.tokens),
        "config": None if trace.config is None else trace.config.values(),
        "card": trace.card.values(),
        "source": trace.source,
        "target": trace.target,
        "preset": trace.preset,
        "symbols": list(trace.symbols),
        "parameters": trace.parameters,  # Older versions have no card, and read this entry and the next one.
        "trained": trace.trained,
        "search": None if trace.search is None else attrs.asdict(trace.search),
        "changes": [change.to_dict() for change in trace.changes],
        "recorded_by": trace.recorded_by,
        "prompt": trace.prompt,
        "taps": list(trace.taps),
    }


def _fields(about: dict[str, Any], arrays: dict[str, Array], places: Array, decoder_places: Array | None) -> dict[str, Any]:
    """The fields of a Trace."""
    sides = {side: tuple(_token(row) for row in rows) for side, rows in about["tokens"].items()}
    config = None if about["config"] is None else Config(**about["config"])
    return {
        "arrays": arrays,
        "axis_names": {name: tuple(axes) for name, axes in about["axes"].items()},
        "tokens": sides,
        "config": config,
        "card": _card(about, config),
        "places": places,
        "decoder_places": decoder_places,
        "source": about["source"],
        "target": about["target"],
        "preset": about["preset"],
        "symbols": tuple(about["symbols"]),
        "search": _search(about.get("search")),
        "changes": changes_from(about.get("changes", [])),
        "recorded_by": str(about.get("recorded_by", "")),
        "prompt": str(about.get("prompt", "")),
        "taps": tuple(map(str, about.get("taps", ()))),
    }


def _check_size(members: list[ZipInfo], n_bytes: int) -> None:
    """Refuse an archive that unpacks to much more than its own size, as none that `save` wrote does. Raises ValueError."""
    told = sum(member.file_size for member in members)
    if told > _MOST_UNPACKED * n_bytes:
        raise ValueError(f"{told} B in {n_bytes} B")


def _card(about: dict[str, Any], config: Config | None) -> ModelCard:
    """The card of a file. Files older than the card have a Config, from which it is made. Raises ValueError."""
    if "card" in about:
        return ModelCard.of_values(about["card"])
    if config is None:
        raise ValueError("neither card nor config")
    card = card_of(config, about["preset"], about.get("trained", False))
    return attrs.evolve(card, parameters=about["parameters"])


def _search(row: dict[str, Any] | None) -> Search | None:
    if row is None:
        return None
    nodes = tuple(Node(**node) for node in row["nodes"])
    # Parents come before their children, so every walk from a node towards the beginning ends.
    if not all(-1 <= node.parent < number for number, node in enumerate(nodes)):
        raise ValueError("a node before its parent")
    if not all(0 <= end < len(nodes) for end in row["ends"]):
        raise ValueError("an end that is no node")
    return Search(**{**row, "nodes": nodes, "ends": tuple(row["ends"])})


def _token(row: dict[str, Any]) -> Token:
    numbers = row["id"], row["start"], row["end"]
    if not all(type(each) is int and each >= 0 for each in numbers):
        raise ValueError(f"a token with {numbers}")
    word = row.get("word")  # Older files have none.
    return Token(**{**row, "merges": tuple(row["merges"]), "word": None if word is None else (int(word[0]), int(word[1]))})


def _checked(values: NDArray[Any], n_axes: int) -> Array:
    if values.dtype.kind != "f" or values.ndim != n_axes:
        raise ValueError(f"{values.dtype} in {values.ndim} dimensions")
    return frozen_array(values)
