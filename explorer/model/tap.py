"""A tap: an identity module at which torch's forward hooks see a tensor, and may replace it.

    self.weights = Tap("batch head query key")
    weights = self.weights(masked.softmax(dim=-1))

The name of a tap is its path in the model. Its axes are stated where it is made. Recording, changes and everything else that
looks into a pass are forward hooks of torch's on taps (`model.hooks`), so torch's contract holds: hooks are called in the order
in which they were registered, each is shown what the one before it returned, and the pass goes on with the last tensor.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

BATCH = "batch"
"""The axis of sentences, which a recorded array does not have."""


class Tap(nn.Identity):
    """Returns the tensor that it is given.

    `axes` names the tensor's axes in order; `name` is the tap's path in the model whose `taps` were listed last. `closes` says
    that -inf is allowed here, because a mask may have closed cells.
    """

    def __init__(self, axes: str, *, closes: bool = False) -> None:
        super().__init__()
        self.axes = tuple(axes.split())
        self.closes = closes
        self.name = ""

    def forward(self, tensor: Tensor, first: int | None = None) -> Tensor:
        """The same tensor.

        The maps of a long text come in blocks of queries, in order: `first` is then the position of the block's first query.
        It is None where the tensor is whole. Hooks find it with `first_of`.
        """
        return tensor


Hook = Callable[[Tap, tuple[Any, ...], Tensor], Tensor | None]
"""A forward hook of torch's on a tap: it is given the tap, its arguments, and the tensor that goes through it. It may return
another tensor of the same shape and type, and it may raise an error to end the pass."""


def first_of(args: tuple[Any, ...]) -> int | None:
    """The position of the first query of a block, from the arguments of a tap (see `Tap.forward`)."""
    return args[1] if len(args) > 1 else None


def taps(model: nn.Module) -> dict[str, Tap]:
    """Every tap of a model by its path, in the order in which they were made. Each tap is given its path as its name."""
    found: dict[str, Tap] = {}
    _find(model, "", found)
    return found


def _find(module: nn.Module, prefix: str, found: dict[str, Tap]) -> None:
    for name, child in module._modules.items():  # `named_children` takes four times as long, and each pass asks.
        if isinstance(child, Tap):
            child.name = path = prefix + name
            found[path] = child
        elif child is not None:
            _find(child, f"{prefix}{name}.", found)
