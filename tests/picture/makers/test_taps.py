"""The list of all taps."""

import gc
import weakref

import pytest

import explorer
from explorer.picture.makers.taps import tap_list, tap_summary
from explorer.trace.trace import Trace
from tests.picture.examples import example


def test_each_row_is_a_tap_with_its_figures() -> None:
    """In the order of the flow."""
    trace = example()
    listed = tap_list(trace)
    assert listed.names == trace.names()
    assert listed.shapes[listed.names.index("generator.logits")] == "[position 4, vocab 8000]"
    about = tap_summary(trace, "generator.logits")
    assert about is not None and about.low == pytest.approx(float(trace["generator.logits"].min()))


def test_sizes_are_those_of_the_arrays() -> None:
    """The short form of a shape names the same numbers as the array has, in the same order."""
    trace = explorer.explore("我爱北京天安门", preset="tiny")
    made = tap_list(trace)

    assert [tuple(map(int, sizes.split("×"))) for sizes in made.sizes] == [trace[name].shape for name in made.names]


def test_the_list_holds_no_trace() -> None:
    """A table that nobody sees keeps the list, and the recorded arrays are free."""

    def listed() -> tuple[object, "weakref.ref[Trace]"]:
        trace = explorer.explore("我爱你", preset="tiny")
        return tap_list(trace), weakref.ref(trace)

    gc.collect()
    gc.disable()  # What waits for the collector is not free.
    try:
        made, gone = listed()
        assert made is not None and gone() is None
    finally:
        gc.enable()
