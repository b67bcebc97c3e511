"""What experiments have found about the last sentence, so that a further look at the same pass computes only what is new."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from explorer.state.wish import Wish
from explorer.trace.recorded_pass import Tokens

T = TypeVar("T")
Place = tuple[object, ...]


class KeptFindings:
    """The findings of one Wish, its tokens and one version of the model, by key and place. Another one empties it.

    A second answer adds the cells of a head to effects that took 0.2 s, and the exact rows of
    a large model come one by one.
    """

    def __init__(self) -> None:
        self._of: tuple[Wish, Tokens, Hashable] | None = None
        self._found: dict[tuple[str, Place], object] = {}
        self._last: dict[str, tuple[Hashable, Any]] = {}

    def turn_to(self, wish: Wish, tokens: Tokens, version: Hashable) -> None:
        """Keep from now on what is found about this Wish with these tokens by this `model_version`."""
        if self._of != (wish, tokens, version):
            self._of, self._found = (wish, tokens, version), {}

    def found(self, key: str, place: Place = ()) -> object:
        """What an experiment found at a place; None if it has found nothing yet."""
        return self._found.get((key, place))

    def keep(self, key: str, place: Place, found: object) -> None:
        """Keep what an experiment found at a place."""
        self._found[key, place] = found

    def last(self, key: str, depends: Hashable, make: Callable[[], T]) -> T:
        """What an experiment made last, if that depends on the same, whatever the pass; else what it makes now."""
        if key not in self._last or self._last[key][0] != depends:
            self._last[key] = depends, make()
        made: T = self._last[key][1]
        return made
