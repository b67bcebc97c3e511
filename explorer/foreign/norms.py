"""The numbers of any norm, read off what it makes of a few vectors: LayerNorm (Ba et al. 2016), RMSNorm (Zhang, Sennrich 2019).

Some families keep γ, some γ − 1 and some none, and some subtract no mean. Letters: y = γ·(x − μ)/σ + β.
"""

import numpy as np
import torch
from torch import Tensor, nn

from explorer.foreign.thin import plainly
from explorer.trace.found.stream_parts import normed
from explorer.trace.found.weights import NormWeights

_EPS = ("variance_epsilon", "eps", "epsilon")
_ROWS = 3  # that a norm is tried on; it has no memory
_SMALL = 1e-3  # of such vectors, σ is made by eps as much as by themselves


def norm_weights(norm: nn.Module, width: int) -> NormWeights:
    """One norm; `width` is that of its vectors, if it has no numbers of its own that say it."""
    width = next((own.shape[-1] for own in norm.parameters()), width)
    x = torch.ones(width)
    x[1::2] = -1
    with torch.inference_mode():
        bias = _made(norm, torch.zeros(width))  # β
        y = _made(norm, x) - bias
        centred = torch.allclose(_made(norm, x + 3) - bias, y, atol=1e-4 * float(y.abs().max()))
        eps = _eps(norm, x, y, bias)
    beside = x - x.mean() if centred else x
    # γ = (y − β)·σ/(x − μ)
    weight = y * ((beside**2).mean() + eps) ** 0.5 / beside
    return NormWeights(_frozen(weight), _frozen(bias), eps, False, centred=centred)


def is_norm(module: nn.Module, read: Tensor, made: Tensor) -> bool:
    """Whether a module that read these vectors [row, feature] and made those is a norm: what it is taken for makes the same."""
    if read.shape != made.shape or any(own.dim() > 1 for own in module.parameters()) or torch.equal(read, made):
        return False
    try:
        found = norm_weights(module, read.shape[1])
    except (TypeError, ValueError, RuntimeError, AttributeError):  # Such a module reads something else as well.
        return False
    told = np.stack([normed(row.double().numpy(), found) for row in read[-_ROWS:]])
    return bool(np.abs(told - made[-_ROWS:].numpy()).max() <= 1e-4 * max(float(made.abs().max()), 1e-30))


def _made(norm: nn.Module, x: Tensor) -> Tensor:
    own = next(iter(norm.parameters()), None)
    given = x[None, None] if own is None else x[None, None].to(own.device)
    return plainly(norm, given)[0, 0].float().cpu()


def _eps(norm: nn.Module, x: Tensor, y: Tensor, bias: Tensor) -> float:
    told = next((found for name in _EPS if isinstance(found := getattr(norm, name, None), int | float)), None)
    if told is not None:
        return float(told)
    # Of s·x with σ(x) = 1: r = |y(s·x)| / |y(x)| = s·√(1 + eps)/√(s² + eps), so eps = s²(1 − r²)/(r² − s²)
    r = float((_made(norm, _SMALL * x) - bias).abs().max() / y.abs().max())
    return max(_SMALL**2 * (1 - r**2) / max(r**2 - _SMALL**2, 1e-12), 0.0)


def _frozen(tensor: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    array: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = tensor.numpy().copy()
    array.setflags(write=False)
    return array
