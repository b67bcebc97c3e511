"""Both norms against independent sources."""

import numpy as np
import pytest
import torch
from torch import nn

from explorer.model.norm import StdEpsNorm, make_norm
from tests.model.models import assert_same, noise, randomized


def test_the_default_norm_is_torchs() -> None:
    """One is never re-implemented: biased variance, eps 1e-5 inside the root."""
    ours, theirs = randomized(make_norm("torch", 16)), nn.LayerNorm(16)
    theirs.load_state_dict(ours.state_dict())
    x = noise(3, 5, 16) * 7 + 2

    assert_same(ours(x), theirs(x))


def test_the_tutorials_norm_divides_by_std_plus_eps() -> None:
    """weight·(x - mean)/(std + 1e-6) + bias with the unbiased std, recomputed in float64."""
    ours = randomized(make_norm("std-eps", 16))
    x = noise(3, 5, 16) * 7 + 2
    wide = x.double().numpy()
    deviation = np.sqrt(((wide - wide.mean(-1, keepdims=True)) ** 2).sum(-1, keepdims=True) / 15)
    expected = ours.weight.double().numpy() * (wide - wide.mean(-1, keepdims=True)) / (deviation + 1e-6)

    assert_same(ours(x), torch.from_numpy(expected + ours.bias.double().numpy()))


@pytest.mark.parametrize(
    ("kind", "expected"), [("torch", [-1.3416, -0.4472, 0.4472, 1.3416]), ("std-eps", [-1.1619, -0.3873, 0.3873, 1.1619])]
)
def test_one_to_four_has_known_values(kind: str, expected: list[float]) -> None:
    """Tutorial E, row E13: the deviation of 1, 2, 3, 4 is 1.1180 biased and 1.2910 unbiased."""
    normalized = make_norm(kind, 4)(torch.tensor([1.0, 2.0, 3.0, 4.0]))

    assert normalized.tolist() == pytest.approx(expected, abs=1e-4)


def test_the_two_norms_differ() -> None:
    """By up to 0.1 on the row 0…7, which is why a reader sees both."""
    row = torch.arange(8.0)

    difference = (make_norm("torch", 8)(row) - make_norm("std-eps", 8)(row)).abs().max()
    assert difference.item() == pytest.approx(0.099, abs=2e-3)


def test_both_norms_have_the_same_parameters() -> None:
    """So one state dict fits either, and the knob is a new pass only."""
    theirs, ours = nn.LayerNorm(8).state_dict(), StdEpsNorm(8).state_dict()

    assert {name: value.shape for name, value in ours.items()} == {name: v.shape for name, v in theirs.items()}
    assert all((ours[name] == theirs[name]).all() for name in ours)
