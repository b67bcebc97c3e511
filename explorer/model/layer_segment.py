"""A few layers that follow each other, which `model.layer_graph` runs in one call: what they consist of, and their weights."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model.attention import Attention
from explorer.model.layers import DecoderLayer
from explorer.model.linear import Linear
from explorer.model.tap import Tap, TapGroup, Watcher

_MOST_CELLS = 2**20  # of a map of all heads; a graph keeps all maps of its layers until its end
_FROM_MEMORY = ("cross_attn.project_key", "cross_attn.project_value")

Context = tuple[Tensor | None, ...]
"""What a layer is given besides x: in a decoder the encoder's output, and masks."""


class Segment:
    """A few layers that follow each other.

    `linears` are their linear layers, each with whether it reads the encoder's output; `taps` are theirs by the path inside the
    segment. All attentions divide their scores by the same number.
    """

    def __init__(self, layers: Iterable[nn.Module], config: Config) -> None:
        self.layers = nn.ModuleList(layers)
        self.kind, self.size, self._n_heads = type(self.layers[0]), config.d_model, config.n_heads
        members = dict(self.layers.named_modules())
        self.linears = [(each, path.endswith(_FROM_MEMORY)) for path, each in members.items() if isinstance(each, Linear)]
        self.taps = {path: each for path, each in members.items() if isinstance(each, Tap)}
        self._any_tap = next(iter(self.taps.values()))
        self._paths: tuple[str, ...] = ()
        self._group = TapGroup(())
        self.attentions = [each for each in members.values() if isinstance(each, Attention)]
        self._norms = [each for each in members.values() if each._parameters and not isinstance(each, Linear)]
        self._right: set[tuple[object, ...]] = set()  # for which numbers of rows all products are known to be right

    @property
    def watchers(self) -> list[Watcher]:
        """Who is shown the tensors of all taps."""
        return self._any_tap.shared.watchers

    def group(self, paths: tuple[str, ...]) -> TapGroup:
        """The taps at these paths. The last group is kept, since taps lie all over the memory."""
        if self._paths is not paths:
            self._paths, self._group = paths, TapGroup(tuple(self.taps[path] for path in paths))
        return self._group

    def called(self, x: Tensor, context: Context) -> Tensor:
        """The stream through all layers, each of them called."""
        for layer in self.layers:
            x = layer(x, *context)
        return x

    def n_keys(self, n: int, context: Context) -> int:
        """How many tokens the encoder's output has, or x itself where none is read."""
        memory = context[0] if self.kind is DecoderLayer else None
        return n if memory is None else memory.shape[1]

    def weights(self, x: Tensor, context: Context) -> list[Tensor] | None:
        """All weights as a graph reads them; None where the layers must be called."""
        batch, n, _size = x.shape
        n_keys = self.n_keys(n, context)
        rows, of_memory = batch * n, batch * n_keys
        if min(rows, of_memory) < 2 or rows * max(n, n_keys) * self._n_heads > _MOST_CELLS or x.dtype != torch.float32:
            return None
        found: list[Tensor] = []
        for linear, _ in self.linears:
            weight = linear.settled()
            if weight is None:
                return None
            bias = linear._parameters["bias"]
            found += (weight,) if bias is None else (weight, bias)
        for norm in self._norms:
            found += [each for each in norm._parameters.values() if each is not None]
        return found if self._is_right(rows, of_memory, found) else None

    def _is_right(self, rows: int, of_memory: int, weights: list[Tensor]) -> bool:
        """Whether the products of so many rows by these weights are known to be right (see `model.packed`)."""
        size = rows, of_memory, torch.get_num_threads(), packed(weights)
        if size not in self._right:
            if not all(linear.is_right(of_memory if reads_memory else rows) for linear, reads_memory in self.linears):
                return False
            self._right.add(size)
        return True


def packed(weights: list[Tensor]) -> tuple[bool, ...]:
    """Which weights are packed."""
    return tuple([each.is_mkldnn for each in weights])
