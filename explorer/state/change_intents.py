"""Intents about the changes of a Wish. Each is one step of undo; the strokes of a pencil are one step as long as it is down."""

from collections.abc import Sequence

import attrs

from explorer.state.intents import Intent, Shown
from explorer.state.state import State
from explorer.trace.changes import Change


@attrs.frozen
class AddChanges(Intent):
    """Add changes at the end of the list. One that is there already is switched on in its place.

    `stroke` is the number of a pencil's stroke; changes of one stroke are one step of undo. 0: no stroke.
    """

    changes: tuple[Change, ...]
    stroke: int = 0

    @property
    def gesture(self) -> str:
        """The gesture of this stroke."""
        return f"stroke {self.stroke}" if self.stroke else ""

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State with these changes; the same State where all of them are made already."""
        rows = list(state.wish.changes)
        for change in self.changes:
            off = attrs.evolve(change, on=False)
            if off in rows:
                rows[rows.index(off)] = change
            elif change not in rows:
                rows.append(change)
        return _with(state, rows)


@attrs.frozen
class _OfOne(Intent):
    """The base of intents about the change at one place of the list. A place that is not there changes nothing."""

    index: int

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State with another list of changes."""
        rows = list(state.wish.changes)
        if 0 <= self.index < len(rows):
            self.act(rows)
        return _with(state, rows)

    def act(self, rows: list[Change]) -> None:
        """Alter the list."""


@attrs.frozen
class RemoveChange(_OfOne):
    """Take a change out of the list."""

    def act(self, rows: list[Change]) -> None:
        """Alter the list."""
        del rows[self.index]


@attrs.frozen
class SwitchChange(_OfOne):
    """Switch a change on or off; it stays in the list."""

    on: bool

    def act(self, rows: list[Change]) -> None:
        """Alter the list."""
        rows[self.index] = attrs.evolve(rows[self.index], on=self.on)


@attrs.frozen
class MoveChange(_OfOne):
    """Move a change up (-1) or down (1) in the list, by whose order changes of one tap are made."""

    by: int

    def act(self, rows: list[Change]) -> None:
        """Alter the list."""
        rows.insert(min(max(self.index + self.by, 0), len(rows)), rows.pop(self.index))


@attrs.frozen
class SwitchAllOff(Intent):
    """Switch all changes off; they stay in the list."""

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State whose pass is the model's own."""
        return _with(state, [attrs.evolve(change, on=False) for change in state.wish.changes])


@attrs.frozen
class RemoveAllChanges(Intent):
    """Empty the list of changes."""

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State without changes."""
        return _with(state, [])


def _with(state: State, rows: Sequence[Change]) -> State:
    return attrs.evolve(state, wish=attrs.evolve(state.wish, changes=tuple(rows)))


def newly_on(before: State, after: State) -> tuple[Change, ...]:
    """The changes that are made in the second State and were not in the first."""
    return tuple(change for change in after.wish.active if change not in before.wish.active)
