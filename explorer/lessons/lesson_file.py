"""Limits on a lesson's file, checked before it is read further: size, depth of tables, size of numbers, length of texts.

Each mistake is reported with its line and quotes at most 80 characters of the file.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import BadLesson, CannotRead, ExplorerError, OverLimit
from explorer.files import opened
from explorer.lessons.cost import quoted
from explorer.toml_text import deep_line, too_deep

SUFFIX = ".lesson.toml"
"""The ending by which a desktop recognizes a lesson. Any other `.toml` file may be one as well."""
MOST_BYTES = 2**18  # bytes; the program's own lessons have 1,000 to 3,000
_DEEPEST_VALUE = 8
_LONG_NUMBER = 1000  # digits
_LONGEST_TEXT = 2_000  # characters
_LARGEST_WHOLE = 2**63  # TOML's own limit, which Python's reader does not check
_QUOTED = ("name", "got", "formula", "reason")


class WrongError(Exception):
    """A mistake at `key`; `reason` is a few words or another error."""

    def __init__(self, key: str, reason: object) -> None:
        super().__init__(key)
        self.key, self.reason = key, reason


def is_lesson(path: Path) -> bool:
    """Whether a file is a lesson, by its ending or as TOML with steps."""
    if path.name.endswith(SUFFIX) or path.suffix != ".toml":
        return path.name.endswith(SUFFIX)
    try:
        with opened(path) as file:
            return any(line.strip() == b"[[step]]" for line in file.read(MOST_BYTES).splitlines())
    except CannotRead:
        return False


def lesson_key(path: Path) -> str:
    """A lesson's key: the name of its file without the ending."""
    return path.name.removesuffix(SUFFIX).removesuffix(".toml")


@attrs.frozen
class LessonFile:
    """The text of a lesson's file, and its path, which errors name."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> "LessonFile":
        """Read a file. Raises CannotRead, NotAFile, and BadLesson for a file that is too large or no UTF-8."""
        try:
            with opened(path) as file:
                content = file.read(MOST_BYTES + 1)
            if len(content) > MOST_BYTES:
                raise OverLimit(name="TOML", limit=f"{MOST_BYTES:,}", got=f"{max(len(content), path.stat().st_size):,}")
            return cls(path, content.decode("utf-8").replace("\r\n", "\n"))
        except UnicodeDecodeError as error:
            raise BadLesson(path=str(path), line=1, reason="UTF-8") from error
        except OverLimit as error:
            raise BadLesson(path=str(path), line=1, reason=error) from error

    def table(self) -> dict[str, Any]:
        """The file as a table. Raises BadLesson."""
        line = deep_line(self.text)
        if line:
            raise self.bad(line, too_deep())
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"line (\d+)", str(error))
            raise self.bad(int(found[1]) if found else self.text.count("\n") + 1, str(error)) from error
        except ValueError as error:  # The file holds a number with more digits than Python reads.
            raise self.bad(_long_number_line(self.text), str(error)) from error
        except RecursionError as error:
            raise self.bad(1, too_deep()) from error

    def bad(self, line: int, reason: object) -> BadLesson:
        """The error for a mistake in this line."""
        return BadLesson(path=str(self.path), line=line, reason=_shortened(reason))

    def line(self, key: str, step: int) -> int:
        """The line (from 1) of a key in a step, else of the step, else the first line."""
        lines = self.text.split("\n")
        steps = [number for number, line in enumerate(lines) if line.strip() == "[[step]]"]
        start = steps[step] if 0 <= step < len(steps) else 0
        end = steps[step + 1] if step + 1 < len(steps) else len(lines)
        for number in range(start, end):
            if key and re.search(rf"(^|[\s{{,.\[\"']){re.escape(key)}($|[\s=\]\"'}},])", lines[number]):
                return number + 1
        return start + 1


def _long_number_line(text: str) -> int:
    found = next((run for run in re.finditer(r"\d[\d_]*+", text) if run.end() - run.start() >= _LONG_NUMBER), None)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def check_values(table: Mapping[str, Any]) -> None:
    """Check the size and depth of all values, without recursion, as they may be nested deeply. Raises WrongError."""
    waiting: list[tuple[str, Any, int]] = [(key, value, 1) for key, value in table.items()]
    while waiting:
        key, value, depth = waiting.pop()
        if depth > _DEEPEST_VALUE:
            raise WrongError(key, OverLimit(name=quoted(key), limit=_DEEPEST_VALUE, got=f"> {_DEEPEST_VALUE}"))
        if isinstance(value, str) and len(value) > _LONGEST_TEXT:
            raise WrongError(key, OverLimit(name=quoted(key), limit=f"{_LONGEST_TEXT:,}", got=f"{len(value):,}"))
        if isinstance(value, int) and abs(value) >= _LARGEST_WHOLE:
            raise WrongError(key, OverLimit(name=quoted(key), limit="2^63 − 1", got=f"2^{value.bit_length() - 1}"))
        if isinstance(value, dict):
            waiting += [(name, each, depth + 1) for name, each in value.items()]
        elif isinstance(value, list):
            waiting += [(key, each, depth + 1) for each in value]


def at_most(name: str, limit: int, found: Iterable[object]) -> None:
    """Check that there are at most `limit` things. Raises WrongError."""
    got = sum(1 for _ in found)
    if got > limit:
        raise WrongError(name, OverLimit(name=quoted(name), limit=limit, got=got))


def _shortened(reason: object) -> object:
    """A reason whose quotes from the file are shortened to what an error has room for."""
    if not isinstance(reason, ExplorerError):
        return quoted(reason)
    values = {
        name: quoted(value) if name in _QUOTED and isinstance(value, (str, list, dict)) else value
        for name, value in reason.values.items()
    }
    return type(reason)(**values)
