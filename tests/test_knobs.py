"""The Knob by itself: what is declared of it, and what follows from that."""

import attrs
import pytest

from explorer.errors import KnobNotAChoice, KnobOutOfRange
from explorer.knobs import Knob, Range, declared, knob


@attrs.frozen(kw_only=True)
class Oven:
    """Anything may have knobs."""

    heat: float = knob(180.0, group="oven", applies="pass", valid=(20, 300), offered=(100, 250), step=5, unit="°C")
    racks: int = knob(2, group="oven", applies="weights", valid=(1, 4))
    light: bool = knob(True, group="door", applies="draw")
    mode: str = knob("air", group="oven", applies="pass", choices=("air", "grill"), in_modules=True)


HEAT, RACKS, LIGHT, MODE = declared(Oven)


def test_a_declaration_is_read_once() -> None:
    """In the order of the fields, with the kind that follows from the default."""
    assert [each.name for each in declared(Oven)] == ["heat", "racks", "light", "mode"]
    assert [each.kind for each in declared(Oven)] == ["float", "int", "bool", "choice"]
    assert Range(100, 250) == HEAT.offered
    assert HEAT.unit == "°C"


def test_what_a_slider_offers_may_be_less_than_what_is_valid() -> None:
    """Beyond the slider a value is as good as any; beyond the valid ones it is refused. Where nothing is said they are one."""
    assert Oven(heat=299).heat == HEAT.nearest(299) == 299
    with pytest.raises(KnobOutOfRange) as caught:
        Oven(heat=301)
    assert caught.value.values == {"name": "heat", "low": 20, "high": 300, "got": 301}
    assert RACKS.offered == RACKS.valid == (1, 4)


def test_a_field_is_checked_by_its_knob() -> None:
    """Under the name of the field."""
    with pytest.raises(KnobNotAChoice) as caught:
        Oven(mode="steam")
    assert caught.value.values["name"] == "mode"


def test_weights_need_modules_unless_it_is_said_otherwise() -> None:
    """And a pass needs none."""
    assert [each.in_modules for each in declared(Oven)] == [False, True, False, True]
    drawn = Knob(name="x", kind="int", default=0, group="", applies="weights", in_modules=False)
    assert not drawn.in_modules
