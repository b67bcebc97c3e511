"""Products with weights of eight bits: near the exact ones, and refused where torch has none or a wrong one."""

import pytest
import torch
from torch import Tensor

from explorer.engine.speed.rounded import CannotRoundError, Rounded
from explorer.model.linear import Linear
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


def test_no_sum_of_large_products_is_cut_off() -> None:
    """All numbers are the largest of eight bits. A processor without instructions for them adds two products up in sixteen
    bits, which have no room for these: it gives half of the sum."""
    layer = a_layer(bias=False)
    layer.weight[:] = 0.5

    torch.testing.assert_close(Rounded(layer)(torch.ones(3, 40)), torch.full((3, 24), 20.0), rtol=0.01, atol=0)


@pytest.mark.parametrize("cuts", [False, True])
def test_x_has_seven_bits_where_sums_are_cut_off(cuts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else all eight: they guess better."""
    asked = []

    def product(x: Tensor, packed: tuple[Tensor, Tensor | None], seven_bits: bool) -> Tensor:
        asked.append(seven_bits)
        exact = torch.nn.functional.linear(x, *packed)
        return 0.505 * exact if cuts and not seven_bits else exact

    monkeypatch.setattr(torch.ops.quantized, "linear_prepack", lambda weight, bias: (weight.dequantize(), bias))
    monkeypatch.setattr(torch.ops.quantized, "linear_dynamic", product)
    rounded = Rounded(a_layer())
    asked.clear()
    rounded(noise(5, 40))

    assert asked == [cuts]


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


def _wrong(x: Tensor, *_given: object) -> Tensor:
    return torch.zeros(len(x), 24)


@pytest.mark.parametrize(("name", "instead"), [("linear_prepack", _missing), ("linear_dynamic", _wrong)])
def test_a_torch_without_such_products_is_noticed(name: str, instead: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has no engine for them, and one that computes something else."""
    monkeypatch.setattr(torch.ops.quantized, name, instead)
    with pytest.raises(CannotRoundError):
        Rounded(a_layer())
