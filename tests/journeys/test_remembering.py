"""What is found out once by a process is what would have been found out again."""

import numpy as np
import pytest
import torch

from explorer.engine.compute import Computer
from explorer.engine.decoding import quick_weights
from explorer.engine.request import Request
from explorer.model import packed
from explorer.model.linear import Linear
from explorer.trace.found.findings import EXPERIMENTS
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


def test_weights_are_prepared_once_and_others_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same numbers in another model are taken as they were; one other number makes other products."""
    anew = packed.reordered
    Remembered().put_in(monkeypatch)
    first, same, other = (Linear(300, 400).requires_grad_(False) for _ in range(3))
    for each in (same, other):
        each.load_state_dict(first.state_dict())
    with torch.no_grad():
        other.weight[399, 299] += 1e-6
    assert packed.reordered(first.weight) is packed.reordered(same.weight)
    assert packed.reordered(first.weight) is not packed.reordered(other.weight)
    assert torch.equal(packed.reordered(first.weight).to_dense(), anew(first.weight).to_dense())
    assert quick_weights.Rounded(first) is quick_weights.Rounded(same)
    assert quick_weights.Rounded(first) is not quick_weights.Rounded(other)
    x = torch.randn(5, 300)
    for each in (first, same, other):
        each.pack()
        with torch.inference_mode():
            assert torch.allclose(each(x), torch.nn.functional.linear(x, each.weight, each.bias), atol=1e-4)
