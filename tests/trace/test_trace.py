"""A Trace: names, axes, tokens, and that nothing in it can be changed."""

import numpy as np
import pytest

from explorer.errors import UnknownTap
from explorer.lang import Words
from explorer.trace.arrays import frozen_array
from explorer.trace.recorded_pass import unknown_tap
from explorer.trace.trace import Trace
from tests.trace.runs import a_trace


def test_it_gives_arrays_and_axes_by_name() -> None:
    """As many axes as dimensions, for every tap."""
    trace = a_trace()

    assert trace["encoder.layers.0.self_attn.weights"].shape == (4, 5, 5)
    assert trace.axes("encoder.layers.0.self_attn.weights") == ("head", "query", "key")
    assert "encoder.norm" in trace
    assert "encoder.nor" not in trace
    assert all(len(trace.axes(name)) == trace[name].ndim for name in trace.names())


@pytest.mark.parametrize("look", [lambda trace, name: trace[name], lambda trace, name: trace.axes(name)])
def test_an_unknown_name_gets_the_closest_one(look: object) -> None:
    """The sentence names both."""
    with pytest.raises(UnknownTap) as caught:
        look(a_trace(), "encoder.layers.0.self_attn.wights")

    assert caught.value.values["nearest"] == "encoder.layers.0.self_attn.weights"
    assert "encoder.layers.0.self_attn.weights" in Words.load("zh").error(caught.value)


def test_where_there_are_no_taps_nothing_is_close() -> None:
    """The error still says what was asked for."""
    assert unknown_tap("x", ()).values == {"name": "x", "nearest": ""}


def test_it_cannot_be_changed() -> None:
    """Neither a field, nor the mappings, nor a number."""
    trace = a_trace()
    with pytest.raises(AttributeError):
        trace.source = "x"
    with pytest.raises(TypeError, match="item assignment"):
        trace.arrays["x"] = trace.places
    with pytest.raises(TypeError, match="item assignment"):
        trace.axis_names["x"] = ()
    with pytest.raises(ValueError, match="read-only"):
        trace["encoder.norm"][0, 0] = 1


def test_a_frozen_array_is_ones_own() -> None:
    """A change of the original does not reach it."""
    original = np.zeros((2, 3)).T
    frozen = frozen_array(original)
    original[0, 0] = 5

    assert frozen.tolist() == np.zeros((3, 2)).tolist()
    assert frozen.flags.c_contiguous


@pytest.mark.parametrize(
    ("name", "side", "keys"),
    [
        ("encoder.layers.0.self_attn.weights", "source", "source"),
        ("decoder.layers.0.self_attn.weights", "target", "target"),
        ("decoder.layers.0.cross_attn.weights", "target", "source"),
        ("generator.logits", "target", "target"),
    ],
)
def test_tokens_stand_along_their_axes(name: str, side: str, keys: str) -> None:
    """Across, queries are the target's and keys the source's."""
    trace = a_trace()

    assert trace.side(name) is getattr(trace.tokens, side)
    assert trace.keys(name) is getattr(trace.tokens, keys)


def test_an_encoder_alone_answers_for_the_source() -> None:
    """There is no target, so the generator's rows are the source's."""
    both = a_trace()
    trace = Trace(
        arrays={}, axis_names={}, tokens=type(both.tokens)(source=both.tokens.source), config=both.config, places=both.places
    )

    assert trace.side("generator.logits") is trace.tokens.source
