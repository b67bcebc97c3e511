"""Normalization over the features of each position: torch's own, and the form that many tutorials print.

Ba et al. 2016, section 3. torch's form divides the variance by n and adds eps inside the root. The tutorials' form
("std-eps") divides it by n - 1 and adds eps to the root.
"""

import torch
from torch import Tensor, nn

TUTORIAL_EPS = 1e-6


class StdEpsNorm(nn.Module):
    """weight·(x - mean)/(std + eps) + bias with the unbiased std. It has nn.LayerNorm's parameters and gives other numbers."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """[..., feature] to the same shape."""
        mean = x.mean(dim=-1, keepdim=True)  # [..., 1]
        # std² = Σ_i (x_i - mean)² / (n - 1)
        std = x.std(dim=-1, keepdim=True)  # [..., 1]
        # y = weight·(x - mean)/(std + eps) + bias
        return self.weight * (x - mean) / (std + TUTORIAL_EPS) + self.bias


def make_norm(kind: str, d_model: int) -> nn.Module:
    """The norm that the knob `norm_kind` names; `model.weights` fills its bias from the knob `norm_shift`."""
    return nn.LayerNorm(d_model) if kind == "torch" else StdEpsNorm(d_model)
