"""Products with weights of eight bits: near the exact ones, and refused where torch has none or a wrong one."""

import pytest
import torch
from torch import Tensor

from explorer.model.linear import Linear
from explorer.model.rounded import CannotRoundError, Rounded
from tests.model.models import noise, randomized


def a_layer(*, bias: bool = True) -> Linear:
    return randomized(Linear(40, 24, bias=bias))  # type: ignore[return-value]


@pytest.mark.parametrize("bias", [True, False])
def test_a_rounded_product_is_near_the_exact_one(bias: bool) -> None:
    """Within five hundredths of it, and not the same: else nothing was rounded."""
    layer, x = a_layer(bias=bias), noise(7, 40)
    exact, got = layer(x), Rounded(layer)(x)

    assert got.shape == exact.shape
    assert 0 < (got - exact).norm() < 0.05 * exact.norm()


def test_a_row_of_zeros_stays_one() -> None:
    """Its step would be zero."""
    layer = a_layer(bias=False)
    layer.weight[3] = 0

    assert (Rounded(layer)(noise(5, 40))[:, 3] == 0).all()


def test_rounding_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    """torch tells developers that it will give up such products; readers of a terminal need not know."""
    Rounded(a_layer())

    assert not recwarn.list


def _missing(*_given: object) -> object:
    raise RuntimeError("Didn't find engine")


def _wrong(_x: Tensor, _packed: object) -> Tensor:
    return torch.zeros(2, 24)


@pytest.mark.parametrize(("name", "instead"), [("linear_prepack", _missing), ("linear_dynamic", _wrong)])
def test_a_torch_without_such_products_is_noticed(name: str, instead: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has no engine for them, and one that computes something else."""
    monkeypatch.setattr(torch.ops.quantized, name, instead)
    with pytest.raises(CannotRoundError):
        Rounded(a_layer())
