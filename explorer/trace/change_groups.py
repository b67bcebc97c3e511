"""Changes that belong together: one row of a list, with one switch.

A word hidden from all layers is a change for each layer, one head left alone is a change for each of the others, and a stroke
of the pencil closes many cells. A reader means one thing by each of them.

Decision: what belongs together follows from the changes themselves, so files and library callers need say nothing about it.
Rejected: a field of Change that names its group, which somebody would have to keep right.
"""

from collections.abc import Sequence
from typing import Literal

import attrs

from explorer.trace.changes import Change
from explorer.trace.tap_names import place_of, with_layer

Kin = Literal["", "layers", "heads", "cells"]


@attrs.frozen
class ChangeGroup:
    """Consecutive changes that differ in one respect, `kin`: their layers, their heads or their cells; "" for a single one.

    `first` is the index of the first one in the whole list.
    """

    first: int
    changes: tuple[Change, ...]
    kin: Kin = ""

    @property
    def indices(self) -> tuple[int, ...]:
        """The indices of the changes in the whole list."""
        return tuple(range(self.first, self.first + len(self.changes)))

    @property
    def on(self) -> bool:
        """Whether they are switched on; all of them are or none."""
        return self.changes[0].on


def change_groups(changes: Sequence[Change], n_heads: int) -> tuple[ChangeGroup, ...]:
    """The changes in groups, in their order. `n_heads` is the number of heads of the model's attentions."""
    made: list[ChangeGroup] = []
    first = 0
    while first < len(changes):
        group = max((_run(changes, first, kin, n_heads) for kin in ("layers", "heads", "cells")), key=lambda g: len(g.changes))
        made.append(group)
        first += len(group.changes)
    return tuple(made)


def _run(changes: Sequence[Change], first: int, kin: Kin, n_heads: int) -> ChangeGroup:
    """The longest group of a kind that begins here; a single change if there is none."""
    last = first + 1
    while last < len(changes) and _alike(changes[last], changes[last - 1], kin):
        last += 1
    run = tuple(changes[first:last])
    if kin == "heads":
        run = run[: n_heads - 1]
        whole = len(run) > 1 and len({change.head for change in run}) == n_heads - 1
    else:
        whole = len(run) > 1 and (kin == "cells" or place_of(run[0].tap).layer == 0)
    return ChangeGroup(first, run, kin) if whole else ChangeGroup(first, run[:1])


def _alike(change: Change, before: Change, kin: Kin) -> bool:
    """Whether a change differs from the one before it in this respect alone."""
    if kin == "layers":
        layer, last = place_of(change.tap).layer, place_of(before.tap).layer
        follows = layer is not None and last is not None and layer == last + 1 and change.head == before.head
        return follows and with_layer(change.tap, 0) == with_layer(before.tap, 0) and _besides(change) == _besides(before)
    if kin == "heads":
        both = change.head is not None and before.head is not None and change.head != before.head
        return both and change.tap == before.tap and _besides(change) == _besides(before)
    drawn = change.kind in ("close", "set") and change.rows is not None and change.columns is not None
    return drawn and before.rows is not None and _without_cells(change) == _without_cells(before)


def _besides(change: Change) -> tuple[object, ...]:
    """All but its tap and its head."""
    return change.kind, change.rows, change.columns, change.value, change.text, change.on


def _without_cells(change: Change) -> tuple[object, ...]:
    return change.tap, change.kind, change.head, change.value, change.text, change.on
