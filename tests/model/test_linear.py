"""One row and many: the same numbers."""

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


def test_one_row_against_float64() -> None:
    """W·x + b, computed apart."""
    ours = Linear(300, 40)
    x = torch.randn(1, 1, 300)
    wanted = (ours.weight.double() @ x.double()[0, 0] + ours.bias.double()).float()

    torch.testing.assert_close(wanted[None, None], ours(x))


@pytest.mark.skipif(not hasattr(torch.ops.mkldnn, "_linear_pointwise"), reason="this torch has no packed product")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(300,), (1, 1, 300), (1, 2, 300), (1, 17, 300), (3, 40, 300), (1, 300, 300)])
def test_packed_weights_give_the_same_numbers(bias: bool, shape: tuple[int, ...]) -> None:
    """To 1e-5 of a float64 recomputation, for one row and for many, from memory in any order."""
    ours = Linear(300, 500, bias=bias).requires_grad_(False)
    x = torch.randn(shape)
    wanted = (x.double() @ ours.weight.double().T + (ours.bias.double() if bias else 0)).float()

    assert ours.pack()
    assert not ours.pack()  # it is done
    with torch.inference_mode():
        torch.testing.assert_close(ours(x), wanted, atol=1e-5, rtol=1e-5)
        if x.dim() == 3:
            crossed = x.transpose(0, 1).contiguous().transpose(0, 1)
            torch.testing.assert_close(ours(crossed), wanted, atol=1e-5, rtol=1e-5)


def test_weights_that_may_change_are_never_packed() -> None:
    """While they are learned, when they become another type, and when others are loaded."""
    learning = Linear(300, 500)
    assert not learning.pack()

    settled = Linear(300, 500).requires_grad_(False)
    x, other = torch.randn(2, 300), Linear(300, 500).requires_grad_(False)
    settled.pack()
    settled.load_state_dict(other.state_dict())
    with torch.inference_mode():
        torch.testing.assert_close(settled(x), other(x))

    settled.pack()
    with torch.inference_mode():
        torch.testing.assert_close(settled.double()(x.double()).float(), other(x))


def test_gradients_go_through_packed_weights() -> None:
    """The experiment on depth asks for them."""
    layer = Linear(300, 500).requires_grad_(False)
    layer.pack()
    x = torch.randn(2, 300, requires_grad=True)
    layer(x).sum().backward()

    torch.testing.assert_close(x.grad, layer.weight.sum(0).expand(2, -1))


def test_small_matrices_are_left_as_they_are() -> None:
    """A packed call costs more than their product."""
    assert not Linear(12, 7).requires_grad_(False).pack()
