"""A tap: an identity module where a tensor can be seen.

Its name is its module path, its axes are said where it is made.

    self.weights = Tap("batch head query key")
    weights = self.weights(masked.softmax(dim=-1))

Decision: a tap calls its forward hooks itself. Rejected: torch's register_forward_hook, whose calls took a third of a
translator's pass; a pass that is recorded must cost what a plain one does.
"""

from collections.abc import Callable

from torch import Tensor, nn

Hook = Callable[[Tensor], None]
"""Is shown the tensor that goes through a tap; it may raise to end the pass."""


class Tap(nn.Module):
    """Returns what it is given; its hooks see the tensor. `axes` names the tensor's axes in order."""

    hooks: tuple[Hook, ...] = ()

    def __init__(self, axes: str) -> None:
        super().__init__()
        self.axes = tuple(axes.split())

    def forward(self, tensor: Tensor) -> Tensor:
        """The same tensor."""
        for hook in self.hooks:
            hook(tensor)
        return tensor

    def attach(self, hook: Hook) -> None:
        """Show this hook every tensor from now on."""
        self.__dict__["hooks"] = (*self.hooks, hook)  # past Module's own bookkeeping, which is for parameters

    def detach(self, hook: Hook) -> None:
        """Show it no more."""
        self.__dict__["hooks"] = tuple(each for each in self.hooks if each is not hook)


def taps(model: nn.Module) -> dict[str, Tap]:
    """Every tap of a model by name, in the order in which they were made; a model may know its own."""
    known: dict[str, Tap] | None = model.__dict__.get("tap_index")
    return known if known is not None else find_taps(model)


def find_taps(model: nn.Module) -> dict[str, Tap]:
    """Every tap of a model by name, looked for."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Tap)}
