"""Changes in plain words: "Encoder L2 head 3 off", "nobody sees 她". Tokens are named as far as a Trace has them."""

from collections.abc import Sequence

import attrs

from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.state.breaks import BREAKS, Alterations, broken_in
from explorer.trace.change_groups import ChangeGroup, change_groups
from explorer.trace.change_values import WholeValue
from explorer.trace.changes import Change
from explorer.trace.stages import stage_of
from explorer.trace.tap_names import place_of
from explorer.trace.trace import Trace

_MOST_NAMED = 4  # places that are named one by one
_USUAL = ("masked", "weights", "mixed")  # stages of an attention that need not be named
_LONGEST = 16  # letters of another text that are quoted


@attrs.frozen
class Listed:
    """A row of the list of changes: what it does in words, and why it does not fit this sentence ("" if it does)."""

    group: ChangeGroup
    name: str
    lacks: str = ""


def listed(changes: Sequence[Change], n_heads: int, trace: Trace | None, words: Words) -> tuple[Listed, ...]:
    """The changes of a model with so many heads in rows, with the tokens of the Trace on screen."""
    left_out = {} if trace is None else trace.left_out
    rows = []
    for group in change_groups(changes, n_heads):
        error = next((left_out[change] for change in group.changes if change in left_out), None)
        rows.append(Listed(group, told_group(group, trace, words), "" if error is None else words.error(error)))
    return tuple(rows)


def told_alterations(alterations: Alterations, trace: Trace | None, words: Words) -> str:
    """All changes of a Wish that are on, and the knobs that the change page switches, in one line."""
    knobs = [told_knob(name, value, words) for name, value in alterations.knobs.items()]
    n_heads = heads_of(trace, alterations.n_heads)
    rows = [each.name for each in listed(alterations.changes, n_heads, trace, words)]
    return " + ".join((*knobs, *rows))


def heads_of(trace: Trace | None, by_config: int) -> int:
    """How many heads an attention has: by the Config of our own model, by the card of one of others."""
    return trace.card.sides[0].n_heads if trace is not None and trace.of_others else by_config


def told_changed(trace: Trace, words: Words) -> str:
    """The same for the pass of a Trace, with its tokens. Raises UnknownPreset."""
    knobs = [told_knob(name, trace.knob(name), words) for name in broken_in(trace)]
    rows = [each.name for each in listed(trace.changes, trace.card.sides[0].n_heads, trace, words)]
    return " + ".join((*knobs, *rows))


def told_knob(name: str, value: object, words: Words) -> str:
    """A knob that is turned away from the preset's value."""
    return words(f"change.break.{name}") if value == BREAKS[name] else f"{words(f'knob.{name}.name')}: {value}"


def told_group(group: ChangeGroup, trace: Trace | None, words: Words) -> str:
    """What a group of changes does, and where."""
    change = group.changes[0]
    where = _where(group, words)
    if group.kin == "heads":
        return words("change.told.only", where=where)
    if group.kin == "cells":
        count = sum(len(each.rows or ()) * len(each.columns or ()) for each in group.changes)
        key = "change.told.cells_closed" if change.kind == "close" else "change.told.cells_set"
        return words(key, count=count, value=_number(change), where=where)
    return _told(change, where, trace, words)


def told_change(change: Change, trace: Trace | None, words: Words) -> str:
    """What one change does, and where."""
    return told_group(ChangeGroup(0, (change,)), trace, words)


def _told(change: Change, where: str, trace: Trace | None, words: Words) -> str:
    rows = _tokens(change, 0, trace, words)
    columns = _tokens(change, 1, trace, words)
    if change.kind == "close":
        key = "change.told.nobody_sees" if change.rows is None else "change.told.sees_not"
        return words(key, rows=rows, columns=columns, where=where)
    if change.kind == "patch":
        text = change.text or ""
        quoted = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        return words(
            "change.told.patch" if change.rows is None else "change.told.patch_rows", rows=rows, text=quoted, where=where
        )
    place = where
    if change.rows is not None or change.columns is not None:
        both = (rows if change.rows is not None else "", columns if change.columns is not None else "")
        place = words("change.told.part", part=" → ".join(filter(None, both)), where=where)
    if change.kind == "mean":
        return words("change.told.mean", where=place)
    if change.kind == "add" and isinstance(change.value, tuple):
        length = rough(sum(each * each for each in change.value) ** 0.5)
        return words("change.told.add_vector", where=place, length=length)
    key = "change.told.off" if change.kind == "scale" and change.value == 0 else f"change.told.{change.kind}"
    return words(key, where=place, value=_number(change))


def _where(group: ChangeGroup, words: Words) -> str:
    """The attention, layer and head of a group, or the stage and layer of another tap."""
    change = group.changes[0]
    place = place_of(change.tap)
    layers = ""
    if place.layer is not None:
        layers = f"L{place.layer}" if group.kin != "layers" else f"L{place.layer}–L{place.layer + len(group.changes) - 1}"
    kind, _, stage = place.part.partition(".")
    if kind not in ("self_attn", "cross_attn"):
        plain = stage_of(change.tap)
        name = change.tap if plain.plain else words(f"stage.{plain.key}.title")
        side = words(f"side.{place.side}") if f"side.{place.side}" in words else ""
        return " ".join(filter(None, (side, layers, name)))
    head = change.head
    if group.kin == "heads":
        off = {each.head for each in group.changes}
        head = next((each for each in range(len(off) + 1) if each not in off), None)
    told = words("change.every_head") if head is None else words("change.head", head=head)
    key = f"stage.attention.{stage}.short"
    what = "" if stage in _USUAL or key not in words else words(key)
    return " ".join(filter(None, (words(f"attention_short.{place.side}.{kind}"), layers, told, what)))


def _tokens(change: Change, axis: int, trace: Trace | None, words: Words) -> str:
    """The tokens at a change's rows (0) or columns (1)."""
    places: Sequence[int] | None = (change.rows, change.columns)[axis]
    if places is None:
        return words("change.all_places")
    names = [_token(change.tap, axis, place, trace) for place in places[:_MOST_NAMED]]
    return " ".join((*names, "…") if len(places) > _MOST_NAMED else names)


def _token(tap: str, axis: int, place: int, trace: Trace | None) -> str:
    """The token at a place along an axis; the number of the place where there is none."""
    if trace is None or tap not in trace:
        return f"#{place}"
    name = trace.axes(tap)[-2:][axis]
    if name not in ("position", "query", "key"):
        return f"#{place}"
    if name == "query" and ".cross_attn." in tap and place < len(trace.expected):
        return f"→{trace.symbols[trace.expected[place]]}"  # Named after the token about to be written, as on the maps.
    side = trace.side(tap, name)
    return side[place].text if place < len(side) else f"#{place}"


def _number(change: Change) -> str:
    if isinstance(change.value, tuple):
        return f"[{len(change.value)}]"
    if isinstance(change.value, WholeValue):
        return change.value.told
    if callable(change.value):
        name: str = getattr(change.value, "__name__", type(change.value).__name__)
        return f"{name}(x)"
    return "" if change.value is None else f"{change.value:g}".replace("-", "\N{MINUS SIGN}")
