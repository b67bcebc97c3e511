"""A Change: something altered inside a pass, as a value that can be compared, kept and written to a file.

    Change("decoder.layers.2.cross_attn.mixed", "scale", head=3, value=0.0)      # Ablate a head.
    Change("decoder.layers.2.cross_attn.masked", "close", columns=[0])           # No query sees the first source token.
    Change("encoder.layers.1.residual2", "patch", rows=[0], text="他给了我一本书。")
    Change("encoder.layers.0.self_attn.mixed", "mean", head=1)                    # Every position gets the head's mean.
    Change("encoder.layers.0.residual2", "set", value=array)                      # [position, feature] an array of its shape
    Change("encoder.layers.0.residual2", "set", value=lambda x: x[::-1])          # A function of what the pass recorded.

Decision: a change that is switched off stays in the list of changes, with `on` False: so it keeps its place in the order, and
files and undo keep it too. A pass never sees it. Rejected: a second list of those that are off, which would have no order.

The constructor refuses what is wrong for every model. What is wrong for a certain model or sentence is refused where the
pass is made, in `engine.change_checks`.
"""

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs

from explorer.errors import BadChangeField, ChangeHasNo, ChangeIsFunction, ChangeLacks, TooManyInChange, UnknownChangeKind
from explorer.trace.change_values import ChangeFunction, WholeValue, is_function

_NEEDS = {"scale": ("value",), "set": ("value",), "close": ("columns",), "patch": ("text",), "mean": (), "add": ("value",)}
_ONLY_THERE = ("value", "text")  # The other kinds of changes must not have these fields.
KINDS = tuple(_NEEDS)
_MOST_PLACES = _LONGEST_TEXT = 2**16
_MOST_CELLS = 2**24  # of an array
_LONGEST_TAP = 200  # characters
_MOST_CHANGES = 4096  # A file may have at most so many changes.
_LARGEST = 3.4e38  # The largest number of float32 is slightly more.


def _without_axes(value: Any) -> Any:
    """The number of an array without axes, which says that it can be iterated and cannot; any other value as it is."""
    return value.item() if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)) else value


def _numbers(value: Any) -> Any:
    """A float, a tuple of floats or a WholeValue; any other value but a function is returned for the validator to refuse."""
    value = _without_axes(value)
    if isinstance(value, WholeValue) or is_function(value):
        return value
    whole = WholeValue.of(value)
    if whole is not None:
        return whole
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return tuple(_number(each) for each in islice(value, _MOST_PLACES + 1))
    return _number(value)


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return value
    try:
        return float(value)
    except OverflowError:  # The value is a whole number of more than 308 digits.
        return math.inf


def _places(value: Any) -> Any:
    """A tuple of whole numbers; a single number becomes a tuple of one."""
    value = _without_axes(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return tuple(_place(each) for each in islice(value, _MOST_PLACES + 1))
    return value if value is None else (_place(value),)


def _place(value: Any) -> Any:
    return int(value) if isinstance(value, numbers.Integral) and value is not True and value is not False else value


def _rows(value: Any) -> Any:
    """Rows in ascending order. Their order means nothing, because the values of "set" run along the columns."""
    made = _places(value)
    return tuple(sorted(made)) if isinstance(made, tuple) and all(isinstance(each, int) for each in made) else made


def _is_place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _is_number(value: object) -> bool:
    return isinstance(value, float) and abs(value) <= _LARGEST  # This is False for NaN as well.


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


def _check_switch(_change: "Change", attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if not isinstance(value, bool):
        raise BadChangeField(field=attribute.name, got=value)


def _check_value(_change: "Change", attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if isinstance(value, WholeValue):
        _bounded(attribute.name, value.array.size, _MOST_CELLS)
        if value.finite:
            return
    elif is_function(value):
        return
    if isinstance(value, tuple):
        _bounded(attribute.name, len(value), _MOST_PLACES)
        if value and all(map(_is_number, value)):
            return
    elif value is None or _is_number(value):
        return
    raise BadChangeField(field=attribute.name, got=value)


@attrs.frozen
class Change:
    """A change of the tensor that goes through the tap `tap`, and so of all that follows in the pass.

    kind "scale": the cells are multiplied by `value`; 0 ablates them. A cell that a mask has closed stays closed.
    kind "set": the cells become `value`, one number for all or one for each column. Attention weights (tap `weights`) go on
    summing to 1 if it is one number v from 0 to 1 for n named columns, n·v at most 1: the rest of the row is then multiplied by
    (1 - n·v)/(1 - a), where a is what the cells had; where a is 1, the open keys share the rest evenly. A row that is given as
    a list of numbers, or without columns, becomes exactly what is given.
    kind "close": cells of an attention are closed at its tap `masked`, before the softmax, so each row still sums to 1. A row
    in which the mask has closed all cells stays as it is.
    kind "patch": the cells become those that the same model computes at the same places for another text, `text`.
    kind "mean": each row becomes the mean of all rows of its head, or of the named `rows`. In a decoder this is the mean over
    all tokens that are written so far, also over later ones than the row's own.
    kind "add": `value` is added to the cells, one number to all or one to each column, such as a vector that steers. A cell
    that a mask has closed stays closed.

    The `value` of "set" and "add" may also be an array of the cells' shape, [row, column] or, where the tap has heads and
    `head` is None, [head, row, column]; or a function, which is given the cells of the pass as a NumPy array of that shape and
    returns one like it. While a model generates its target, a function sees the tokens so far. A function cannot be written
    into a file: saving raises ChangeIsFunction.

    `head` is one head, or None for all. `rows` are positions or queries, `columns` are keys or features, counted from 0; None
    means all. Several changes at one tap are made in their order. A change that is not `on` is not made. Raises
    UnknownChangeKind, ChangeLacks, ChangeHasNo, BadChangeField and TooManyInChange, which are all BadChange.
    """

    tap: str = attrs.field(validator=_check_text(_LONGEST_TAP))
    kind: str = attrs.field()
    head: int | None = attrs.field(default=None, converter=_place, validator=_check_head)
    rows: tuple[int, ...] | None = attrs.field(default=None, converter=_rows, validator=_check_places)
    columns: tuple[int, ...] | None = attrs.field(default=None, converter=_places, validator=_check_places)
    value: float | tuple[float, ...] | WholeValue | ChangeFunction | None = attrs.field(
        default=None, converter=_numbers, validator=_check_value
    )
    text: str | None = attrs.field(default=None, validator=_check_text(_LONGEST_TEXT))
    on: bool = attrs.field(default=True, validator=_check_switch)

    @kind.validator
    def _check_kind(self, _attribute: "attrs.Attribute[Any]", value: Any) -> None:
        if not isinstance(value, str) or value not in _NEEDS:
            raise UnknownChangeKind(got=value, known=", ".join(KINDS))

    def __attrs_post_init__(self) -> None:
        """Check that the fields that the kind needs are there, and no others."""
        needs = _NEEDS[self.kind]
        for name in needs:
            if getattr(self, name) is None:
                raise ChangeLacks(kind=self.kind, field=name)
        for name in _ONLY_THERE:
            if name not in needs and getattr(self, name) is not None:
                raise ChangeHasNo(kind=self.kind, field=name)
        if self.kind == "scale" and not isinstance(self.value, float):
            raise BadChangeField(field="value", got=self.value)
        if not isinstance(self.value, tuple):
            return
        if self.columns is not None and len(self.columns) != len(self.value):
            raise BadChangeField(field="value", got=self.value)

    @property
    def keeps_sums(self) -> bool:
        """Whether it sets some attention weights of a row, and the others share what is left (see kind "set")."""
        at_weights = self.kind == "set" and self.tap.endswith("_attn.weights") and self.columns is not None
        return at_weights and isinstance(self.value, float) and 0 <= self.value * len(self.columns or ()) <= 1

    def to_dict(self) -> dict[str, Any]:
        """The fields that differ from their defaults, in types that TOML and JSON have. Raises ChangeIsFunction."""
        if is_function(self.value):
            raise ChangeIsFunction(tap=self.tap)
        told = {name: value for name, value in attrs.asdict(self, recurse=False).items() if value is not None}
        if self.on:
            del told["on"]
        return {name: _listed(value) for name, value in told.items()}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "Change":
        """The Change of a row that `to_dict` made or that somebody wrote by hand. Raises BadChange."""
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


def _listed(value: Any) -> Any:
    if isinstance(value, WholeValue):
        return value.array.tolist()
    return list(value) if isinstance(value, tuple) else value


def changes_from(rows: Any) -> tuple[Change, ...]:
    """The changes of a file, in their order. Raises BadChange."""
    if not isinstance(rows, Sequence) or isinstance(rows, (str, bytes)):
        raise BadChangeField(field="changes", got=type(rows).__name__)
    _bounded("changes", len(rows), _MOST_CHANGES)
    return tuple(Change.from_dict(row) for row in rows)


def switched_on(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes that are on, in their order: those that a pass makes."""
    return tuple(change for change in changes if change.on)


def as_on(change: Change) -> Change:
    """The change as if it were on."""
    return change if change.on else attrs.evolve(change, on=True)


def checked(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The Changes that a caller gave, as a tuple. Raises BadChangeField if one of them is no Change."""
    made: tuple[Any, ...] = tuple(changes) if isinstance(changes, Iterable) else (changes,)
    for each in made:
        if not isinstance(each, Change):
            raise BadChangeField(field="changes", got=type(each).__name__)
    return made
