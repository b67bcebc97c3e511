"""When two Traces are the same, and how a Trace travels to another process.

Pickling is for a user's own processes; the program itself neither writes nor reads pickles.
"""

import copyreg
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np

from explorer.trace.recorded_pass import RecordedPass

# The fields that a file of the Trace holds. The others come from extra passes, or are made on demand.
_SAVED = (
    "tokens",
    "config",
    "card",
    "source",
    "target",
    "preset",
    "symbols",
    "search",
    "changes",
    "recorded_by",
    "prompt",
    "taps",
)


def _frozen_again(fields: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(fields)


def _of_proxy(fixed: MappingProxyType[Any, Any]) -> tuple[Any, tuple[dict[Any, Any]]]:
    return _frozen_again, (dict(fixed),)


# Decision: one line teaches Python to pickle and copy a read-only mapping, which it refuses otherwise. Rejected: a method in
# each of the classes that hold one, the next of which would be forgotten.
copyreg.pickle(MappingProxyType, _of_proxy)


def same(one: RecordedPass, other: RecordedPass) -> bool:
    """Whether two Traces hold the same numbers to the last bit, of the same texts and model. NaN equals NaN here.

    Experiments and the Trace to compare with do not count: they are not saved either.
    """
    if one is other:
        return True
    if any(getattr(one, name) != getattr(other, name) for name in _SAVED):
        return False
    if dict(one.axis_names) != dict(other.axis_names) or set(one.arrays) != set(other.arrays):
        return False
    tables = (one.places, other.places), (one.decoder_places, other.decoder_places)
    arrays = ((one.arrays[name], other.arrays[name]) for name in one.arrays)
    return all(_alike(mine, theirs) for mine, theirs in (*tables, *arrays))


def _alike(mine: Any, theirs: Any) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return bool(np.array_equal(mine, theirs, equal_nan=True))


def fields_of(trace: RecordedPass) -> dict[str, Any]:
    """What a Trace was made of, by field, with its arrays in a plain dict."""
    made = {field.name: getattr(trace, field.name) for field in attrs.fields(type(trace)) if field.init}
    return made | {"arrays": dict(trace.arrays)}


def made_again(kind: "type[RecordedPass]", fields: dict[str, Any]) -> RecordedPass:
    """The Trace of these fields. Its arrays are read-only again, which pickling forgets."""
    _lock(fields)
    return kind(**fields)


def _lock(value: Any) -> None:
    """Make all arrays within a value read-only."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, Mapping):
        for each in value.values():
            _lock(each)
    elif isinstance(value, tuple | list):
        if value and isinstance(value[0], str | int | float):
            return  # The words of a vocabulary hold no arrays.
        for each in value:
            _lock(each)
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            _lock(getattr(value, field.name, None))
