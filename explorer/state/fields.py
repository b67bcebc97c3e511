"""Reading and writing the fields of a frozen class as a table of a file. Values are checked by type, never converted.

A new field is declared once, in its class: its type decides how it is read and written.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs

from explorer.errors import BadField

_LONGEST_TEXT = 1_000_000  # characters, as many as the sentence box takes
_MOST_VALUES = 100_000  # values in a list
_QUOTED = 60  # characters of a wrong value that an error quotes


def one_of(choices: Iterable[str]) -> Callable[[object, "attrs.Attribute[Any]", object], None]:
    """An attrs validator: the field is one of these words. It raises BadField."""
    known = frozenset(choices)

    def check(_self: object, field: "attrs.Attribute[Any]", value: object) -> None:
        if value not in known:
            raise bad_field(field.name, value)

    return check


def between(low: float, high: float) -> Callable[[object, "attrs.Attribute[Any]", object], None]:
    """An attrs validator: low ≤ field ≤ high. It raises BadField."""

    def check(_self: object, field: "attrs.Attribute[Any]", value: Any) -> None:
        if not low <= value <= high:
            raise bad_field(field.name, value)

    return check


def read_fields(kind: type, table: Mapping[str, object]) -> dict[str, Any]:
    """The fields of class `kind` that a table holds. Raises BadField for a wrong type or an unknown name."""
    kinds = _types(kind)
    for name in table:
        if name not in kinds:
            raise bad_field(name, "?")
    return {name: _read(kinds[name], name, value) for name, value in table.items()}


def changed_fields(value: Any, without: Iterable[str] = ()) -> dict[str, Any]:
    """The fields of a frozen value that differ from their defaults, as a file holds them: lists for tuples."""
    left_out = frozenset(without)
    return {
        field.name: _plain(getattr(value, field.name))
        for field in attrs.fields(type(value))
        if field.name not in left_out and getattr(value, field.name) != field.default
    }


def bad_field(name: str, got: object) -> BadField:
    """The error for a wrong value, of which it quotes the beginning."""
    told = str(got)
    return BadField(name=name[:_QUOTED], got=told if len(told) <= _QUOTED else f"{told[:_QUOTED]}…")


def _types(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in attrs.fields(kind)}


def _read(kind: Any, name: str, value: object) -> Any:
    if get_origin(kind) is tuple:
        return _read_list(get_args(kind), name, value)
    others = [each for each in get_args(kind) if each is not type(None)]
    if others and get_origin(kind) in (Union, type(int | str)):
        return _read(others[0], name, value)
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if type(value) is not kind or (isinstance(value, str) and len(value) > _LONGEST_TEXT):
        raise bad_field(name, value)
    return value


def _read_list(kinds: tuple[Any, ...], name: str, value: object) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) > _MOST_VALUES:
        raise bad_field(name, value)
    if kinds[-1] is Ellipsis:
        return tuple(_read(kinds[0], name, each) for each in value)
    if len(kinds) != len(value):
        raise bad_field(name, value)
    return tuple(_read(kind, name, each) for kind, each in zip(kinds, value, strict=True))


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
