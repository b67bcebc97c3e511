"""What is found out once by a process is what would have been found out again."""

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.trace.findings import EXPERIMENTS
from explorer.trace.trace import Trace
from tests.journeys.remembering import SWEEPS, Remembered


def looked_into(computer: Computer, text: str, **knobs: object) -> Trace:
    request = Request.from_preset("tiny", text, **knobs)
    return computer(request.asking(experiments=frozenset(EXPERIMENTS))).trace


def test_it_is_remembered_by_all_that_it_follows_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same again for the same sentence and weights alone, and equal to what is found anew."""
    slow = ("patching", "vectors", *SWEEPS)
    anew = looked_into(Computer(), "你好吗").experiments
    Remembered().put_in(monkeypatch)
    first, again = (looked_into(Computer(), "你好吗").experiments for _ in range(2))
    others = [looked_into(Computer(), text, seed=seed).experiments for text, seed in (("你好", 0), ("你好吗", 5))]

    assert list(first) == list(again) == list(anew)
    assert all(first[name] is again[name] for name in slow)
    assert all(first[name] is not other[name] for name in slow for other in others)
    assert np.array_equal(first["effects_exact"].values, anew["effects_exact"].values)
