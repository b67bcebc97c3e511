"""What a step changed, in plain words: "Temperature 1 → 0.5", "Preset: Tiny", "+ Encoder L2 head 3 off"."""

from collections.abc import Iterator

import attrs

from explorer.lang import Words
from explorer.picture.change_text import listed
from explorer.picture.makers.compare import knob_value
from explorer.state.wish import Wish
from explorer.trace.changes import Change

_MOST = 3  # differences that are named one by one
_NAMED = {field.name for field in attrs.fields(Wish)} - {"config", "changes", "preset", "trained", "compared_with"}


def told_step(before: Wish | None, wish: Wish, words: Words) -> str:
    """What differs between two Wishes; of the first one there is nothing before it."""
    if before is None:
        return words("past.first")
    told = list(_differences(before, wish, words))
    if len(told) > _MOST:
        told[_MOST:] = [words("past.more", count=len(told) - _MOST)]
    return " · ".join(told) or words("past.same")


def _differences(before: Wish, wish: Wish, words: Words) -> Iterator[str]:
    if wish.preset != before.preset:
        title = f"preset.{wish.preset}.title"
        yield words("past.preset", preset=words(title) if title in words else wish.title)
    else:
        yield from _knobs(before, wish, words)
    if wish.trained != before.trained:
        yield f"{words('weights.title')}: {words('weights.trained' if wish.trained else 'weights.random')}"
    fields = (name for name in attrs.fields_dict(Wish) if name in _NAMED and getattr(wish, name) != getattr(before, name))
    yield from dict.fromkeys(words(f"past.field.{name}") for name in fields)
    yield from _changes(before, wish, words)
    if wish.compared_with != before.compared_with:
        yield words("past.compared" if wish.compared_with is not None else "past.alone")


def _knobs(before: Wish, wish: Wish, words: Words) -> Iterator[str]:
    """Each knob that was turned, with its value then and now."""
    then = before.config.values()
    for name, value in wish.config.values().items():
        if value != then[name]:
            yield f"{words(f'knob.{name}.name')} {knob_value(name, then[name], words)} → {knob_value(name, value, words)}"


def _changes(before: Wish, wish: Wish, words: Words) -> Iterator[str]:
    """The changes inside the pass that are made now or no more, in the order of the list."""

    def names(of: Wish, without: tuple[Change, ...]) -> Iterator[str]:
        only = tuple(change for change in of.active if change not in without)
        return (row.name for row in listed(only, of.config.n_heads, None, words))

    made = [f"+ {name}" for name in names(wish, before.active)] + [f"− {name}" for name in names(before, wish.active)]
    if not made and wish.changes != before.changes:
        made = [words("past.list")]
    yield from made
