"""The base of all errors, and the two families with members in many subjects.

ExplorerError
├── NotFound
└── BadFile
"""

from collections.abc import Callable
from typing import ClassVar


class ExplorerError(Exception):
    """The base of all users' errors. `values` fill the sentence that stands under `key` in the language files."""

    key: ClassVar[str] = "error.unknown"
    told_by: ClassVar["Callable[[ExplorerError], str] | None"] = None  # `lang` sets it, as errors know no texts
    change: object = None  # the Change that could not be made, where the error is about one

    def __init__(self, **values: object) -> None:
        super().__init__(self.key, values)
        self.values = values

    def __str__(self) -> str:
        """The sentence; the key and the values' names as long as `lang` is not imported."""
        tell = ExplorerError.told_by
        return tell(self) if tell is not None else f"{self.key}({', '.join(self.values)})"

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence alone, because the fault is not in the program."""
        return [f"{type(self).__name__}: {self}"]

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.values)


def bare(error: ExplorerError) -> ExplorerError:
    """The same error without the calls through which it came.

    An error that is kept as a value, in a Trace or on its way to the other thread, would keep every tensor of those calls
    alive; raised again from there, it would form a reference cycle with its Trace.
    """
    made = type(error)(**error.values)
    made.change = error.change
    return made


def _again(kind: type[ExplorerError], values: dict[str, object]) -> ExplorerError:
    return kind(**values)


class NotFound(ExplorerError):
    """Something of this name or number does not exist."""


class BadFile(ExplorerError):
    """A file that cannot be used for its purpose."""
