"""The file of a Trace: a NumPy archive with its arrays, its tables of positions and, as JSON, everything else about them.

Nothing is ever unpickled.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from numpy.typing import NDArray

from explorer.config import Config
from explorer.errors import CannotRead, NotATrace
from explorer.tokens.token import Token
from explorer.trace.archive import is_archive, read_archive, write_archive
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.changes import changes_from
from explorer.trace.files.recorded_file import Made, read_recorded
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.search_tree import Node, Search

_ABOUT, _PLACES, _DECODER_PLACES = "about.json", "places", "decoder_places"


def write_trace(trace: RecordedPass, path: Path) -> None:
    """Write all that was kept; an older file is replaced only when the new one is complete. Raises CannotWrite."""
    places = {_PLACES: trace.places} | ({} if trace.decoder_places is None else {_DECODER_PLACES: trace.decoder_places})
    write_archive(path, _ABOUT, _about(trace), places | dict(trace.arrays))


def read_trace(path: Path, make: Callable[..., Made]) -> Made:
    """What `make` makes of the fields of a Trace that was written here, or recorded by another program.

    Its `tokens` are given by side. Raises CannotRead, NotAFile, NotATrace; BadRecording says what another program did wrong.
    """
    return _read_own(path, make) if is_archive(path, _ABOUT) else read_recorded(path, make)


def _read_own(path: Path, make: Callable[..., Made]) -> Made:
    try:
        about, found = read_archive(path, _ABOUT)
        arrays = {name: _checked(found[name], len(axes)) for name, axes in about["axes"].items()}
        decoder = _checked(found[_DECODER_PLACES], 2) if _DECODER_PLACES in found else None
        return make(**_fields(about, arrays, _checked(found[_PLACES], 2), decoder))
    except CannotRead:
        raise
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
