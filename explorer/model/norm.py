"""Normalization over features: torch's own, and the form that many tutorials print.

Ba et al. 2016, section 3.
torch: biased variance, eps inside the root. std-eps: unbiased deviation, eps added outside it.
"""

import torch
from torch import Tensor, nn

_TUTORIAL_EPS = 1e-6


class StdEpsNorm(nn.Module):
    """weight·(x - mean)/(std + eps) + bias with the unbiased std. Same parameters as nn.LayerNorm, other numbers."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """[..., feature] to the same shape."""
        mean = x.mean(dim=-1, keepdim=True)
        std = x.std(dim=-1, keepdim=True)
        return self.weight * (x - mean) / (std + _TUTORIAL_EPS) + self.bias


def make_norm(kind: str, d_model: int) -> nn.Module:
    """The norm of the knob `norm_kind`; `model.weights` fills its shift from the knob `norm_shift`."""
    return nn.LayerNorm(d_model) if kind == "torch" else StdEpsNorm(d_model)
