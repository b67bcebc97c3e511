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
