"""Undo and redo over States, one history for sentence, knobs and cuts, and the last States that were set up. No Qt, no clock.

Decision: the last States are a list beside undo, which goes back step by step and forgets what was undone when something else
is done. Rejected: the steps of undo as a list, in which the State that one wants back is the one that undo has just dropped.
"""

import attrs

from explorer.state.change_intents import STROKE
from explorer.state.look import SAMPLING
from explorer.state.state import State
from explorer.state.wish import Wish

MOST_PAST = 20
_SAME_GESTURE_S = 0.8
_MOST = 500
_LEAST = 2
_MOST_CHARACTERS = 2**22  # of all texts together; a text that is pasted again and again would fill the memory


@attrs.frozen
class Instant:
    """When something happened: `clock_s` of a clock that never jumps, by which gestures are told apart, and `date_s` since
    the epoch.
    """

    clock_s: float
    date_s: float


@attrs.frozen
class Past:
    """A State that was set up, the Wish before it, None for the first one, and when: `at_s` seconds since the epoch."""

    state: State
    before: Wish | None
    at_s: float


@attrs.frozen
class _Entry:
    """A State, whether the step to it also changed the Look or the page, and whether it led to another step of a lesson.

    `sampled` says that the step has set how tokens are drawn, and nothing else of the Look.
    """

    state: State
    moved: bool = False
    led: bool = False
    sampled: bool = False


@attrs.frozen
class History:
    """The States so far, and the place of the present one among them. Each step makes a new History.

    Quick changes of one `gesture`, such as dragging a slider or typing a word, are one step; each change without a gesture
    is a step of its own. A change of Look or page is no step: undo keeps them, unless the undone step changed them
    itself, as a lesson's step does. How tokens are drawn stands in the Look, but is set like a knob: a step of its own.
    The place in the lessons goes with the step that led there.

    `past` has the last States that were set up, newest first and none twice, also those that undo has dropped. They are gone
    when the program ends.
    """

    _entries: tuple[_Entry, ...]
    at: Instant  # of the newest step
    past: tuple[Past, ...]
    _place: int = 0
    _gesture: str = ""

    @classmethod
    def beginning(cls, first: State, at: Instant) -> "History":
        """The History of one State."""
        return cls((_Entry(first),), at, (Past(first, None, at.date_s),))

    @property
    def now(self) -> State:
        """The present State."""
        return self._entries[self._place].state

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._place > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return self._place < len(self._entries) - 1

    def added(self, state: State, gesture: str, at: Instant) -> "History":
        """With a new State, and without the undone ones."""
        entries, here = self._entries[: self._place + 1], self._entries[self._place]
        # A stroke of the pencil has a number of its own, and lasts until the pen is lifted.
        soon = at.clock_s - self.at.clock_s < _SAME_GESTURE_S or gesture.startswith(STROKE)
        same = gesture != "" and gesture == self._gesture and soon and self._place > 0
        sampled = state.wish == here.state.wish
        if same:
            entries = (*entries[:-1], attrs.evolve(here, state=state))
        else:
            moved = (state.look, state.page) != (here.state.look, here.state.page) and not sampled
            led = state.lesson != here.state.lesson
            entries = _kept((*entries, _Entry(state, moved=moved, led=led, sampled=sampled)))
        past = self.past if sampled else _with_past(self.past, state, here.state.wish, at.date_s, same=same)
        return History(entries, at, past, len(entries) - 1, gesture)

    def with_look(self, state: State) -> "History":
        """With another Look or page in the present State, which is no step."""
        entries = list(self._entries)
        entries[self._place] = attrs.evolve(entries[self._place], state=state)
        return attrs.evolve(self, entries=tuple(entries))

    def undone(self) -> "History":
        """One step back, if there is one."""
        return self._at(max(0, self._place - 1), self._entries[self._place])

    def redone(self) -> "History":
        """One step forward, if there is one."""
        place = min(len(self._entries) - 1, self._place + 1)
        return self._at(place, self._entries[place])

    def taken_back(self) -> "History":
        """One step back from a step that was refused; it cannot be redone. The lesson stays open at the step that asked.

        Steps of sampling since then go with it, as they changed nothing that could be refused.
        """
        refused, back = self.now, self.undone()
        while back.can_undo and back.now.wish == refused.wish:
            back = back.undone()
        return back.with_look(attrs.evolve(back.now, lesson=refused.lesson))._forgetting(refused.wish)

    def left(self, preset: str) -> tuple["History", State]:
        """Without the last steps with this preset, because its model cannot be shown; and the first of their States."""
        back, first = self, self.now
        while back.can_undo and back.now.wish.preset == preset:
            first, back = back.now, back.undone()._forgetting(back.now.wish)
        return back._forgetting(), first

    def _forgetting(self, wish: Wish | None = None) -> "History":
        """Without what can be redone, and without the past State with this Wish."""
        past = tuple(each for each in self.past if each.state.wish != wish)
        return attrs.evolve(self, entries=self._entries[: self._place + 1], past=past)

    def _at(self, place: int, step: _Entry) -> "History":
        """At a place over one step, which takes along what it changed itself."""
        here, there = self.now, self._entries[place].state
        if not step.moved:
            drawn = {name: getattr(there.look, name) for name in SAMPLING} if step.sampled else {}
            there = attrs.evolve(there, look=attrs.evolve(here.look, **drawn), page=here.page)
        if not step.led:
            there = attrs.evolve(there, lesson=here.lesson)
        return attrs.evolve(self, place=place, gesture="").with_look(there)


def _kept(entries: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    """The newest entries: at most `_MOST`, with at most `_MOST_CHARACTERS` of text together, but `_LEAST` in any case."""
    n, room, last = 0, _MOST_CHARACTERS, ""
    for entry in reversed(entries):
        wish = entry.state.wish
        if wish.text is not last:  # Other steps share the text.
            last, room = wish.text, room - len(wish.text) - len(wish.target or "")
        if room < 0 and n >= _LEAST:
            break
        n += 1
    return entries[-min(n, _MOST) :]


def _with_past(past: tuple[Past, ...], state: State, before: Wish, at_s: float, *, same: bool) -> tuple[Past, ...]:
    """With a State that came of `before`; one of the `same` gesture takes the place of what the gesture had made."""
    origin: Wish | None = before
    if same and past and past[0].state.wish == before:
        origin, past = past[0].before, past[1:]
    others = tuple(each for each in past if each.state.wish != state.wish)
    return (Past(state, origin, at_s), *others)[:MOST_PAST]
