"""Undo and redo over States: sentence, knobs and cuts in one line of time. No Qt."""

import time
from collections.abc import Callable

import attrs

from explorer.state.state import State

_SAME_GESTURE_S = 0.8
_MOST = 500


@attrs.frozen
class _Entry:
    """A State, and whether the step that led to it moved what is looked at."""

    state: State
    moved: bool = False


class History:
    """The States that were, and where one stands among them.

    Changes of one `gesture` in quick succession are one step: a drag of a slider, a word typed. Changes without one are
    each their own step. What is looked at, and the page, are no steps: undo leaves them as they are, unless the step that
    is undone moved them, as those of lessons do.
    """

    def __init__(self, first: State, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries = [_Entry(first)]
        self._place = 0
        self._gesture = ""
        self._last_s = 0.0
        self._clock = clock

    @property
    def now(self) -> State:
        return self._entries[self._place].state

    @property
    def can_undo(self) -> bool:
        return self._place > 0

    @property
    def can_redo(self) -> bool:
        return self._place < len(self._entries) - 1

    def add(self, state: State, gesture: str) -> None:
        """Go on to a new State; what was undone is forgotten."""
        del self._entries[self._place + 1 :]
        now_s = self._clock()
        same = gesture != "" and gesture == self._gesture and now_s - self._last_s < _SAME_GESTURE_S and self._place > 0
        before = self._entries[self._place]
        if same:
            self._entries[self._place] = attrs.evolve(before, state=state)
        else:
            moved = (state.look, state.page) != (before.state.look, before.state.page)
            self._entries.append(_Entry(state, moved))
            del self._entries[:-_MOST]
            self._place = len(self._entries) - 1
        self._gesture, self._last_s = gesture, now_s

    def look(self, state: State) -> None:
        """Something else is looked at, which is no step."""
        self._entries[self._place] = attrs.evolve(self._entries[self._place], state=state)

    def undo(self) -> State:
        """One step back, if there is one."""
        return self._go(max(0, self._place - 1), self._entries[self._place].moved)

    def redo(self) -> State:
        """One step forward, if there is one."""
        place = min(len(self._entries) - 1, self._place + 1)
        return self._go(place, self._entries[place].moved)

    def _go(self, place: int, moved: bool) -> State:
        here = self.now
        self._place, self._gesture = place, ""
        if not moved:
            self.look(attrs.evolve(self.now, look=here.look, page=here.page))
        return self.now
