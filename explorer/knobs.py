"""The Knob: a declared hyperparameter. Sliders, flags, checks and hints follow from its declaration alone.

`knob()` declares a field of an attrs class, and `declared()` lists the Knobs of such a class. The model's Config and a
training's Recipe are such classes. Names and hints stand in the language files under `knob.<name>`.
"""

import math
import numbers
from typing import Any, Literal, NamedTuple

import attrs

from explorer.errors import KnobNotAChoice, KnobNotANumber, KnobNotWhole, KnobOutOfRange

Applies = Literal["draw", "pass", "weights"]
"""What a knob acts on.

draw: the pictures only, without a new pass. pass: a new pass with the same weights. weights: a model with new weights.
"""

Value = int | float | bool | str

_TRUTHS = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}


class Range(NamedTuple):
    """The numbers from `low` to `high`, both included."""

    low: float
    high: float


_UNIT = Range(0, 1)


@attrs.frozen(kw_only=True)
class Knob:
    """One declared hyperparameter.

    `kind` is "int", "float", "bool" or "choice". Every number in `valid` is allowed. A slider offers those in `offered`,
    which may be fewer, in steps of `step`, or by factors if `logarithmic`. All three are in `unit`, if there is one.
    A choice is one of `choices`; those in `weighing` bring weights of their own, whatever the knob applies to otherwise.

    `in_modules` is True where the model's modules are built with the value, so that another value needs other modules, as
    sizes do. Other knobs are read at each pass, or decide only the numbers of random weights.

    `paper` is the value in Vaswani et al. 2017, section 3; None for sizes and for knobs that the paper does not have.
    """

    name: str
    kind: str
    default: Value
    group: str
    applies: Applies
    valid: Range = _UNIT
    offered: Range = attrs.field(default=attrs.Factory(lambda self: self.valid, takes_self=True))
    step: float = 1
    unit: str = ""
    logarithmic: bool = False
    choices: tuple[str, ...] = ()
    weighing: tuple[str, ...] = ()
    in_modules: bool = attrs.field(default=attrs.Factory(lambda self: self.applies == "weights", takes_self=True))
    paper: Value | None = None

    def check(self, value: object) -> Value:
        """The value in this knob's own type. Raises KnobOutOfRange, KnobNotAChoice, KnobNotANumber or KnobNotWhole."""
        if self.kind == "choice":
            if not isinstance(value, str) or value not in self.choices:
                raise KnobNotAChoice(name=self.name, choices=", ".join(self.choices), got=value)
            return value
        if self.kind == "bool":
            return self._truth(value)
        low, high = self.valid
        if type(value) is (int if self.kind == "int" else float) and low <= value <= high:
            return value  # Nearly every value is of the knob's own type already; NaN is in no range.
        number = self._number(value)
        if not low <= number <= high:
            raise KnobOutOfRange(name=self.name, low=self._plain(low), high=self._plain(high), got=value)
        if self.kind == "int" and number != int(number):
            raise KnobNotWhole(name=self.name, got=value)
        return self._plain(number)

    def _truth(self, value: object) -> bool:
        if isinstance(value, str):
            value = _TRUTHS.get(value.lower(), value)
        if not isinstance(value, bool):
            raise KnobNotAChoice(name=self.name, choices="true, false", got=value)
        return value

    def _number(self, value: object) -> int | float:
        """Any real number as int or float, NumPy's too. Infinity is allowed, as it is out of range on a known side."""
        if isinstance(value, bool) or not isinstance(value, (numbers.Real, str)):
            raise KnobNotANumber(name=self.name, got=value)
        try:
            number = int(value) if isinstance(value, numbers.Integral) else float(value)
        except OverflowError:  # The value is a fraction larger than any float.
            number = math.inf if value > 0 else -math.inf  # type: ignore[operator]  # Only a number can be too large.
        except ValueError:
            raise KnobNotANumber(name=self.name, got=value) from None
        if number != number:  # NaN
            raise KnobNotANumber(name=self.name, got=value)
        return number

    def _plain(self, number: float) -> int | float:
        return int(number) if self.kind == "int" else float(number)

    def nearest(self, value: object) -> int | float:
        """The nearest valid number. Steps and the offered range concern only sliders and do not count here.

        Raises KnobNotANumber.
        """
        low, high = self.valid
        number = min(max(self._number(value), low), high)
        return self._plain(round(number) if self.kind == "int" else number)


def knob(
    default: Value, *, valid: tuple[float, float] | None = None, offered: tuple[float, float] | None = None, **declaration: Any
) -> Any:
    """Declare a field of an attrs class as a Knob; its kind follows from `choices` or the default's type."""
    about = {"kind": "choice" if "choices" in declaration else type(default).__name__, "default": default, **declaration}
    about |= {name: Range(*pair) for name, pair in (("valid", valid), ("offered", offered)) if pair is not None}

    # The Knob is made at the first check, which gets the field's name. With a new Knob at each check,
    # a Config takes ten times as long.
    made: Knob | None = None

    def checked(value: object, _self: object, field: "attrs.Attribute[Any]") -> Value:
        nonlocal made
        made = made or _of_field(field)
        return made.check(value)

    converter = attrs.Converter(checked, takes_self=True, takes_field=True)
    return attrs.field(default=default, metadata=about, converter=converter)


def declared(cls: type[attrs.AttrsInstance]) -> tuple[Knob, ...]:
    """The Knobs of a class whose fields are made by `knob`, in the order of their declaration."""
    return tuple(map(_of_field, attrs.fields(cls)))


def _of_field(field: "attrs.Attribute[Any]") -> Knob:
    return Knob(name=field.name, **field.metadata)
