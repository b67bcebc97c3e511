"""A tap: an identity module where a tensor can be seen and replaced.

The name of a tap is its module path. Its axes are stated where it is made.

    self.weights = Tap("batch head query key")
    weights = self.weights(masked.softmax(dim=-1))

torch's own hooks work on a tap as on every module. In one call torch's hooks come first, then the tap's own hooks, then the
hooks of all taps, each group in the order in which they were put in (`model.hooks`). Watchers come last, so a recording shows
the tensors that the pass went on with.

Decision: a tap calls hooks that all taps of a model share. Rejected: torch's register_forward_hook for recording, which made
a translator's recorded pass take half as long again as a plain one.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import attrs
from torch import Tensor, nn

from explorer.errors import BadReplacement
from explorer.model.hook_check import Handles, is_hooked


@attrs.define(eq=False)
class Shared:
    """What all taps of a model share: the hooks and the watchers of every tap.

    `begins` is the position of the first row that goes through the taps: in a step of decoding it is that of the new token.
    Since the naming `seen_at` (`Tap.n_namings`) all taps of the model are known to share this.
    """

    hooks: list["Hook"] = attrs.field(factory=list)
    watchers: list["Watcher"] = attrs.field(factory=list)
    begins: int = 0
    seen_at: int = -1


class Tap(nn.Module):
    """Returns the tensor that it is given, or the one that a hook puts in its place.

    `axes` names the tensor's axes in order; `name` is the tap's path. `closes` says that -inf is allowed here, because a mask
    may have closed cells. `hooks` are the hooks of this tap alone; `shared` has the hooks of all taps of the model.

    The maps of a long text come in blocks of queries, in order: `first` is then the position of the block's first query. It is
    None where the tensor is whole. `n_namings` counts how often taps of any model were given their names and their `Shared`.
    """

    n_namings: ClassVar[int] = 0

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
        """The tensor after all hooks. Raises BadReplacement for a tensor that cannot stand in this place."""
        own = self.__dict__  # This is faster than torch's way, which looks for an attribute in four places.
        shared: Shared = own["shared"]
        if own["hooks"] or shared.hooks or (Handles.next_id and is_hooked(self)):
            tensor = self._through_hooks(tensor, first)
        for watcher in shared.watchers:
            watcher(self, tensor, first)
        return tensor

    def _through_hooks(self, tensor: Tensor, first: int | None) -> Tensor:
        before = tensor.detach().clone()  # A hook may write to the tensor that it is shown.
        if is_hooked(self):
            tensor = self._replaced(before, tensor, super().__call__(tensor, first))
        for hook in (*self.hooks, *self.shared.hooks):
            tensor = self._replaced(before, tensor, hook(self, tensor, first))
        return tensor

    def _replaced(self, before: Tensor, tensor: Tensor, by: Any) -> Tensor:
        """What a hook returned, as a copy: the hook's owner may write to that tensor later, and the pass must not change."""
        if by is None:
            by = tensor
        if not isinstance(by, Tensor):
            raise self._refused(tensor, type(by).__name__)
        if by.shape != before.shape or by.dtype != before.dtype or by.device != before.device:
            raise self._refused(before, _described(by))
        # NaN may stay where it was: a query that may see no key has NaN weights.
        kept = (by == before) | (by.isnan() & before.isnan())
        spoiled = ~by.isfinite() & ~kept
        if self.closes:
            spoiled &= ~by.isneginf()
        if spoiled.any():
            raise self._refused(before, "NaN / ∞")
        return tensor if by is tensor else by.clone()

    def _refused(self, tensor: Tensor, got: str) -> BadReplacement:
        return BadReplacement(tap=self.name or "Tap", wanted=_described(tensor), got=got)


def is_seen(module: nn.Module) -> bool:
    """Whether a hook or a watcher is put into a tap, or a hook of torch's into any module."""
    ours = isinstance(module, Tap) and bool(module.hooks or module.shared.hooks or module.shared.watchers)
    return ours or is_hooked(module)


def _described(tensor: Tensor) -> str:
    return f"{list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} {tensor.device}"


@attrs.frozen(eq=False)
class TapGroup:
    """Taps that are reached at once, in the order of their tensors. It stays the same from pass to pass."""

    taps: tuple[Tap, ...]


Hook = Callable[[Tap, Tensor, int | None], Tensor | None]
"""A hook is given a tap, the tensor that goes through it, and `first` (see Tap). It may return another tensor of the same
shape and type, and it may raise an error to end the pass."""

Watcher = Callable[[Tap, Tensor, int | None], object]
"""A watcher is given a tap, the tensor that leaves it, and `first` (see Tap). It may raise an error to end the pass.

Where several taps are reached at once (`model.layer_graph`), a watcher with a method `together(group, tensors)` is given all of
them in one call."""


def taps(model: nn.Module) -> dict[str, Tap]:
    """Every tap of a model by name, in the order in which they were made."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Tap)}
