"""What was made of the Traces on screen: a picture of another Look takes over the parts in which nothing has changed."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import ref

from explorer.trace.trace import Trace

_Part = TypeVar("_Part")
_MOST = 3  # Traces whose parts are kept: the one on screen, one beside it, and the next one, which another thread makes
# By the identity of a Trace: to look for an equal one would compare all numbers, and may find one with another search.
_made: "dict[int, tuple[ref[Trace], dict[str, tuple[Hashable, Any]]]]" = {}


def of_trace(trace: Trace, name: str, key: Hashable, make: Callable[[], _Part]) -> _Part:
    """A part of the pictures of a Trace, the same object as last time if the key, which says of what it is made, is equal."""
    parts = _parts(trace)
    found = parts.get(name)
    if found is None or found[0] != key:
        found = parts[name] = key, make()
    made: _Part = found[1]
    return made


def _parts(trace: Trace) -> dict[str, tuple[Hashable, Any]]:
    """What is kept of a Trace for as long as it lives."""
    place = id(trace)
    known = _made.get(place)
    if known is None or known[0]() is not trace:
        if len(_made) >= _MOST:
            _made.clear()
        known = _made[place] = ref(trace, lambda _gone: _made.pop(place, None)), {}
    return known[1]
