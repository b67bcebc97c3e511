"""Intents about changes, without a window: what each makes of the list, and how undo groups them."""

import attrs

from explorer.app.session.history import History, Instant
from explorer.state.change_intents import (
    AddChanges,
    MoveChanges,
    RemoveAllChanges,
    RemoveChanges,
    ReplaceChange,
    SwitchAllOff,
    SwitchChanges,
    newly_on,
)
from explorer.state.state import State
from explorer.trace.changes import Change

A, B, C = (Change("encoder.layers.0.self_attn.mixed", "scale", head=head, value=0.0) for head in range(3))


def off(change: Change) -> Change:
    return attrs.evolve(change, on=False)


def with_changes(*changes: Change) -> State:
    state = State.from_preset("tiny")
    return attrs.evolve(state, wish=attrs.evolve(state.wish, changes=changes))


def test_the_list_is_altered_and_nothing_else() -> None:
    """Added at the end, taken out, moved by one, switched in its place, all off in their places, all gone."""
    state = with_changes(A, B)

    for intent, expected in (
        (AddChanges((C,)), (A, B, C)),
        (RemoveChanges((0,)), (B,)),
        (RemoveChanges((0, 1)), ()),
        (MoveChanges((0,), 1), (B, A)),
        (MoveChanges((1,), 0), (B, A)),
        (MoveChanges((1,), 9), (A, B)),
        (SwitchChanges((1,), False), (A, off(B))),
        (SwitchAllOff(), (off(A), off(B))),
        (ReplaceChange(A, C), (C, B)),
        (ReplaceChange(C, C), (A, B, C)),
        (ReplaceChange(None, C), (A, B, C)),
        (ReplaceChange(B, None), (A,)),
        (ReplaceChange(C, None), (A, B)),
        (RemoveAllChanges(), ()),
    ):
        assert intent.applied(state, None) == with_changes(*expected)


def test_a_change_is_not_listed_twice() -> None:
    """One that is there stays, one that is off is switched on in its place, and the State is the same if nothing is new."""
    state = with_changes(off(A), B)

    assert AddChanges((B, A)).applied(state, None) == with_changes(A, B)
    assert AddChanges((B,)).applied(state, None) == state


def test_a_place_that_is_not_there_changes_nothing() -> None:
    """A click may come after the list has become shorter."""
    state = with_changes(A)

    for intent in (RemoveChanges((3,)), RemoveChanges((-1,)), SwitchChanges((3,), True), MoveChanges((3,), 0)):
        assert intent.applied(state, None) == state


def test_what_is_newly_made_is_known() -> None:
    """Added or switched on; not what was made before, and not what is off."""
    assert newly_on(with_changes(A, off(B)), with_changes(A, B, C, off(C))) == (B, C)


def test_each_is_one_step_and_a_stroke_is_one_as_well() -> None:
    """However many cells the pen went over; the next stroke is the next step."""
    at = Instant(0.0, 0.0)
    history = History.beginning(with_changes(), at)
    for intent in (AddChanges((A,)), AddChanges((B,), stroke=1), AddChanges((C,), stroke=1), SwitchAllOff()):
        history = history.added(intent.applied(history.now, None), intent.gesture, at)

    undone = [history := history.undone() for _ in range(3)]
    assert [each.now.wish.changes for each in undone] == [(A, B, C), (A,), ()]
    assert not history.can_undo
