"""Recorded arrays are prepared when somebody looks at them, and not before."""

import pytest

import explorer
from explorer.trace.arrays import Array, Arrays
from explorer.trace.tap_names import ATTENTION_MAP


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The taps whose arrays were asked for."""
    seen, whole = set[str](), Arrays.__getitem__

    def asked(arrays: Arrays, name: str) -> Array:
        seen.add(name)
        return whole(arrays, name)

    monkeypatch.setattr(Arrays, "__getitem__", asked)
    return seen


@pytest.mark.parametrize("count", [4, 300])
def test_a_pass_prepares_no_array_that_nobody_looks_at(count: int, prepared: set[str]) -> None:
    """Preparing copies most arrays, which once took 550 MB of a text of 4,096 tokens; large maps alone are looked at."""
    explorer.explore("我" * count, preset="tiny", tokenizer="characters")
    assert [tap for tap in prepared if not (count > 100 and ATTENTION_MAP.search(tap))] == []


def test_a_shape_is_known_without_its_array(prepared: set[str]) -> None:
    """Of any tap; and an array that was asked for is prepared."""
    trace = explorer.explore("我爱北京", preset="tiny")
    shapes = {tap: trace.shape(tap) for tap in trace.names()}
    assert not prepared
    assert all(trace[tap].shape == shape for tap, shape in shapes.items())
    assert prepared == set(shapes)
