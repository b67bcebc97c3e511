"""Every knob: its borders, what it refuses, and how coupled ones are settled."""

import math
import typing
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.config import GROUPS, KNOBS, UNTRAINED_GROUPS, Config, KnobValues, as_paper, departures, find_knob
from explorer.errors import BadKnob, HeadsDoNotFit, KnobNotAChoice, KnobNotANumber, KnobNotWhole, KnobOutOfRange, UnknownKnob
from explorer.knobs import Knob
from explorer.lang import Words

NUMBERS = [knob for knob in KNOBS if knob.kind in ("int", "float")]
CHOICES = [knob for knob in KNOBS if knob.kind == "choice"]
SWITCHES = [knob for knob in KNOBS if knob.kind == "bool"]


def named(knob: Knob) -> str:
    return knob.name


def with_value(knob: Knob, value: object) -> object:
    """The value in a whole Config. One head of many features fits every d_model, eight features every divisor."""
    fitting = {} if knob.name == "n_heads" else {"n_heads": 1}
    return getattr(Config().changed(**{**fitting, knob.name: value}), knob.name)


def test_the_knobs_are_those_of_the_house() -> None:
    """Names are public: flags, files and texts use them."""
    public = [
        "architecture",
        "n_layers",
        "n_heads",
        "d_model",
        "d_ff",
        "dropout",
        "dropout_active",
        "max_len",
        "position",
        "position_base",
        "embedding_scale",
        "norm_placement",
        "norm_kind",
        "bias",
        "activation",
        "temperature",
        "causal_mask",
        "mask_value",
        "tied_embeddings",
        "tokenizer",
        "seed",
    ]

    assert set(public) <= {knob.name for knob in KNOBS}
    assert find_knob("position").choices[:5] == ("sinusoidal", "learned", "rotary", "alibi", "none")
    assert find_knob("tokenizer").choices == ("jieba", "jieba-full", "jieba-search", "characters", "spaces", "bpe")


@pytest.mark.parametrize("knob", KNOBS, ids=named)
def test_defaults_are_allowed_values(knob: Knob) -> None:
    """Of the knob's own kind, and a bare Config has them."""
    assert knob.check(knob.default) == knob.default
    assert type(knob.check(knob.default)) is type(knob.default)
    assert Config().values()[knob.name] == knob.default


@pytest.mark.parametrize("knob", NUMBERS, ids=named)
def test_borders_are_inside(knob: Knob) -> None:
    """The lowest and the highest value are allowed, and kept in the knob's own type."""
    for value in (knob.valid.low, knob.valid.high):
        kept = knob.check(value)
        assert kept == value
        assert type(kept).__name__ == knob.kind


@pytest.mark.parametrize("knob", NUMBERS, ids=named)
def test_just_outside_is_refused_with_its_numbers(knob: Knob) -> None:
    """Low, high and what was given; infinity is outside too."""
    below, above = (
        (knob.valid.low - 1, knob.valid.high + 1)
        if knob.kind == "int"
        else (math.nextafter(knob.valid.low, -math.inf), math.nextafter(knob.valid.high, math.inf))
    )
    for value in (below, above, -math.inf, math.inf, 10**400, -(10**400), str(above), "inf"):
        with pytest.raises(KnobOutOfRange) as caught:
            knob.check(value)
        assert caught.value.values == {"name": knob.name, "low": knob.valid.low, "high": knob.valid.high, "got": value}


@pytest.mark.parametrize("knob", NUMBERS, ids=named)
def test_what_is_no_number_is_refused(knob: Knob) -> None:
    """NaN, words, nothing, truth values, lists."""
    for value in (math.nan, "nan", "", "four", "4x", None, True, False, [4], (), {}, 4j, b"4"):
        for refuse in (knob.check, knob.nearest):
            with pytest.raises(KnobNotANumber) as caught:
                refuse(value)
            assert caught.value.values["name"] == knob.name


@pytest.mark.parametrize("value", [4, 4.0, "4", " 4 ", "4.0", "4e0", np.int64(4), np.float32(4), Fraction(4)])
def test_a_number_may_be_written_in_many_ways(value: object) -> None:
    """From the command line, a file, a notebook."""
    assert type(find_knob("n_layers").check(value)) is int
    assert find_knob("n_layers").check(value) == 4
    assert type(find_knob("temperature").check(value)) is float
    assert find_knob("temperature").check(value) == 4.0


@pytest.mark.parametrize("value", [3.5, "3.5", np.float64(2.000001)])
def test_a_count_is_whole(value: object) -> None:
    """Three and a half layers are refused, not rounded; a slider's nearest value is."""
    with pytest.raises(KnobNotWhole):
        find_knob("n_layers").check(value)
    assert find_knob("n_layers").nearest(value) == round(float(value))


@pytest.mark.parametrize("knob", CHOICES, ids=named)
def test_a_choice_is_one_of_its_words(knob: Knob) -> None:
    """Each is allowed; anything else is refused with the list of them."""
    assert [knob.check(choice) for choice in knob.choices] == list(knob.choices)
    for value in ("", "nothing", knob.default.upper(), 0, None, True, [], np.zeros(3)):
        with pytest.raises(KnobNotAChoice) as caught:
            knob.check(value)
        assert caught.value.values["choices"] == ", ".join(knob.choices)


@pytest.mark.parametrize("knob", SWITCHES, ids=named)
def test_a_switch_is_true_or_false(knob: Knob) -> None:
    """In the words of a command line too; numbers are no truth."""
    assert [knob.check(value) for value in (True, "true", "On", "YES", "1")] == [True] * 5
    assert [knob.check(value) for value in (False, "false", "Off", "NO", "0")] == [False] * 5
    for value in (0, 1, 1.0, None, "", "maybe", []):
        with pytest.raises(KnobNotAChoice):
            knob.check(value)


@pytest.mark.parametrize("knob", NUMBERS, ids=named)
def test_a_config_refuses_what_its_knob_refuses(knob: Knob) -> None:
    """The constructor is the border."""
    if knob.name not in ("n_heads", "d_model"):
        assert with_value(knob, knob.valid.high) == knob.valid.high
    with pytest.raises(KnobOutOfRange):
        with_value(knob, knob.valid.high * 2 + 1)
    with pytest.raises(KnobNotANumber):
        Config(**{knob.name: "x"})


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    """With both numbers, and a sentence that says them."""
    with pytest.raises(HeadsDoNotFit) as caught:
        Config(n_heads=7, d_model=64)

    assert caught.value.values == {"n_heads": 7, "d_model": 64}
    assert Words.load("zh").error(caught.value) == "7 个头不能整除 d_model 64。"
    assert Config(n_heads=8, d_model=64).d_head == 8
    assert Config(n_heads=2, d_model=10).d_head == 5


@pytest.mark.parametrize(
    ("given", "settled"),
    [
        ({"n_heads": 7, "d_model": 64}, {"n_heads": 8, "d_model": 64}),
        ({"n_heads": 6, "d_model": 64}, {"n_heads": 8, "d_model": 64}),
        ({"n_heads": 64, "d_model": 8}, {"n_heads": 8, "d_model": 8}),
        ({"n_heads": 9, "d_model": 1021}, {"n_heads": 1, "d_model": 1021}),
        ({"n_heads": 3, "d_model": 10}, {"n_heads": 2, "d_model": 10}),
        ({"d_model": 50}, {"n_heads": 5, "d_model": 50}),
        ({"n_layers": 0, "temperature": 99}, {"n_layers": 1, "temperature": 5.0}),
        ({"n_layers": 3.7, "dropout": -1}, {"n_layers": 4, "dropout": 0.0}),
        ({"n_layers": math.inf, "d_ff": -math.inf}, {"n_layers": 64, "d_ff": 4}),
        ({"max_len": "12", "position": "rotary", "bias": "off"}, {"max_len": 12, "position": "rotary", "bias": False}),
    ],
)
def test_the_nearest_config_is_close(given: dict[str, object], settled: dict[str, object]) -> None:
    """Numbers come into range; n_heads becomes a divisor: the next one where it moved to, else the closest."""
    nearest = Config().nearest_valid(**given)

    assert nearest == Config().changed(**{"n_heads": 4, **settled})


@pytest.mark.parametrize(("before", "wanted", "after"), [(4, 5, 8), (8, 7, 4), (8, 8, 8), (2, 1, 1), (32, 33, 64)])
def test_a_slider_of_heads_is_never_stuck(before: int, wanted: int, after: int) -> None:
    """One step up or down goes on to the next divisor of 64, not back to where it was."""
    assert Config(n_heads=before).nearest_valid(n_heads=wanted).n_heads == after


def test_a_valid_config_is_its_own_nearest() -> None:
    """Nothing is moved without need; steps bind sliders only."""
    config = Config(d_model=60, n_heads=5, temperature=1.2345)

    assert config.nearest_valid() == config
    assert config.nearest_valid(temperature=0.777).temperature == 0.777


anything_numeric = st.one_of(
    st.integers(),
    st.floats(allow_nan=False),
    st.fractions(),
    st.integers(-(10**400), 10**400),
    st.floats(allow_nan=False, width=32).map(np.float32),
    st.integers(-100, 2000).map(np.int64),
)


@given(st.dictionaries(st.sampled_from([knob.name for knob in NUMBERS]), anything_numeric))
def test_there_is_a_nearest_config_to_any_numbers(values: dict[str, object]) -> None:
    """Whatever a slider, a spin box or a notebook asks for can be built."""
    config = Config().nearest_valid(**values)

    assert config.d_model % config.n_heads == 0
    for knob in NUMBERS:
        assert knob.valid.low <= getattr(config, knob.name) <= knob.valid.high


@given(
    st.dictionaries(
        st.sampled_from([knob.name for knob in KNOBS]),
        st.one_of(st.integers(), st.floats(), st.text(max_size=4), st.none(), st.booleans()),
    )
)
def test_any_value_is_taken_or_refused_as_a_knob(values: dict[str, object]) -> None:
    """Nothing else ever comes out, and every refusal has its sentence."""
    for make in (Config().nearest_valid, Config().changed):
        try:
            make(**values)
        except BadKnob as error:
            assert Words.load("zh").error(error)


@pytest.mark.parametrize("make", [Config().changed, Config().nearest_valid])
def test_an_unknown_knob_is_refused_by_name(make: object) -> None:
    """A synonym is no knob."""
    with pytest.raises(UnknownKnob) as caught:
        make(num_heads=4)

    assert caught.value.values == {"name": "num_heads", "nearest": "n_heads"}


def test_a_config_is_a_value() -> None:
    """Frozen; a change makes a new one; equal ones are one key."""
    config = Config()
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        config.n_layers = 3

    assert config.changed(n_layers=3).n_layers == 3
    assert config.n_layers == 2
    assert len({Config(), Config(seed=0), Config(seed=1)}) == 2
    assert Config(**config.values()) == config


@pytest.mark.parametrize("knob", KNOBS, ids=named)
def test_every_knob_is_declared_whole(knob: Knob) -> None:
    """Default within range, a step that moves, factors only above zero, choices only for choices."""
    assert knob.applies in ("draw", "pass", "weights")
    assert knob.step > 0
    assert not knob.logarithmic or knob.valid.low > 0
    assert bool(knob.choices) == (knob.kind == "choice")
    if knob.kind in ("int", "float"):
        assert knob.valid.low <= knob.offered.low <= knob.default <= knob.offered.high <= knob.valid.high
    assert set(knob.weighing) < set(knob.choices) or not knob.weighing


def test_groups_stand_in_the_order_of_the_declaration() -> None:
    """And the knobs of one group stand together, so that a panel shows them in the order in which they are declared."""
    assert GROUPS == (
        "masks",
        "attention",
        "layer",
        "tokens",
        "decoding",
        "randomness",
        "computation",
        "shape",
        "initialization",
    )
    assert [knob.name for group in GROUPS for knob in KNOBS if knob.group == group] == [knob.name for knob in KNOBS]


def test_a_group_replaces_the_weights_or_it_does_not() -> None:
    """No group has both kinds of knobs, so that its title can say it once; those that replace trained weights come last."""
    kinds = {group: {knob.applies == "weights" for knob in KNOBS if knob.group == group} for group in GROUPS}

    assert all(len(kind) == 1 for kind in kinds.values())
    assert GROUPS[-len(UNTRAINED_GROUPS) :] == UNTRAINED_GROUPS == tuple(group for group in GROUPS if kinds[group] == {True})


def test_a_shape_is_what_decides_the_weights() -> None:
    """A knob of the pass leaves it alone, unless it is turned to a choice that brings weights of its own."""
    config = Config()

    assert config.shape == config.changed(temperature=2.0, position="rotary", activation="gelu").shape
    assert config.shape != config.changed(position="learned").shape
    assert all(config.shape != config.changed(**other).shape for other in ({"seed": 1}, {"d_ff": 8}, {"bias": False}))


def test_the_shape_of_another_config_can_be_taken() -> None:
    """Its learned positions too, and nothing else of its pass."""
    mine, other = Config(temperature=2.0, position="alibi"), Config(n_layers=3, seed=9, position="learned", temperature=0.5)

    assert mine.with_shape_of(other) == Config(n_layers=3, seed=9, position="learned", temperature=2.0)
    assert other.with_shape_of(mine) == Config(position="alibi", temperature=0.5)
    assert mine.with_shape_of(Config(position="rotary")).position == "alibi"


def test_what_differs_is_told_by_its_declaration() -> None:
    """In the order of the declaration, and nothing where nothing differs."""
    assert Config().differing(Config()) == ()
    assert Config().differing(Config(seed=3, n_layers=1)) == (find_knob("n_layers"), find_knob("seed"))


def test_the_paper_has_no_departures_from_itself() -> None:
    """Of the defaults only the place of the norm is another one; sizes stay as they are."""
    assert departures(Config()) == (("norm_placement", "pre", "post"),)
    assert departures(as_paper(Config(n_layers=5, temperature=2.0, masking="zeros"))) == ()
    assert as_paper(Config(n_layers=5, dropout=0.3)) == Config(n_layers=5, dropout=0.3, norm_placement="post")


def typed(knob: Knob) -> object:
    """The type that a type checker is told of a knob."""
    return typing.Literal[knob.choices] if knob.kind == "choice" else {"int": int, "float": float, "bool": bool}[knob.kind]


def test_a_type_checker_is_told_of_every_knob() -> None:
    """The same names in the same order, each with its own type, and all of them may be left out."""
    told = typing.get_type_hints(KnobValues)

    assert told == {knob.name: typed(knob) for knob in KNOBS}
    assert list(told) == [knob.name for knob in KNOBS]
    assert KnobValues.__required_keys__ == frozenset()


def test_the_types_of_another_knob_would_be_missed() -> None:
    """So that the comparison above says something: a further choice is another type."""
    mask = find_knob("mask_value")
    assert typed(mask) != typed(attrs.evolve(mask, choices=(*mask.choices, "-1")))


def test_a_misspelled_knob_is_told_with_the_closest_one() -> None:
    """Nothing is suggested for what is like none; both are the same kind of error."""
    with pytest.raises(UnknownKnob, match="temperature") as told:
        Config().changed(temperatur=2)
    assert told.value.values == {"name": "temperatur", "nearest": "temperature"}
    with pytest.raises(UnknownKnob) as told:
        Config().changed(xyz=2)
    assert told.value.values == {"name": "xyz"}
