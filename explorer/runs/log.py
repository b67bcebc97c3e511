"""The log of a training: a line of JSON for each step, each validation and each change, in the folder of the run.

The training process appends to it, and whoever follows the training reads it again and again. The last line may be incomplete.
"""

import json
import time
from collections.abc import Iterator, Mapping
from os import SEEK_END
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import CannotRead, NotAFile
from explorer.files import cannot_write, opened, read_whole
from explorer.json_text import read_json_text

FILE = "log.jsonl"
STEP_FIELDS = ("step", "epoch", "loss", "rate", "norm", "tokens_per_s", "seconds")
VALID_FIELDS = ("step", "valid_loss", "accuracy", "exact")
_MOST_BYTES = 2**28
_FLUSH_S = 0.25
_PIECE_BYTES = 2**18


Table = NDArray[np.float64]
"""Numbers of a log in their own precision: a step is a whole number, however large."""


@attrs.frozen(eq=False)
class RunLog:
    """What a log tells. `steps` has the columns STEP_FIELDS [line, field], `valid` VALID_FIELDS; `changes` what was changed.

    Losses are in nats per target token, `rate` is the learning rate, `norm` that of the gradient before it was clipped,
    `accuracy` the share of right tokens and `exact` that of wholly right rows. `total` is the number of steps that are planned,
    0 where it is unknown. `setup` is what the training was told: its "task" or "data", and its "knobs" and "recipe" as tables.
    """

    steps: Table
    valid: Table
    changes: tuple[tuple[int, Mapping[str, Any]], ...] = ()
    total: int = 0
    setup: Mapping[str, Any] = MappingProxyType({})

    @classmethod
    def empty(cls) -> "RunLog":
        """The log of a training that has not begun."""
        return cls(_table([], STEP_FIELDS), _table([], VALID_FIELDS))

    @property
    def last_step(self) -> int:
        """The last step that is done."""
        return int(self.steps[-1, 0]) if len(self.steps) else 0

    @property
    def task(self) -> str:
        """The task that is trained, "" where it is a file or nobody knows it."""
        return str(self.setup.get("task", ""))

    def column(self, name: str) -> Table:
        """One column of the steps or of the validations."""
        table, fields = (self.valid, VALID_FIELDS) if name in VALID_FIELDS[1:] else (self.steps, STEP_FIELDS)
        return table[:, fields.index(name)]


class LogWriter:
    """Appends to the log of a run. Lines are written a quarter of a second late at most, and all of them by `flush`.

    A training that goes on from a checkpoint drops the lines of later `first_step`s, which it makes again. Raises CannotRead,
    CannotWrite, DiskFull.
    """

    def __init__(self, folder: Path, first_step: int) -> None:
        self._path = folder / FILE
        self._waiting: list[str] = []
        self._flushed = time.monotonic()
        try:
            content = read_whole(self._path, _MOST_BYTES) if self._path.exists() else b""
            kept = [line for line in _lines(content) if line["step"] <= first_step]
            self._path.write_text("".join(f"{json.dumps(line)}\n" for line in kept), encoding="utf-8")
        except OSError as error:
            raise cannot_write(self._path, error) from error

    def add(self, **line: object) -> None:
        """Write a line; it has the `step` that it is about. Raises CannotWrite, DiskFull."""
        self._waiting.append(json.dumps(line))
        if time.monotonic() - self._flushed > _FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Write what waits. Raises CannotWrite, DiskFull."""
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in self._waiting))
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._waiting.clear()
        self._flushed = time.monotonic()


class LogReader:
    """Reads the log of the run in a folder, and later what has come since, in pieces that take no noticeable time."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._at = 0
        self._begin()

    def read(self, most_bytes: int = _PIECE_BYTES) -> bool:
        """Read a piece further; True if something was new. A log that has become shorter is read from its beginning."""
        try:
            with opened(self._path) as file:
                if file.seek(0, SEEK_END) < self._at:
                    self._at = 0
                    self._begin()
                file.seek(self._at)
                piece = file.read(most_bytes)
        except (NotAFile, CannotRead):  # The training has not written it yet.
            return False
        whole = piece[: piece.rfind(b"\n") + 1]  # What follows the last line break is not complete.
        self._at += len(whole)
        for line in _lines(whole):
            self._take(line)
        return bool(whole)

    @property
    def log(self) -> RunLog:
        """What was read so far."""
        return RunLog(
            _table(self._steps, STEP_FIELDS), _table(self._valid, VALID_FIELDS), tuple(self._changes), self._total, self._setup
        )

    def _begin(self) -> None:
        self._steps: list[list[float]] = []
        self._valid: list[list[float]] = []
        self._changes: list[tuple[int, Mapping[str, Any]]] = []
        self._total = 0
        self._setup: Mapping[str, Any] = MappingProxyType({})

    def _take(self, line: Mapping[str, Any]) -> None:
        """Take one line; one that is damaged or of another kind is left out."""
        if _has_numbers(line, STEP_FIELDS):
            self._steps.append([float(line[name]) for name in STEP_FIELDS])
        elif _has_numbers(line, VALID_FIELDS):
            self._valid.append([float(line[name]) for name in VALID_FIELDS])
        if isinstance(line.get("changed"), dict):
            self._changes.append((line["step"], MappingProxyType(line["changed"])))
        if isinstance(line.get("total"), int):
            self._total = line["total"]
        if isinstance(line.get("setup"), dict):
            self._setup = MappingProxyType(line["setup"])


def read_log(folder: Path) -> RunLog:
    """The whole log of the run in a folder. Without a file it is empty."""
    reader = LogReader(folder)
    while reader.read():
        pass
    return reader.log


def _table(rows: list[list[float]], fields: tuple[str, ...]) -> Table:
    made = np.array(rows, np.float64).reshape(-1, len(fields))
    made.flags.writeable = False
    return made


def _has_numbers(line: Mapping[str, Any], fields: tuple[str, ...]) -> bool:
    return all(isinstance(line.get(name), int | float) for name in fields)


def _lines(content: bytes) -> Iterator[dict[str, Any]]:
    """The lines that can be read, each of which has a step."""
    for row in content.splitlines():
        try:
            line = read_json_text(row.decode("utf-8"))
        except ValueError:
            continue
        if isinstance(line, dict) and isinstance(line.get("step"), int):
            yield line
