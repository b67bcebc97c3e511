"""Recorded arrays are prepared when somebody looks at them, and not before."""

import pytest

import explorer
from explorer.trace.arrays import Arrays
from explorer.trace.tap_names import ATTENTION_MAP


@pytest.mark.parametrize("count", [4, 300])
def test_a_pass_prepares_no_array_that_nobody_looks_at(count: int) -> None:
    """Preparing copies most arrays, which once took 550 MB of a text of 4,096 tokens; large maps alone are looked at."""
    trace = explorer.explore("我" * count, preset="tiny", tokenizer="characters")
    assert isinstance(trace.arrays, Arrays)
    prepared = [tap for tap in trace.arrays._made if not (count > 100 and ATTENTION_MAP.search(tap))]
    assert prepared == []


def test_a_shape_is_known_without_its_array() -> None:
    """Of any tap; and an array that was asked for is prepared."""
    trace = explorer.explore("我爱北京", preset="tiny")
    assert isinstance(trace.arrays, Arrays)
    shapes = {tap: trace.shape(tap) for tap in trace.names()}
    assert not trace.arrays._made
    assert all(trace[tap].shape == shape for tap, shape in shapes.items())
    assert set(trace.arrays._made) == set(shapes)
