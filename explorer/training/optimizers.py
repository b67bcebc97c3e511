"""The optimizers of a training, what they remember of each parameter, and the schedule of the learning rate."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from explorer.training.recipe import Recipe

_BETAS = (0.9, 0.98)
_MOMENTUM = 0.9
_KEPT = {"adamw": ("exp_avg", "exp_avg_sq"), "sgd": ("momentum_buffer",)}
"""By optimizer the names under which torch keeps its moments, the first one and the second one."""


def make_optimizer(parameters: Mapping[str, nn.Parameter], recipe: Recipe) -> torch.optim.Optimizer:
    """The optimizer of a recipe over these parameters. Weight decay acts on matrices, but not on biases and norms."""
    matrices = [each for each in parameters.values() if each.dim() > 1]
    others = [each for each in parameters.values() if each.dim() == 1]
    groups = [{"params": matrices, "weight_decay": recipe.weight_decay}, {"params": others, "weight_decay": 0.0}]
    if recipe.optimizer == "sgd":
        return torch.optim.SGD(groups, lr=recipe.learning_rate, momentum=_MOMENTUM)
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=_BETAS, fused=True)


def moments(
    optimizer: torch.optim.Optimizer, parameters: Mapping[str, nn.Parameter]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The first and the second moments by the name of the parameter; an optimizer with one only has no second ones.

    Unused parameters, such as the final norms under post-norm, have no gradients and no moments.
    """
    states = {name: optimizer.state[each] for name, each in parameters.items() if each in optimizer.state}
    kinds = [{name: state[kind] for name, state in states.items() if kind in state} for kind in _kept(optimizer)]
    return kinds[0], kinds[1] if len(kinds) > 1 else {}


def restore_moments(
    optimizer: torch.optim.Optimizer, parameter: nn.Parameter, first: Tensor, second: Tensor | None, n_steps: int
) -> None:
    """Let the optimizer remember these moments of a parameter after so many steps.

    They are copied, because a tensor from a file keeps it open. Fused AdamW counts its steps on the parameters' device.
    An optimizer that keeps other moments begins without any.
    """
    if (second is not None) != (len(_kept(optimizer)) > 1):
        return
    state = {
        kind: torch.empty_like(parameter).copy_(moment)
        for kind, moment in zip(_kept(optimizer), (first, second), strict=False)
        if moment is not None
    }
    if isinstance(optimizer, torch.optim.AdamW):
        state["step"] = torch.tensor(float(n_steps), device=parameter.device)
    optimizer.state[parameter] = state


def _kept(optimizer: torch.optim.Optimizer) -> tuple[str, ...]:
    return _KEPT["adamw" if isinstance(optimizer, torch.optim.AdamW) else "sgd"]


def rate(step: int, share: float, warmup_steps: int) -> float:
    """The factor of the learning rate: it rises in a straight line, then falls to 0 along half a cosine."""
    return min(1.0, (step + 1) / max(1, warmup_steps)) * 0.5 * (1 + math.cos(math.pi * share))
