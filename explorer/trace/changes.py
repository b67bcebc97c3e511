"""A Change: something altered inside a pass, as a value that can be compared, kept and written to a file.

    Change("decoder.layers.2.cross_attn.mixed", "scale", head=3, value=0.0)      # a head is switched off
    Change("decoder.layers.2.cross_attn.masked", "close", columns=[0])           # nobody looks at the first source token
    Change("encoder.layers.1.residual2", "patch", rows=[0], text="他给了我一本书。")

What can never be right is refused here. What depends on the model and the sentence is refused by whoever makes the pass.
"""

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs

from explorer.errors import BadChangeField, ChangeHasNo, ChangeLacks, TooManyInChange, UnknownChangeKind

_NEEDS = {"scale": ("value",), "set": ("value",), "close": ("columns",), "patch": ("text",)}
_ONLY_THERE = ("value", "text")  # fields that the other kinds have no use for
KINDS = tuple(_NEEDS)
_MOST_PLACES = _LONGEST_TEXT = 2**16
_LONGEST_TAP = 200  # characters
_MOST_CHANGES = 4096  # in a file
_LARGEST = 3.4e38  # about what float32 has room for


def _numbers(value: Any) -> Any:
    """A float, or a tuple of them; anything else as it is, for the validator to refuse."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return tuple(_number(each) for each in islice(value, _MOST_PLACES + 1))
    return _number(value)


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return value
    try:
        return float(value)
    except OverflowError:  # a whole number of more than 308 digits
        return math.inf


def _places(value: Any) -> Any:
    """A tuple of whole numbers; one number is a tuple of one."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return tuple(_place(each) for each in islice(value, _MOST_PLACES + 1))
    return value if value is None else (_place(value),)


def _place(value: Any) -> Any:
    return int(value) if isinstance(value, numbers.Integral) and value is not True and value is not False else value


def _rows(value: Any) -> Any:
    """Rows in their order, which means nothing: what is set runs along the columns."""
    made = _places(value)
    return tuple(sorted(made)) if isinstance(made, tuple) and all(isinstance(each, int) for each in made) else made


def _is_place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _is_number(value: object) -> bool:
    return isinstance(value, float) and abs(value) <= _LARGEST  # False for NaN too


def _bounded(name: str, length: int, limit: int) -> None:
    if length > limit:
        raise TooManyInChange(field=name, limit=limit, got=length)


def _check_text(longest: int) -> Any:
    def check(_change: "Change", attribute: "attrs.Attribute[Any]", value: Any) -> None:
        if value is None and attribute.default is None:
            return
        if not isinstance(value, str):
            raise BadChangeField(field=attribute.name, got=type(value).__name__)
        _bounded(attribute.name, len(value), longest)

    return check


def _check_head(_change: "Change", attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if value is not None and not _is_place(value):
        raise BadChangeField(field=attribute.name, got=value)


def _check_places(_change: "Change", attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if value is None:
        return
    _bounded(attribute.name, len(value), _MOST_PLACES)
    if not value or not all(map(_is_place, value)) or len(set(value)) < len(value):
        raise BadChangeField(field=attribute.name, got=value)


def _check_value(_change: "Change", attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if isinstance(value, tuple):
        _bounded(attribute.name, len(value), _MOST_PLACES)
        if value and all(map(_is_number, value)):
            return
    elif value is None or _is_number(value):
        return
    raise BadChangeField(field=attribute.name, got=value)


@attrs.frozen
class Change:
    """What is done at the tap `tap` to the tensor that goes through it, and so to all that follows.

    scale: multiplied by `value`; 0 switches it off. A cell that a mask has closed stays closed.
    set: `value` is put there, a number or one for each column. Weights that are set need not sum to 1.
    close: cells of an attention, at its tap `masked`: before the softmax, so that each row still sums to 1. A row that
    the mask has left nothing stays as it is.
    patch: what the same model made there of another text, `text`, at the same places.

    `head` None: all heads. `rows` are positions or queries, `columns` keys or features, all counted from 0; None: all.
    Changes at one tap are made in their order. Raises UnknownChangeKind, ChangeLacks, ChangeHasNo, BadChangeField and
    TooManyInChange, all of them BadChange.
    """

    tap: str = attrs.field(validator=_check_text(_LONGEST_TAP))
    kind: str = attrs.field()
    head: int | None = attrs.field(default=None, converter=_place, validator=_check_head)
    rows: tuple[int, ...] | None = attrs.field(default=None, converter=_rows, validator=_check_places)
    columns: tuple[int, ...] | None = attrs.field(default=None, converter=_places, validator=_check_places)
    value: float | tuple[float, ...] | None = attrs.field(default=None, converter=_numbers, validator=_check_value)
    text: str | None = attrs.field(default=None, validator=_check_text(_LONGEST_TEXT))

    @kind.validator
    def _check_kind(self, _attribute: "attrs.Attribute[Any]", value: Any) -> None:
        if not isinstance(value, str) or value not in _NEEDS:
            raise UnknownChangeKind(got=value, known=", ".join(KINDS))

    def __attrs_post_init__(self) -> None:
        """What the kind asks for, field by field."""
        needs = _NEEDS[self.kind]
        for name in needs:
            if getattr(self, name) is None:
                raise ChangeLacks(kind=self.kind, field=name)
        for name in _ONLY_THERE:
            if name not in needs and getattr(self, name) is not None:
                raise ChangeHasNo(kind=self.kind, field=name)
        if not isinstance(self.value, tuple):
            return
        if self.kind == "scale":
            raise BadChangeField(field="value", got=self.value)
        if self.columns is not None and len(self.columns) != len(self.value):
            raise BadChangeField(field="value", got=self.value)

    def to_dict(self) -> dict[str, Any]:
        """The fields that say something, of types that TOML and JSON have."""
        told = {name: value for name, value in attrs.asdict(self).items() if value is not None}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "Change":
        """What `to_dict` made, or somebody wrote by hand. Raises BadChange."""
        if not isinstance(row, Mapping):
            raise BadChangeField(field="changes", got=type(row).__name__)
        known = [field.name for field in attrs.fields(cls)]
        kind = row.get("kind", "")
        for name in row:
            if name not in known:
                raise ChangeHasNo(kind=kind, field=name)
        for name in ("tap", "kind"):
            if name not in row:
                raise ChangeLacks(kind=kind, field=name)
        return cls(**row)


def changes_from(rows: Any) -> tuple[Change, ...]:
    """The changes of a file, in their order. Raises BadChange."""
    if not isinstance(rows, Sequence) or isinstance(rows, (str, bytes)):
        raise BadChangeField(field="changes", got=type(rows).__name__)
    _bounded("changes", len(rows), _MOST_CHANGES)
    return tuple(Change.from_dict(row) for row in rows)


def checked(changes: Iterable[Change]) -> tuple[Change, ...]:
    """A tuple of Changes, as a caller gives them. Raises BadChangeField where anything else is among them."""
    made: tuple[Any, ...] = tuple(changes) if isinstance(changes, Iterable) else (changes,)
    for each in made:
        if not isinstance(each, Change):
            raise BadChangeField(field="changes", got=type(each).__name__)
    return made
