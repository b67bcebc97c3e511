"""A tap: an identity module where a tensor can be seen.

Its name is its module path, its axes are said where it is made.

    self.weights = Tap("batch head query key")
    weights = self.weights(masked.softmax(dim=-1))
"""

from torch import Tensor, nn


class Tap(nn.Module):
    """Returns what it is given; forward hooks on it see the tensor. `axes` names the tensor's axes in order."""

    def __init__(self, axes: str) -> None:
        super().__init__()
        self.axes = tuple(axes.split())

    def forward(self, tensor: Tensor) -> Tensor:
        """The same tensor."""
        return tensor


def taps(model: nn.Module) -> dict[str, Tap]:
    """Every tap of a model by name, in the order in which they were made."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Tap)}
