"""Linear layers whose weights will not change any more, with a copy of these in the order that is read fastest.

torch's own product of a few rows arranges its matrix anew in each call (see `packed.py`).
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from explorer.engine.speed.packed import Packed, can_pack, packed
from explorer.model.linear import Linear

_Kind = TypeVar("_Kind", bound=Linear)


def pack(model: nn.Module, stop: Callable[[], bool] = lambda: False, *, as_in: nn.Module | None = None) -> None:
    """Put a PackedLinear in the place of each linear layer; its weights must not change any more. `stop` ends it early.

    A layer takes its parameters along and leaves its hooks, so there must be none yet. What lies in the same memory in the
    model `as_in` and is packed there is not packed again: 10 ms of the translator.
    """
    layers = () if as_in is None else as_in.modules()
    known = {each.weight.data_ptr(): each for each in layers if isinstance(each, PackedLinear)}
    for module in list(model.modules()):
        for name, layer in module.named_children():
            if type(layer) is Linear:
                setattr(module, name, PackedLinear.of(layer))
    for layer in model.modules():
        if isinstance(layer, PackedLinear):
            twin = known.get(layer.weight.data_ptr()) if known else None
            if (twin is None or not layer.pack_as(twin)) and layer.pack() and stop():
                return


def unpack(model: nn.Module) -> None:
    """Give a model its plain linear layers back, with the same parameters."""
    for module in list(model.modules()):
        for name, layer in module.named_children():
            if isinstance(layer, PackedLinear):
                setattr(module, name, _with_parameters_of(layer, Linear))


class PackedLinear(Linear):
    """A linear layer that computes with a packed copy of its weights once it has one.

    Weights that are edited in place or replaced are noticed and packed again. An edit through `.data` or NumPy is noticed by
    nothing, not even by torch's own autograd: the model must be unpacked before it.
    """

    _packed: Packed | None = None

    @classmethod
    def of(cls, layer: Linear) -> "PackedLinear":
        """A layer with the very parameters of another one. It is not packed yet."""
        return _with_parameters_of(layer, cls)

    def forward(self, x: Tensor) -> Tensor:
        """[…, in] to […, out]: W·x + b."""
        if self._packed is not None and not torch.is_grad_enabled():
            copy = self.current() or self._packed_anew()
            # A packed product costs at least 15 µs, which is more than one row and a small matrix take.
            if copy is not None and (x.numel() != self.in_features or copy.worth_for_one_row):
                return copy.product(x, self.bias)
        return super().forward(x)

    def pack(self) -> bool:
        """Pack the weights for the passes to come, if that is worth it. True: they were packed now."""
        if self._packed is not None or "weight" not in self._parameters or not can_pack(self.weight):
            return False
        self._packed = packed(self.weight)
        return True

    def pack_as(self, other: "PackedLinear") -> bool:
        """Take the packed copy of a layer whose weights are the same memory. False where it has none that is still right."""
        copy = other.current()
        if copy is None or not can_pack(self.weight):
            return False
        if copy.place != self.weight.data_ptr() or copy.weight.shape != self.weight.shape:
            return False
        self._packed = copy.of(self.weight)
        return True

    def current(self) -> Packed | None:
        """The packed copy, if there is one and it is that of the weights as they are now."""
        weight, copy = self._parameters.get("weight"), self._packed
        return None if copy is None or weight is not copy.weight or copy.has_changed(weight) else copy

    def _packed_anew(self) -> Packed | None:
        """Pack weights again that were edited or replaced.

        None where there is no weight that can be packed: pruned or parametrized layers compute theirs for each pass.
        """
        weight = self._parameters.get("weight")
        self._packed = packed(weight) if weight is not None and can_pack(weight) else None
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        """The layer's state without the packed copy, which can be neither copied nor written; a copy has to be packed again."""
        return {**self.__dict__, "_packed": None}

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "PackedLinear":
        self._packed = None  # The weights go to another device or become another type.
        return super()._apply(fn, recurse)  # type: ignore[no-any-return, no-untyped-call]  # torch

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._packed = None
        super()._load_from_state_dict(*args, **kwargs)


def _with_parameters_of(layer: Linear, kind: type[_Kind]) -> _Kind:
    """A layer of some kind with the very parameters of another one."""
    made = kind(layer.in_features, layer.out_features, bias=layer.bias is not None, device="meta")
    made.weight, made.bias = layer.weight, layer.bias
    return made.train(layer.training)
