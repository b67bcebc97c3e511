"""The list of all taps."""

import numpy as np
import pytest

import explorer
from explorer.picture.makers import taps
from tests.picture.examples import example


def test_each_row_is_a_tap_with_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the flow; a summary is computed once, when it is asked for."""
    asked: list[int] = []

    def counted(array: np.ndarray) -> object:
        asked.append(array.size)
        return summary(array)

    summary = taps.summary
    monkeypatch.setattr(taps, "summary", counted)
    trace = example()
    listed = taps.TapList(trace)
    assert listed.names == trace.names() and asked == []
    row = listed.names.index("generator.logits")
    assert listed.shapes[row] == "[position 4, vocab 8000]"
    for _ in range(2):
        assert listed.summary(row).low == pytest.approx(float(trace["generator.logits"].min()))
    assert asked == [32000]


def test_sizes_are_those_of_the_arrays() -> None:
    """The short form of a shape names the same numbers as the array has, in the same order."""
    trace = explorer.explore("我爱北京天安门", preset="tiny")
    made = taps.TapList(trace)

    assert [tuple(map(int, sizes.split("×"))) for sizes in made.sizes] == [trace[name].shape for name in made.names]
