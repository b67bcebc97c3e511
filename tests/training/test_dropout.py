"""Dropout from random bytes is dropout."""

import pytest
import torch
from torch.nn import Dropout

from explorer.model.weights import build
from explorer.training.dropout import ByteDropout, with_byte_dropout
from tests.training.runs import CONFIG


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5, 0.9])
def test_the_share_of_zeros_and_the_scale_are_those_of_dropout(p: float) -> None:
    """p to the nearest 1/256, the rest divided by 1 - p, so that the mean stays 1; to five standard deviations."""
    torch.manual_seed(1)
    x = torch.ones(400_000)
    y = ByteDropout(p)(x)
    nearest = round(p * 256) / 256
    spread = (nearest * (1 - nearest) / len(x)) ** 0.5

    assert abs((y == 0).double().mean().item() - nearest) < 5 * spread
    assert y[y != 0].unique().tolist() == pytest.approx([1 / (1 - nearest)])
    assert y.double().mean().item() == pytest.approx(1, abs=5 * spread / (1 - nearest))
    assert abs(nearest - p) <= 1 / 512


def test_each_place_is_decided_by_itself() -> None:
    """Neighbours share a 64-bit number; the chance that both are kept is still the product."""
    torch.manual_seed(2)
    kept = (ByteDropout(0.5)(torch.ones(50_000, 8)) != 0).double()
    together = kept.T @ kept / len(kept)

    torch.testing.assert_close(together, torch.full((8, 8), 0.25).double().fill_diagonal_(0.5), atol=0.015, rtol=0)


def test_the_gradient_goes_through_what_was_kept() -> None:
    """The very factors that the values were multiplied by."""
    x = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(3), requires_grad=True)
    y = ByteDropout(0.4)(x)
    weight = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(4))
    (y * weight).sum().backward()

    torch.testing.assert_close(x.grad, weight * (y / x).detach())
    assert 0 < (x.grad == 0).sum() < x.numel()


@pytest.mark.parametrize("p", [0.0, 0.001])
def test_no_probability_is_no_dropout(p: float) -> None:
    """The very same tensor, and no random number drawn."""
    x, before = torch.randn(5), torch.get_rng_state()

    assert ByteDropout(p)(x) is x
    assert torch.equal(torch.get_rng_state(), before)


def test_it_rests_outside_training() -> None:
    """As torch's own does."""
    x = torch.randn(5)

    assert ByteDropout(0.5).eval()(x) is x


@pytest.mark.parametrize("shape", [(), (1,), (7,), (8,), (9, 1), (2, 0), (4, 3, 5)])
def test_any_shape_and_any_layout(shape: tuple[int, ...]) -> None:
    """Single numbers, no numbers, and a tensor that was turned round."""
    x = torch.ones(shape).T if len(shape) == 2 else torch.ones(shape)
    y = ByteDropout(0.5)(x)

    assert y.shape == x.shape
    assert set(y.flatten().tolist()) <= {0.0, 2.0}


def test_the_same_seed_drops_the_same() -> None:
    """Whatever else was drawn before the seed was set."""
    drop = ByteDropout(0.5)
    torch.manual_seed(5)
    first = drop(torch.ones(100))
    torch.manual_seed(5)

    assert torch.equal(drop(torch.ones(100)), first)
    assert not torch.equal(drop(torch.ones(100)), first)


def test_half_precision_stays_what_it_is() -> None:
    """Values and gradients."""
    x = torch.ones(64, dtype=torch.bfloat16, requires_grad=True)
    y = ByteDropout(0.5)(x)
    y.sum().backward()

    assert (y.dtype, x.grad.dtype) == (torch.bfloat16, torch.bfloat16)


def test_every_dropout_of_a_model_is_replaced() -> None:
    """With its probability and its state; nothing else is."""
    model = build(CONFIG)
    before = {name: type(module) for name, module in model.named_modules()}
    model.decoder.eval()
    with_byte_dropout(model)

    for name, module in model.named_modules():
        assert type(module) is (ByteDropout if before[name] is Dropout else before[name])
        if isinstance(module, ByteDropout):
            assert module.p == CONFIG.dropout
            assert not module.training
    assert Dropout in before.values()
