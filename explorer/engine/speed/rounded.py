"""Products with weights that are rounded to eight bits, for guesses. This file is about speed.

A step of decoding reads every weight once and computes little with it, so it takes as long as the memory needs to bring them.
In eight bits they are a quarter as large. Their results are never shown: they are guesses at the next
word, which an exact pass verifies.

Decision: torch's own dynamically quantized product, which rounds x as well. Rejected: weights in bfloat16, which were right a
little more often and took half as long again. torch announces that it will remove this product: then guesses are made
with exact weights and take twice as long.

Rejected: torch's products in which the weights alone are whole numbers, because a few rows take ten times as long.
"""

import warnings
from typing import Any

import torch
from torch import Tensor

from explorer.model.linear import Linear

_MOST = 127  # The largest whole number of eight bits with a sign.
_PAIR = 2  # products that a processor adds up in sixteen bits, if it does
_CLOSE = 0.25  # The root mean square error of a product, as a share of that of the product. It is about 0.02.


class Rounded:
    """A linear layer with rounded weights: [row, in] to [row, out]. Raises CannotRoundError where torch cannot."""

    def __init__(self, layer: Linear) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # torch tells that this product will go.
                self.packed = _packed(layer.weight.detach(), layer.bias)
                self._seven_bits = _overflows()
            if not self._is_close(layer):
                raise CannotRoundError
        except (AttributeError, RuntimeError, NotImplementedError) as error:
            raise CannotRoundError from error

    def __call__(self, x: Tensor) -> Tensor:
        """[row, in] to about [row, out]: W·x + b."""
        y: Tensor = torch.ops.quantized.linear_dynamic(x, self.packed, self._seven_bits)
        return y

    def _is_close(self, layer: Linear) -> bool:
        """Whether a product is about right; not every build of torch has been tried."""
        chance = torch.Generator().manual_seed(0)
        x = torch.randn(2, layer.in_features, generator=chance)
        exact = torch.nn.functional.linear(x, layer.weight.detach(), layer.bias)
        return bool((self(x) - exact).norm() <= _CLOSE * exact.norm())


def _packed(weight: Tensor, bias: Tensor | None) -> Any:
    """torch's own form of rounded weights."""
    # Each row of W, which makes one number of y, has a step of its own: W[o, i] ≈ step[o]·whole number.
    step = (weight.abs().amax(dim=1) / _MOST).clamp(min=torch.finfo(torch.float32).tiny).double()
    zero = torch.zeros(len(weight), dtype=torch.long)
    return torch.ops.quantized.linear_prepack(torch.quantize_per_channel(weight, step, zero, 0, torch.qint8), bias)


def _overflows() -> bool:
    """Whether this processor adds two products up in sixteen bits, where two of 255 · 127 have no room.

    Those without instructions for whole numbers of eight bits do (AVX-512 VNNI): 1 · 1 + 1 · 1 is 1.01 there. Given x in seven
    bits, as torch offers for them, no sum is cut off: 26 of 300 sentences are guessed wrong in place of 46.
    """
    ones = torch.ones(1, _PAIR)
    told: Tensor = torch.ops.quantized.linear_dynamic(ones, _packed(ones, None), False)
    return bool((told - _PAIR).abs() > _CLOSE)


class CannotRoundError(Exception):
    """This torch has no such product, or a wrong one. Guesses are then made with exact weights."""
