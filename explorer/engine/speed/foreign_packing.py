"""Packed weights for a foreign model: its linear layers compute with copies that are read fastest (`packed.py`).

A product is taken only where it equals the layer's own (`Packed` compares the first one of each size), and never while
gradients are made, with other types of numbers, on other devices, or with weights that have changed since: these are packed
again. The copies take as much memory as the weights, so they are made only where there is plenty.
"""

from collections.abc import Callable, Iterator, MutableMapping
from weakref import WeakValueDictionary

import psutil
import torch
from torch import Tensor, nn

from explorer.engine.speed.packed import Packed, can_pack, packed

# Measured on an Intel processor with one thread, packed / own: 768 to 3,072 features 0.88 with 16 rows and 1.22 with one, 2,048
# to 2,048 features 0.66 and 1.16, 384 to 384 features 1.03 and 1.7. On an AMD processor 0.33 to 0.5 with two threads and two to
# eight rows (768 to 50,257 features, four rows: 7.1 ms against 25.7), 0.5 to 1.4 with one thread. A key typed behind 15 tokens
# of GPT-2 small, which is computed in four rows, was answered in 40 ms instead of 91.
_WORTH_PACKING = 2**18  # A matrix with fewer numbers is not worth it,
_FEW_ROWS = 2  # nor is any matrix for fewer rows.
_SHARE = 0.5  # of the free memory may be taken by copies
_FLOAT = 4  # bytes
_Place = tuple[int, torch.Size]
_TURNED = "transformers.pytorch_utils.Conv1D"  # GPT-2's linear layer has its weights as [in, out].


class PackedLayer:
    """Stands for the method `forward` of a linear layer. The layer's own is used wherever a packed product is not right.

    Layers with one weight, as those of ALBERT, find its one copy in `copies`, by where the weight lies.
    An edit through `.data` or NumPy is noticed by nothing, not even by torch's own autograd: pack again after it.
    """

    def __init__(self, layer: nn.Module, copies: MutableMapping[_Place, Packed], *, turned: bool) -> None:
        self._layer, self._copies, self._turned = layer, copies, turned
        self._own: Callable[[Tensor], Tensor] = layer.forward
        self._packed: Packed | None = None
        self._weight: Tensor | None = None

    @property
    def weight(self) -> Tensor | None:
        """The weight that can be packed now; None for none."""
        weight = self._layer._parameters.get("weight")
        return weight if weight is not None and _is_worth_it(weight) else None

    @property
    def is_packed(self) -> bool:
        """Whether there is a packed copy now."""
        return self._packed is not None

    def pack(self) -> Packed | None:
        """Pack the weights as they are now; None, and no copy is kept, where they cannot be packed."""
        weight = self._weight = self.weight
        self._packed = None
        if weight is not None:
            at = weight.data_ptr(), weight.shape
            known = self._copies.get(at)
            if known is None or known.has_changed(weight):
                known = self._copies[at] = packed(weight.t() if self._turned else weight)
            self._packed = known
        return self._packed

    def unpack(self) -> None:
        """Forget the copy; the layer computes as it did before."""
        self._packed = self._weight = None

    def __call__(self, x: Tensor) -> Tensor:
        """[…, in] to […, out]: W·x + b."""
        if self._packed is None or torch.is_grad_enabled() or x.dtype != torch.float32 or x.device.type != "cpu":
            return self._own(x)
        own, copy = self._layer._parameters, self._packed
        weight = own.get("weight")
        if weight is None or weight is not self._weight or copy.has_changed(weight):
            again = self.pack()
            if again is None:
                return self._own(x)
            copy = again
        bias = own.get("bias")
        if x.numel() < _FEW_ROWS * copy.weight.shape[1] or (bias is not None and bias.dtype != torch.float32):
            return self._own(x)
        return copy.product(x, bias)


def _is_worth_it(weight: Tensor) -> bool:
    return weight.numel() >= _WORTH_PACKING and can_pack(weight)


class PackedLayers:
    """The linear layers of a model, each with a PackedLayer in place of its `forward`. Nothing is packed yet."""

    def __init__(self, model: nn.Module) -> None:
        self.layers = tuple(_packable(model))

    def begin(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Pack the weights of all layers if memory allows. Returns whether they are packed; `stop` ends it with none packed."""
        weights = {weight for layer in self.layers if (weight := layer.weight) is not None}
        if _FLOAT * sum(weight.numel() for weight in weights) > _SHARE * psutil.virtual_memory().available:
            return False
        for layer in self.layers:
            if stop():
                self.end()
                return False
            layer.pack()
        return True

    def end(self) -> None:
        """Have all layers compute as they did before."""
        for layer in self.layers:
            layer.unpack()


def _packable(model: nn.Module) -> Iterator[PackedLayer]:
    copies: MutableMapping[_Place, Packed] = WeakValueDictionary()
    for module in model.modules():
        turned = f"{type(module).__module__}.{type(module).__qualname__}" == _TURNED
        if (turned or type(module) is nn.Linear) and "forward" not in vars(module):  # Lent weights are not packed.
            made = PackedLayer(module, copies, turned=turned)
            module.forward = made
            yield made
