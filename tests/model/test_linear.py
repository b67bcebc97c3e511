"""A linear layer computes what torch's own does."""

import pytest
import torch
from torch import nn

from explorer.model.linear import Linear


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(12,), (1, 12), (1, 1, 12), (2, 12), (1, 3, 12), (4, 1, 12), (0, 12)])
def test_it_is_torchs_linear(bias: bool, shape: tuple[int, ...]) -> None:
    """Whatever the rows, and with gradients."""
    ours, theirs = Linear(12, 7, bias=bias), nn.Linear(12, 7, bias=bias)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(shape)

    torch.testing.assert_close(theirs(x), ours(x))
    if len(x):
        ours(x).sum().backward()
        theirs(x).sum().backward()
        torch.testing.assert_close(theirs.weight.grad, ours.weight.grad)


def test_fresh_weights_are_torchs_and_none_are_drawn_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same seed the same numbers; on the "meta" device torch is not even asked."""
    torch.manual_seed(0)
    ours = Linear(12, 7)
    torch.manual_seed(0)
    theirs = nn.Linear(12, 7)
    assert torch.equal(theirs.weight, ours.weight) and torch.equal(theirs.bias, ours.bias)

    monkeypatch.setattr(nn.Linear, "reset_parameters", lambda _self: pytest.fail("drawn"))
    assert Linear(12, 7, device="meta").weight.is_meta
    with pytest.raises(pytest.fail.Exception):
        Linear(12, 7)


def test_one_row_against_float64() -> None:
    """W·x + b, computed apart."""
    ours = Linear(250, 40)
    x = torch.randn(1, 1, 250)
    wanted = (ours.weight.double() @ x.double()[0, 0] + ours.bias.double()).float()

    torch.testing.assert_close(wanted[None, None], ours(x))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("grad", [True, False])
def test_one_row_under_autocast_is_torchs_linear(bias: bool, grad: bool) -> None:
    """A batch of one token trained in bfloat16: torch casts for its linear, not for its product of a matrix and a vector."""
    linear = Linear(16, 24, bias=bias)
    plain = torch.nn.Linear(16, 24, bias=bias)
    plain.load_state_dict(linear.state_dict())
    row = torch.randn(1, 1, 16, generator=torch.Generator().manual_seed(0)).bfloat16()
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.set_grad_enabled(grad):
        assert torch.equal(plain(row), linear(row))
