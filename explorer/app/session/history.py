"""Undo and redo over States: one history for sentence, knobs and cuts. This file uses no Qt."""

import time
from collections.abc import Callable

import attrs

from explorer.app.session.past import Past, PastStates
from explorer.state.change_intents import STROKE
from explorer.state.look import SAMPLING
from explorer.state.state import State

_SAME_GESTURE_S = 0.8
_MOST = 500
_LEAST = 2
_MOST_CHARACTERS = 2**22  # of all texts together; a text that is pasted again and again would fill the memory


@attrs.frozen
class _Entry:
    """A State, whether the step to it also changed the Look or the page, and whether it led to another step of a lesson.

    `sampled` says that the step has set how tokens are drawn, and nothing else of the Look.
    """

    state: State
    moved: bool = False
    led: bool = False
    sampled: bool = False


class History:
    """The States so far, and the place of the present one among them.

    Quick changes of one `gesture`, such as dragging a slider or typing a word, are one step; each change without a gesture
    is a step of its own. A change of Look or page is no step: undo keeps them, unless the undone step changed them
    itself, as a lesson's step does. How tokens are drawn stands in the Look, but is set like a knob: a step of its own.
    The place in the lessons goes with the step that led there.
    """

    def __init__(
        self, first: State, clock: Callable[[], float] = time.monotonic, calendar: Callable[[], float] = time.time
    ) -> None:
        self._entries = [_Entry(first)]
        self._place = 0
        self._gesture = ""
        self._last_s = 0.0
        self._clock, self._calendar = clock, calendar
        self._past = PastStates(first, calendar())

    @property
    def now(self) -> State:
        return self._entries[self._place].state

    @property
    def can_undo(self) -> bool:
        return self._place > 0

    @property
    def can_redo(self) -> bool:
        return self._place < len(self._entries) - 1

    @property
    def past(self) -> tuple[Past, ...]:
        """The last States that were set up, newest first, also those that undo has dropped."""
        return self._past.entries

    def add(self, state: State, gesture: str) -> None:
        """Add a new State and forget undone ones."""
        del self._entries[self._place + 1 :]
        now_s = self._clock()
        # A stroke of the pencil has a number of its own, and lasts until the pen is lifted.
        soon = now_s - self._last_s < _SAME_GESTURE_S or gesture.startswith(STROKE)
        same = gesture != "" and gesture == self._gesture and soon and self._place > 0
        before = self._entries[self._place]
        sampled = state.wish == before.state.wish
        if not sampled:
            self._past.add(state, before.state, self._calendar(), same=same)
        if same:
            self._entries[self._place] = attrs.evolve(before, state=state)
        else:
            moved = not sampled and (state.look, state.page) != (before.state.look, before.state.page)
            self._entries.append(_Entry(state, moved, state.lesson != before.state.lesson, sampled))
            del self._entries[: -min(_MOST, self._n_affordable())]
            self._place = len(self._entries) - 1
        self._gesture, self._last_s = gesture, now_s

    def _n_affordable(self) -> int:
        """How many of the newest entries there is room for; the present one and the one before it always stay."""
        n, room, last = 0, _MOST_CHARACTERS, ""
        for entry in reversed(self._entries):
            wish = entry.state.wish
            if wish.text is not last:  # Other steps share the text.
                last, room = wish.text, room - len(wish.text) - len(wish.target or "")
            if room < 0 and n >= _LEAST:
                break
            n += 1
        return n

    def look(self, state: State) -> None:
        """Replace the present State by one with another Look or page, which is no step."""
        self._entries[self._place] = attrs.evolve(self._entries[self._place], state=state)

    def take_back(self) -> State:
        """Go one step back from a step that was refused; it cannot be redone. The lesson stays open at the step that asked."""
        refused = self.now
        self._past.drop(refused.wish)
        self.look(attrs.evolve(self.undo(), lesson=refused.lesson))
        del self._entries[self._place + 1 :]
        return self.now

    def leave(self, preset: str) -> State:
        """Take back every last step with this preset, because its model cannot be shown; returns the first of their States."""
        first = self.now
        while self.can_undo and self.now.wish.preset == preset:
            first = self.now
            self._past.drop(first.wish)
            self.undo()
        del self._entries[self._place + 1 :]
        return first

    def undo(self) -> State:
        """Go one step back, if there is one."""
        return self._go(max(0, self._place - 1), self._entries[self._place])

    def redo(self) -> State:
        """Go one step forward, if there is one."""
        place = min(len(self._entries) - 1, self._place + 1)
        return self._go(place, self._entries[place])

    def _go(self, place: int, step: _Entry) -> State:
        """Go to a place over one step, which takes along what it changed itself."""
        here = self.now
        self._place, self._gesture = place, ""
        if not step.moved:
            drawn = {name: getattr(self.now.look, name) for name in SAMPLING} if step.sampled else {}
            self.look(attrs.evolve(self.now, look=attrs.evolve(here.look, **drawn), page=here.page))
        if not step.led:
            self.look(attrs.evolve(self.now, lesson=here.lesson))
        return self.now
