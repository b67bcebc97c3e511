"""What was drawn for the picture before and is the same in the next one.

A Look changes one block of a River, and the maker gives the others as the very same objects. Parts of a scene that were drawn
from those, at the same places, are taken over as they are, and a view that painted them finds their images again.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_Part = TypeVar("_Part")


class Same:
    """An object, such as an array, as part of a key: equal to itself alone."""

    __slots__ = ("what",)

    def __init__(self, what: object) -> None:
        self.what = what

    def __hash__(self) -> int:
        return id(self.what)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.what is self.what


class KeptMarks:
    """The parts of one picture. What the next one does not ask for is let go with the turn after it."""

    def __init__(self) -> None:
        self._before: dict[Hashable, Any] = {}
        self._now: dict[Hashable, Any] = {}

    def copy(self) -> "KeptMarks":
        """The same parts for another thread, which goes on with them by itself."""
        made = KeptMarks()
        made._before, made._now = dict(self._before), dict(self._now)
        return made

    def turn(self) -> None:
        """A new picture begins."""
        self._before, self._now = self._now, {}

    def of(self, key: Hashable, make: Callable[[], _Part]) -> _Part:
        """What was drawn under a key, which names all that it depends on, or what is made now."""
        found = self._now.get(key, self)
        if found is self:
            found = self._before.get(key, self)
            if found is self:
                found = make()
            self._now[key] = found
        made: _Part = found
        return made
