"""A tap: an identity module where a tensor can be seen and replaced.

Its name is its module path, its axes are said where it is made.

    self.weights = Tap("batch head query key")
    weights = self.weights(masked.softmax(dim=-1))

torch's own hooks work on a tap as on every module. Of one call they come first, then the tap's own hooks, then those of all
taps, each in the order in which they were put in (`model.hooks`), and at last those that only watch: what is recorded is
what was computed on.

Decision: a tap calls hooks that all taps of a model share. Rejected: torch's register_forward_hook for recording, with
which a translator's recorded pass took half as long again as a plain one.
"""

from collections.abc import Callable
from typing import Any

import attrs
from torch import Tensor, nn

from explorer.errors import BadReplacement
from explorer.model.hook_check import Handles, is_hooked


@attrs.frozen(eq=False)
class Shared:
    """What all taps of a model share: hooks of them all, and who watches."""

    hooks: list["Hook"] = attrs.field(factory=list)
    watchers: list["Watcher"] = attrs.field(factory=list)


class Tap(nn.Module):
    """Returns what it is given, or what a hook puts in its place. `axes` names the tensor's axes in order, `name` is its path.

    A tensor that is never there as a whole comes in parts: blocks of queries in their order, `first` being the place of
    the block's first query. None: it is whole. `closes`: -inf is a value here, where a mask has closed a cell. `hooks` are
    this tap's own; those of all taps of the model are `shared`.
    """

    def __init__(self, axes: str, *, closes: bool = False) -> None:
        super().__init__()
        self.axes = tuple(axes.split())
        self.closes = closes
        self.name = ""
        self.hooks: list[Hook] = []
        self.shared = Shared()

    def forward(self, tensor: Tensor, first: int | None = None) -> Tensor:
        """The same tensor."""
        return tensor

    def __call__(self, tensor: Tensor, first: int | None = None) -> Tensor:
        """What comes out of the hooks. Raises BadReplacement."""
        own = self.__dict__  # a module looks for its attributes in four places
        shared: Shared = own["shared"]
        if own["hooks"] or shared.hooks or (Handles.next_id and is_hooked(self)):
            tensor = self._through_hooks(tensor, first)
        for watcher in shared.watchers:
            watcher(self, tensor, first)
        return tensor

    def _through_hooks(self, tensor: Tensor, first: int | None) -> Tensor:
        before = tensor.detach().clone()  # a hook may write to what it is shown
        if is_hooked(self):
            tensor = self._replaced(before, tensor, super().__call__(tensor, first))
        for hook in (*self.hooks, *self.shared.hooks):
            tensor = self._replaced(before, tensor, hook(self, tensor, first))
        return tensor

    def _replaced(self, before: Tensor, tensor: Tensor, by: Any) -> Tensor:
        """What a hook returned, as a copy: the pass must not change with a tensor that its owner writes to later."""
        if by is None:
            by = tensor
        if not isinstance(by, Tensor):
            raise self._refused(tensor, type(by).__name__)
        if by.shape != before.shape or by.dtype != before.dtype or by.device != before.device:
            raise self._refused(before, _described(by))
        kept = (by == before) | (by.isnan() & before.isnan())  # a row without a key has no weights of its own
        spoiled = ~by.isfinite() & ~kept
        if self.closes:
            spoiled &= ~by.isneginf()
        if spoiled.any():
            raise self._refused(before, "NaN / ∞")
        return tensor if by is tensor else by.clone()

    def _refused(self, tensor: Tensor, got: str) -> BadReplacement:
        return BadReplacement(tap=self.name or "Tap", wanted=_described(tensor), got=got)


def _described(tensor: Tensor) -> str:
    return f"{list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} {tensor.device}"


Hook = Callable[[Tap, Tensor, int | None], Tensor | None]
"""Is shown a tap, the tensor that goes through it, and of a part its place; it may return another tensor of the same shape
and type, and it may raise to end the pass."""

Watcher = Callable[[Tap, Tensor, int | None], object]
"""Is shown what comes out of a tap in the end; it may raise to end the pass."""


def taps(model: nn.Module) -> dict[str, Tap]:
    """Every tap of a model by name, in the order in which they were made."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Tap)}
