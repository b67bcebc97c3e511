"""How far the user has come in each lesson, kept between starts in a file beside the preferences."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import ExplorerError
from explorer.files import make_folder, read_whole, replacing
from explorer.json_text import read_json_text
from explorer.resources import config_folder

_MOST_BYTES = 2**20  # A longer file was not written by this program.


@attrs.frozen
class Visits:
    """Of one lesson: the step that was open last, and those whose question was answered, or that have none and were seen."""

    place: int = 0
    done: frozenset[int] = frozenset()


@attrs.frozen
class Ticks:
    """The Visits of each lesson, by its key."""

    lessons: Mapping[str, Visits] = attrs.field(factory=dict)

    def of(self, key: str) -> Visits:
        """The Visits of one lesson."""
        return self.lessons.get(key, Visits())

    def opened(self, key: str, place: int) -> "Ticks":
        """With another step open."""
        return Ticks({**self.lessons, key: attrs.evolve(self.of(key), place=place)})

    def did(self, key: str, place: int) -> "Ticks":
        """With another step done."""
        return Ticks({**self.lessons, key: attrs.evolve(self.of(key), done=self.of(key).done | {place})})


def ticks_path() -> Path:
    """The file of the Ticks."""
    return config_folder() / "lessons.json"


def load_ticks() -> Ticks:
    """The Ticks so far; none where the file is missing or is not of this program."""
    try:
        table = read_json_text(read_whole(ticks_path(), _MOST_BYTES))
        return Ticks({str(key): _visits(row) for key, row in table.items()})
    except (ExplorerError, ValueError, TypeError, AttributeError, KeyError, OverflowError):
        return Ticks()


def save_ticks(ticks: Ticks) -> None:
    """Write the Ticks. Raises CannotWrite, DiskFull, CannotCreate."""
    rows = {key: {"place": each.place, "done": sorted(each.done)} for key, each in ticks.lessons.items()}
    make_folder(ticks_path().parent)
    with replacing(ticks_path()) as file:
        file.write_text(json.dumps(rows), encoding="utf-8")


def _visits(row: Any) -> Visits:
    return Visits(max(0, int(row["place"])), frozenset(int(place) for place in row["done"]))
