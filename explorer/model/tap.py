"""A tap: an identity module where a tensor can be seen.

Its name is its module path, its axes are said where it is made.

    self.weights = Tap("batch head query key")
    weights = self.weights(masked.softmax(dim=-1))

Decision: a tap calls forward hooks of its own, which all taps of a model share. Rejected: torch's
register_forward_hook, with which a translator's recorded pass took half as long again as a plain one.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn


class Tap(nn.Module):
    """Returns what it is given; hooks see the tensor. `axes` names the tensor's axes in order, `name` is its path.

    A tensor that is never there as a whole comes in parts: blocks of queries in their order, `first` being the place of
    the block's first query. None: it is whole.
    """

    def __init__(self, axes: str) -> None:
        super().__init__()
        self.axes = tuple(axes.split())
        self.name = ""
        self.hooks: list[Hook] = []

    def forward(self, tensor: Tensor, first: int | None = None) -> Tensor:
        """The same tensor."""
        for hook in self.hooks:
            hook(self, tensor, first)
        return tensor

    # Straight to it: torch's way to a module's forward looks for torch's own hooks, and there are a hundred taps in a pass.
    __call__ = forward


Hook = Callable[[Tap, Tensor, int | None], Any]
"""Is shown a tap, the tensor that goes through it, and of a part its place; it may raise to end the pass."""


def taps(model: nn.Module) -> dict[str, Tap]:
    """Every tap of a model by name, in the order in which they were made."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Tap)}


def shared_hooks(model: nn.Module) -> list[Hook]:
    """The hooks that all taps of a model share; the first call names its taps and makes them share.

    A part of a model that is recorded by itself takes its taps along, and the whole takes them back.
    """
    known: tuple[list[Hook], dict[str, Tap]] | None = model.__dict__.get("tap_hooks")
    if known is None:
        known = model.__dict__["tap_hooks"] = [], taps(model)
    hooks, members = known
    if not all(tap.hooks is hooks for tap in members.values()):
        for name, tap in members.items():
            tap.name, tap.hooks = name, hooks
    return hooks
