"""What a list of taps says of each: its figures, and how far another pass is from it."""

import math

import attrs
import numpy as np
import pytest

from explorer.stops import Superseded
from explorer.trace.arrays import frozen_array
from explorer.trace.measures.measures import summary
from explorer.trace.measures.tap_figures import agree, differences, grouped, largest, measured_taps, tap_figures
from explorer.trace.trace import Trace
from tests.picture.examples import example

LOGITS = "generator.logits"


def beside(text: str = "我爱北京天安门", **knobs: object) -> Trace:
    return attrs.evolve(example(), compared_with=example(text=text, **knobs))


def test_the_largest_difference_is_that_of_any_place() -> None:
    """Of every tap, against float64; the taps before the knob acts have none, so that one sees where the passes part."""
    trace = beside(temperature=0.5)
    other = trace.compared_with
    found = measured_taps(trace, trace.names()).figures
    assert other is not None and list(found) == list(trace.names())
    for name, about in found.items():
        with np.errstate(invalid="ignore"):
            apart = np.abs(trace[name].astype(np.float64) - other[name].astype(np.float64))
        assert about.difference == pytest.approx(float(np.nanmax(apart)), rel=1e-6, abs=1e-12), name
        assert about.dtype == "float32"
    parted = [name for name, about in found.items() if about.difference]
    assert parted[0] == "encoder.layers.0.self_attn.scaled"
    assert found["encoder.layers.0.self_attn.scores"].difference == 0


def test_of_other_shapes_there_is_no_difference() -> None:
    """A shorter sentence has other places; a vector of the vocabulary's size agrees where nothing else does."""
    trace = beside(text="我爱")

    assert not agree(trace, LOGITS) and tap_figures(trace, LOGITS).difference is None
    assert not agree(example(), LOGITS) and tap_figures(example(), LOGITS).difference is None
    assert not agree(trace, "no.such.tap")


def test_two_equal_infinities_are_no_difference() -> None:
    """A closed score is −∞ in both passes; closed in one alone it is infinitely far; NaN is nothing that can be compared."""
    one = np.array([-np.inf, -np.inf, 1, np.nan], np.float32)
    two = np.array([-np.inf, 2, 4, 1], np.float32)

    assert differences(one, two).tolist()[:3] == [0, -math.inf, -3]
    assert math.isnan(differences(one, two)[3])
    assert largest(one, two) == math.inf
    assert largest(one[[0, 2, 3]], two[[0, 2, 3]]) == 3
    assert largest(one[:0], two[:0]) == 0


def test_figures_of_many_blocks_are_those_of_the_whole() -> None:
    """Against NumPy's own in float64, of an array that is measured in three blocks, some of it not finite."""
    numbers = np.random.default_rng(3).normal(5, 2, 600_000).astype(np.float32)
    numbers[[7, 400_000]] = np.nan, np.inf
    about, finite = summary(numbers), numbers[np.isfinite(numbers)].astype(np.float64)

    assert (about.low, about.high) == (finite.min(), finite.max())
    assert about.mean == pytest.approx(finite.mean(), rel=1e-12)
    assert about.deviation == pytest.approx(finite.std(), rel=1e-12)
    assert (about.nan_share, about.infinite_share) == (1 / 600_000, 1 / 600_000)


def test_measuring_gives_way() -> None:
    """Between two blocks, whichever figure is being worked out."""
    trace = beside(seed=7)
    with pytest.raises(Superseded):
        tap_figures(trace, LOGITS, lambda: True)
    with pytest.raises(Superseded):
        largest(trace[LOGITS], trace[LOGITS], lambda: True)
    assert tap_figures(trace, LOGITS, lambda: False) == tap_figures(trace, LOGITS)


def test_a_piece_has_about_a_million_numbers() -> None:
    """No tap is lost, and one that is larger stands alone."""
    wide = frozen_array(np.zeros((2, 700_000)))
    trace = attrs.evolve(
        example(),
        arrays={"a": wide[:1], "b": wide, "c": wide[:1, :9], "d": wide[:1, :9]},
        axis_names=dict.fromkeys("abcd", ("x", "y")),
    )

    assert grouped(trace, ("a", "b", "c", "d")) == (("a",), ("b",), ("c", "d"))
    assert grouped(trace, ()) == ()
