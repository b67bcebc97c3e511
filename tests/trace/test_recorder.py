"""Recording: copies that nobody can change, and no hook left behind."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from explorer.model.tap import Tap, taps
from explorer.model.transformer import Transformer, ids_tensor
from explorer.model.weights import build
from explorer.trace.recorder import record
from explorer.trace.superseded import Superseded
from tests.trace.runs import SOURCE, TARGET, small


class Overwriting(nn.Module):
    """Shows a tensor and then changes it in place, as models do to save memory."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = Tap("batch position"), Tap("batch position")

    def forward(self, x: Tensor) -> Tensor:
        shown = self.before(x)
        shown.zero_()
        return self.after(shown)


def hooks(model: nn.Module) -> int:
    return sum(len(module._forward_hooks) for module in model.modules())


@pytest.fixture(scope="module")
def model() -> Transformer:
    return build(small())


def run(model: Transformer) -> Tensor:
    return model(ids_tensor(SOURCE), ids_tensor(TARGET))


def test_a_tap_returns_the_very_tensor() -> None:
    """An identity: with or without recording the model computes the same."""
    x = torch.ones(1, 2)

    assert Tap("batch position")(x) is x


def test_recording_changes_no_number(model: Transformer) -> None:
    """To the last bit."""
    plain = run(model)
    with record(model):
        recorded = run(model)

    assert (plain == recorded).all()


def test_a_later_change_in_place_does_not_reach_the_record() -> None:
    """What is recorded is a copy."""
    model = Overwriting()
    with record(model) as recording:
        model(torch.ones(1, 3))

    assert recording.arrays["before"].tolist() == [1, 1, 1]
    assert recording.arrays["after"].tolist() == [0, 0, 0]


def test_arrays_are_contiguous_read_only_float32(model: Transformer) -> None:
    """Whatever the tensor's own layout was."""
    with record(model) as recording:
        run(model)

    for array in recording.arrays.values():
        assert array.dtype == np.float32
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_other_types_become_float32() -> None:
    """float64, bfloat16, and tensors that want gradients."""
    model = Overwriting()
    for kind in (torch.float64, torch.bfloat16):
        with record(model) as recording:
            model(torch.ones(1, 3, dtype=kind))
        assert recording.arrays["before"].dtype == np.float32
    tap = nn.Sequential(Tap("batch position"))
    with record(tap) as recording:
        tap(torch.ones(1, 3, requires_grad=True))
    assert recording.arrays["0"].tolist() == [1, 1, 1]


def test_hooks_live_as_long_as_the_block(model: Transformer) -> None:
    """One on each tap inside, none before and after."""
    assert hooks(model) == 0
    with record(model):
        assert hooks(model) == len(taps(model))
    assert hooks(model) == 0


def test_an_exception_leaves_no_hook(model: Transformer) -> None:
    """Neither one in the block nor one in the pass."""
    with pytest.raises(RuntimeError, match="mine"), record(model):
        raise RuntimeError("mine")
    with pytest.raises(IndexError), record(model):
        model(ids_tensor((999,)), ids_tensor(TARGET))

    assert hooks(model) == 0


def test_a_refused_hook_leaves_no_hook(model: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when setting them fails halfway."""
    last = list(taps(model).values())[-1]

    def refuse(_hook: object) -> None:
        raise RuntimeError("no more hooks")

    monkeypatch.setattr(last, "register_forward_hook", refuse)
    with pytest.raises(RuntimeError, match="no more hooks"), record(model):
        pytest.fail("the block must not be entered")

    assert hooks(model) == 0


def test_stop_ends_the_pass_at_a_tap(model: Transformer) -> None:
    """Superseded comes out of the block, what was seen so far stays seen, and no hook is left."""
    asked: list[None] = []

    def stop() -> bool:
        asked.append(None)
        return len(asked) > 10

    with pytest.raises(Superseded), record(model, stop) as recording:
        run(model)

    assert len(recording.arrays) == 10
    assert hooks(model) == 0


def test_blocks_may_stand_in_each_other(model: Transformer) -> None:
    """Both see the pass inside; the outer one goes on alone."""
    with record(model) as outer:
        with record(model) as inner:
            run(model)
        assert hooks(model) == len(taps(model))
        seen = inner.arrays["generator.logits"]
        model(ids_tensor((5,)), ids_tensor((6,)))

    assert hooks(model) == 0
    assert inner.arrays["generator.logits"] is seen
    assert outer.arrays["generator.logits"].shape == (1, 50)


def test_a_batch_of_two_is_refused(model: Transformer) -> None:
    """A Trace is of one sentence; two would be cut down to one silently."""
    with pytest.raises(ValueError, match="too many values"), record(model):
        model(torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.long))
