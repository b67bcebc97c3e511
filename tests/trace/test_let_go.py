"""A Trace that is let go is free at once: nothing that it keeps holds it in a circle.

A window lets one go at each key, and its arrays are hundreds of megabytes of a long text; the collector, which finds circles,
comes by seldom.
"""

import copy
import gc
import pickle
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
import pytest

from explorer.errors import NoFittedLens
from explorer.trace.found.findings import NotMade
from explorer.trace.trace import Trace
from tests.trace.found.test_why import made


@contextmanager
def collecting_off() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def is_free(ask: Callable[[Trace], object]) -> bool:
    """Whether a Trace of which something was asked is gone as soon as nobody has it."""
    _model, whole = made()
    trace = attrs.evolve(whole, experiments={**whole.experiments, "lens": NotMade(NoFittedLens(preset="tiny"))})
    gone = weakref.ref(trace)
    with collecting_off():
        ask(trace)
        del trace
        return gone() is None


def refused(trace: Trace) -> None:
    """The error that the Trace keeps is raised again, and caught."""
    with pytest.raises(NoFittedLens):
        trace.lens()


@pytest.mark.parametrize(
    "ask",
    [
        lambda trace: trace.why(1),
        lambda trace: trace.why(1).inside("decoder.cross_attn", 0, 0),
        lambda trace: trace.expected,
        repr,
        refused,
    ],
    ids=["why", "inside", "expected", "told", "refused"],
)
def test_a_trace_is_free_when_it_is_let_go(ask: Callable[[Trace], object]) -> None:
    assert is_free(ask)


def test_a_circle_would_be_seen() -> None:
    """So that the test above can fail: somebody holds the Trace."""
    held: list[Trace] = []
    assert not is_free(held.append)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda trace: pickle.loads(pickle.dumps(trace))], ids=["copied", "pickled"])
def test_a_trace_that_was_asked_why_can_be_copied(copied: Callable[[Trace], Trace]) -> None:
    """What it keeps goes along or is worked out again."""
    trace = attrs.evolve(made()[1])
    parts = trace.why(1)
    assert (copied(trace).why(1).shares == parts.shares).all()
    assert (copied(parts).trace.why(1).shares == parts.shares).all()  # type: ignore[arg-type, union-attr]


def test_parts_are_worked_out_once_and_hold_their_trace() -> None:
    """They can be gone into after everything else was let go."""
    trace = attrs.evolve(made()[1])
    parts = trace.why(1)
    assert trace.why(1).shares is parts.shares and parts.trace is trace
    del trace
    place = parts.index("decoder.cross_attn", 0, 0)
    assert place is not None
    assert parts.inside("decoder.cross_attn", 0, 0).values.sum() == pytest.approx(parts.values[place], abs=1e-5)
