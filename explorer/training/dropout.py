"""Dropout from random bytes, for training on a CPU.

Decision: each 64-bit random number decides about eight cells, so the probability is a multiple of 1/256. Rejected: torch's own
dropout, because it draws one number for each cell on a CPU and takes a quarter of a training step.
"""

from typing import Any

import torch
from torch import Tensor, nn

_LEVELS = 256


class _Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, threshold: int) -> Tensor:
        """x[i]·kept[i] / (1 - p)."""
        n = x.numel()
        numbers = torch.empty((n + 7) // 8, dtype=torch.int64).random_(-(2**63), None)
        kept = (numbers.view(torch.uint8)[:n] >= threshold).view(x.shape)
        ctx.save_for_backward(kept)
        ctx.scale = _LEVELS / (_LEVELS - threshold)
        return (x * kept).mul_(ctx.scale)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """The gradient with the same cells dropped and the same scale."""
        (kept,) = ctx.saved_tensors
        return (gradients[0] * kept).mul_(ctx.scale), None


class ByteDropout(nn.Dropout):
    """Sets each number to 0 with probability p, to the nearest 1/256, and scales the others up by 1/(1 - p)."""

    def forward(self, x: Tensor) -> Tensor:
        """A tensor of any shape to the same shape."""
        threshold = min(round(self.p * _LEVELS), _LEVELS - 1)
        if not self.training or threshold == 0:
            return x
        dropped: Tensor = _Drop.apply(x, threshold)  # type: ignore[no-untyped-call]
        return dropped


def with_byte_dropout(model: nn.Module) -> None:
    """Put ByteDropout in place of every Dropout of the model."""
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.Dropout):
                setattr(module, name, ByteDropout(child.p).train(child.training))
