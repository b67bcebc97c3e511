"""Intents about the changes of a Wish. Each is one step of undo; a pencil's stroke is one step while it is down."""

from abc import abstractmethod
from collections.abc import Sequence

import attrs

from explorer.knobs import Value
from explorer.state.intents import Intent, OnScreen
from explorer.state.state import State
from explorer.trace.changes import Change

STROKE = "stroke "  # A gesture that begins so is one step, however long it lasts.


@attrs.frozen
class AddChanges(Intent):
    """Add changes at the end of the list. One that is there already is switched on in its place.

    `stroke` is the number of a pencil's stroke, 0 for none; changes of one stroke are one step of undo.
    """

    changes: tuple[Change, ...]
    stroke: int = 0

    @property
    def gesture(self) -> str:
        """The gesture of this stroke."""
        return f"{STROKE}{self.stroke}" if self.stroke else ""

    def applied(self, state: State, shown: OnScreen | None) -> State:
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
class ReplaceChange(Intent):
    """Put a change in the place of another: at the end where there is no other, and none where there is no new one.

    Quick replacements at one tap, such as by a slider, are one step of undo.
    """

    old: Change | None
    new: Change | None

    @property
    def gesture(self) -> str:
        """The gesture of turning a change at one tap."""
        change = self.new or self.old
        return "" if change is None else f"replace {change.tap}"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with the new change."""
        rows: list[Change] = []
        there = self.old in state.wish.changes
        for change in state.wish.changes:
            if change != self.old:
                rows.append(change)
            elif self.new is not None:
                rows.append(self.new)
        return _with(state, rows if there or self.new is None else [*rows, self.new])


@attrs.frozen
class _OfSome(Intent):
    """The base of intents about the changes at some places of the list, which stand together. A missing place is ignored."""

    indices: tuple[int, ...]

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with another list of changes."""
        rows = list(state.wish.changes)
        there = [index for index in self.indices if 0 <= index < len(rows)]
        return _with(state, self.altered(rows, there)) if there else state

    @abstractmethod
    def altered(self, rows: list[Change], places: list[int]) -> list[Change]:
        """The list in place of `rows`, in which there are changes at all these places."""


@attrs.frozen
class RemoveChanges(_OfSome):
    """Take changes out of the list."""

    def altered(self, rows: list[Change], places: list[int]) -> list[Change]:
        """The list without them."""
        return [change for index, change in enumerate(rows) if index not in places]


@attrs.frozen
class SwitchChanges(_OfSome):
    """Switch changes on or off; they stay in the list."""

    on: bool

    def altered(self, rows: list[Change], places: list[int]) -> list[Change]:
        """The list with them on or off."""
        return [attrs.evolve(change, on=self.on) if index in places else change for index, change in enumerate(rows)]


@attrs.frozen
class MoveChanges(_OfSome):
    """Move changes so that they begin at the place `to` of the list without them.

    Changes of one tap are made in the order of the list.
    """

    to: int

    def altered(self, rows: list[Change], places: list[int]) -> list[Change]:
        """The list with them elsewhere."""
        rest = [change for index, change in enumerate(rows) if index not in places]
        to = min(max(self.to, 0), len(rest))
        return [*rest[:to], *(rows[index] for index in places), *rest[to:]]


@attrs.frozen
class SwitchAllOff(Intent):
    """Switch all changes off; they stay in the list."""

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State whose pass is the model's own."""
        return _with(state, [attrs.evolve(change, on=False) for change in state.wish.changes])


@attrs.frozen
class RemoveAllChanges(Intent):
    """Empty the list of changes."""

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State without changes."""
        return _with(state, [])


def _with(state: State, rows: Sequence[Change]) -> State:
    return attrs.evolve(state, wish=attrs.evolve(state.wish, changes=tuple(rows)))


def newly_on(before: State, after: State) -> tuple[Change, ...]:
    """The changes that are made in the second State and were not in the first."""
    return tuple(change for change in after.wish.active if change not in before.wish.active)


@attrs.frozen
class TakeSentence(Intent):
    """Put a sentence that a search has found into the box, with the knobs that the search had turned.

    The translation is the model's own. It is one step of undo.
    """

    text: str
    turned: tuple[tuple[str, Value], ...] = ()

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this text. Cuts, prefix and a typed target are dropped, as they belong to the old sentence."""
        config = state.wish.config.nearest_valid(**dict(self.turned))
        wish = attrs.evolve(
            state.wish, config=config, text=self.text, target=None, source_cuts=None, target_cuts=None, prefix=()
        )
        return attrs.evolve(state, wish=wish)
