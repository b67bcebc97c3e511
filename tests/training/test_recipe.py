"""Recipes are checked as knobs are."""

import attrs
import pytest

from explorer.errors import BadKnob, KnobNotANumber, KnobOutOfRange, UnknownKnob
from explorer.lang import LANGUAGES, Words
from explorer.training.recipe import RECIPE_KNOBS, Recipe


@pytest.mark.parametrize("knob", [each for each in RECIPE_KNOBS if each.kind != "choice"], ids=lambda knob: knob.name)
def test_each_number_has_a_range_and_its_default_lies_in_it(knob: object) -> None:
    """Both ends are allowed, and nothing beyond."""
    assert knob.valid.low <= knob.default <= knob.valid.high
    for fine in (knob.valid.low, knob.valid.high, str(knob.default)):
        assert getattr(Recipe().changed(**{knob.name: fine}), knob.name) == float(fine)
    for wrong in (knob.valid.low - 1, knob.valid.high + 1):
        with pytest.raises(KnobOutOfRange):
            Recipe().changed(**{knob.name: wrong})


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"epoch": 3}, UnknownKnob),
        ({"epochs": "many"}, KnobNotANumber),
        ({"epochs": 2.5}, BadKnob),
        ({"learning_rate": float("nan")}, KnobNotANumber),
        ({"patience": True}, KnobNotANumber),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_recipe_is_told_by_its_name(values: dict[str, object], kind: type[BadKnob], language: str) -> None:
    """In both languages."""
    with pytest.raises(kind) as caught:
        Recipe().changed(**values)

    assert next(iter(values)) in Words.load(language).error(caught.value)


def test_a_recipe_is_frozen_and_knows_its_knobs() -> None:
    """Every field is one."""
    assert [knob.name for knob in RECIPE_KNOBS] == [field.name for field in attrs.fields(Recipe)]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Recipe().epochs = 3
