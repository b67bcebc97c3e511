"""Changes on trial: for each row of the list of changes the Wish with it and the one without, to find its effect.

A row that is off is tried in addition to all that are on; a row that is on is tried alone.
"""

from collections.abc import Sequence

import attrs

from explorer.state.breaks import BREAKS, broken, offered, unchanged
from explorer.state.wish import Wish
from explorer.trace.changes import Change, as_on

Key = tuple[object, ...]
"""What a Try belongs to: ("knob", name) or ("changes", the changes as if they were on)."""


@attrs.frozen
class Try:
    """One row: the Wish with its change and the Wish without it; `key` names the row."""

    key: Key
    wish: Wish
    without: Wish


def key_of_knob(name: str) -> Key:
    """The key of the switch of a knob."""
    return ("knob", name)


def key_of_changes(changes: Sequence[Change]) -> Key:
    """The key of a row of changes, whether they are on or off."""
    return ("changes", *map(as_on, changes))


def unchanged_wish(wish: Wish) -> Wish:
    """The Wish of the unchanged translation, whose words all rows are measured on."""
    return attrs.evolve(unchanged(wish), other="")


def tries(wish: Wish, groups: Sequence[Sequence[Change]]) -> tuple[Try, ...]:
    """A Try for each knob that would break the model, and for each group of changes, made or only offered.

    Raises UnknownPreset.
    """
    now = attrs.evolve(wish, changes=wish.active, batch=(), other="", toward=(), away=(), compared_with=None)
    turned, here = broken(wish.config, wish.preset), wish.config.values()
    plain, made = unchanged_wish(wish), []
    for name in offered(wish.preset):
        key = key_of_knob(name)
        if name in turned:
            made.append(Try(key, attrs.evolve(plain, config=plain.config.changed(**{name: here[name]})), plain))
        else:
            made.append(Try(key, attrs.evolve(now, config=now.config.changed(**{name: BREAKS[name]})), now))
    for group in groups:
        on = tuple(map(as_on, group))
        if set(on) <= set(now.changes):
            made.append(Try(key_of_changes(group), attrs.evolve(plain, changes=on), plain))
        else:
            more = tuple(change for change in on if change not in now.changes)
            made.append(Try(key_of_changes(group), attrs.evolve(now, changes=_in_order(wish, (*now.changes, *more))), now))
    return tuple(made)


def _in_order(wish: Wish, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes in the order in which they are made: that of the list, then those that are not in it."""
    rows = list(map(as_on, wish.changes))
    return tuple(sorted(changes, key=lambda change: rows.index(change) if change in rows else len(rows)))


def is_altered(wish: Wish) -> bool:
    """Whether a Wish has a change that is on, or turns a knob that the change page switches. Raises UnknownPreset."""
    return bool(wish.active or broken(wish.config, wish.preset))


def of_sentence(wish: Wish, text: str) -> Wish:
    """The Wish for another sentence with the same changes, whose translation is the model's own."""
    return attrs.evolve(
        wish,
        text=text,
        target=None,
        source_cuts=None,
        target_cuts=None,
        prefix=(),
        changes=wish.active,
        batch=(),
        other="",
        toward=(),
        away=(),
        compared_with=None,
    )
