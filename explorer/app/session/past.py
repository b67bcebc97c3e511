"""The last States that somebody has set up, newest first, to go back to and to compare with. This file uses no Qt.

Decision: a list beside undo, which goes back step by step and forgets what was undone when something else is done. Rejected:
the steps of undo as a list, in which the State that one wants back is the one that undo has just dropped.
"""

import attrs

from explorer.state.state import State
from explorer.state.wish import Wish

MOST = 20


@attrs.frozen
class Past:
    """A State that was set up, the Wish before it, None for the first one, and when: `at_s` seconds since the epoch."""

    state: State
    before: Wish | None
    at_s: float


class PastStates:
    """At most `MOST` of them, none twice. They are gone when the program ends."""

    def __init__(self, first: State, at_s: float) -> None:
        self._entries = [Past(first, None, at_s)]

    @property
    def entries(self) -> tuple[Past, ...]:
        """The newest one first."""
        return tuple(self._entries)

    def add(self, state: State, before: State, at_s: float, *, same: bool) -> None:
        """Add a State that came of `before`; one of the `same` gesture takes the place of what the gesture had made."""
        origin: Wish | None = before.wish
        if same and self._entries and self._entries[0].state.wish == before.wish:
            origin = self._entries.pop(0).before
        self.drop(state.wish)
        self._entries.insert(0, Past(state, origin, at_s))
        del self._entries[MOST:]

    def drop(self, wish: Wish) -> None:
        """Forget the State with this Wish, because it was refused or because it is set up anew."""
        self._entries = [entry for entry in self._entries if entry.state.wish != wish]
