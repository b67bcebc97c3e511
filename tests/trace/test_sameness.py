"""Traces as values: equality, length, iteration, copies and pickles."""

import copy
import pickle
from pathlib import Path

import attrs
import numpy as np
import pytest

import explorer
from explorer.errors import UnknownKnob
from explorer.trace.arrays import frozen_array
from explorer.trace.changes import Change
from explorer.trace.found.experiments import IN_FORMULAS
from explorer.trace.trace import Trace
from tests.trace.runs import a_trace


def changed(trace: Trace, tap: str, value: float) -> Trace:
    """The Trace with another number in the first place of a tap."""
    array = trace[tap].copy()
    array.flat[0] = value
    return attrs.evolve(trace, arrays={**trace.arrays, tap: frozen_array(array)})


def test_the_same_numbers_are_the_same_trace(tmp_path: Path) -> None:
    """One that was saved and loaded, and one with NaN in the same place."""
    trace = a_trace()
    trace.save(tmp_path / "x.npz")
    loaded = Trace.load(tmp_path / "x.npz")

    assert loaded == trace and hash(loaded) == hash(trace)
    assert changed(trace, "encoder.norm", np.nan) == changed(trace, "encoder.norm", np.nan)
    assert {trace: 1}[loaded] == 1


@pytest.mark.parametrize(
    "other",
    [
        lambda trace: changed(trace, "encoder.norm", float(np.nextafter(trace["encoder.norm"].flat[0], np.float32(9)))),
        lambda trace: attrs.evolve(trace, source="x"),
        lambda trace: attrs.evolve(trace, places=frozen_array(trace.places + 1)),
        lambda trace: attrs.evolve(trace, decoder_places=trace.places),
        lambda trace: attrs.evolve(trace, changes=(Change("encoder.norm", "scale", value=2.0),)),
        lambda trace: attrs.evolve(trace, axis_names={**trace.axis_names, "encoder.norm": ("position", "other")}),
        lambda trace: "a text",
        lambda trace: None,
    ],
)
def test_any_difference_makes_another(other: object) -> None:
    """The last bit of one number, a text, a table, a change, the name of an axis, another kind of thing."""
    trace = a_trace()
    assert trace != other(trace)


def test_it_counts_and_names_its_taps() -> None:
    """`len`, a loop, and it is never false."""
    trace = a_trace()
    assert len(trace) == len(trace.names())
    assert list(trace) == list(trace.names())
    assert attrs.evolve(trace, arrays={}, axis_names={})


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda trace: pickle.loads(pickle.dumps(trace))])
def test_copies_are_the_same_and_read_only(again: object) -> None:
    """NumPy forgets in a pickle that an array is read-only; a Trace does not."""
    trace = a_trace()
    made = again(trace)

    assert made == trace and made is not trace
    assert not any(made[name].flags.writeable for name in made)
    assert not made.places.flags.writeable
    assert made.map("encoder.layers.0.self_attn.weights").head(0) is not None
    with pytest.raises(TypeError, match="item assignment"):
        made.axis_names["x"] = ()


@pytest.mark.slow  # every experiment is made
def test_whatever_was_found_out_travels_with_it() -> None:
    """All experiments, left out changes and kept maps, so that processes can hand Traces to each other."""
    for name in IN_FORMULAS:
        trace = explorer.explore("我爱北京天安门", preset="tiny", experiments=[name])
        made = pickle.loads(pickle.dumps(trace))
        assert made == trace
        assert set(made.experiments) == set(trace.experiments) == {name}
    out = Change("encoder.layers.0.norm1", "scale", rows=(99,), value=0.0)
    refused = attrs.evolve(a_trace(), left_out={out: UnknownKnob(name="x")})
    assert str(pickle.loads(pickle.dumps(refused)).left_out[out]) == str(refused.left_out[out])
    long = explorer.explore("一" * 600, preset="tiny", tokenizer="characters", max_len=1024, memory_budget=16)
    made = pickle.loads(pickle.dumps(long))
    assert made == long and dict(made.maps).keys() == dict(long.maps).keys()
    kept = next(each for each in made.maps.values() if each.levels is not None)
    assert not any(array.flags.writeable for array in kept.levels.arrays)
