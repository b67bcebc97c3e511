"""y = W·x + b. Three ways to the same numbers, by how many rows there are and whether the weights are settled.

Weights that will not change any more can be packed: laid out once as oneDNN reads them fastest (`model.packed`). torch's
own product of a few rows lays its matrix out anew in each call. A single row times a small matrix is left to the product
of a matrix and a vector, since a packed call costs 15 µs whatever it does.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from explorer.model.hook_check import Handles, is_hooked
from explorer.model.packed import Packed, can_pack

_WORTH_FOR_ONE_ROW = 2**17  # numbers in a matrix


class Linear(nn.Linear):
    """torch's Linear with a path for one row and one for packed weights.

    Weights that are edited in place or replaced are noticed and packed anew. An edit through `.data` or NumPy is told to
    nobody, not even to torch's own autograd: call `unpack()` after it.
    """

    _packed: Packed | None = None

    def __call__(self, x: Tensor) -> Tensor:
        """[…, in] to […, out]; straight to `forward` unless there are hooks, as a tap: a step of decoding calls thirty."""
        y: Tensor = super().__call__(x) if Handles.next_id and is_hooked(self) else self.forward(x)
        return y

    def forward(self, x: Tensor) -> Tensor:
        """[…, in] to […, out]."""
        one_row = x.numel() == self.in_features
        packed = self._packed
        if packed is not None and not torch.is_grad_enabled():
            weight = self._parameters.get("weight")
            if weight is not packed.weight or weight._version != packed.version or weight.data_ptr() != packed.place:
                packed = self._packed_anew(weight)
            if packed is not None and not (one_row and packed.numel < _WORTH_FOR_ONE_ROW):
                return packed.product(x, self.bias)
        if not one_row:
            return super().forward(x)
        own = self.weight
        if x.dtype != own.dtype:  # autocast gives bfloat16 to float32 weights, and casts for F.linear alone
            return super().forward(x)
        row = x.reshape(self.in_features)
        # y = W·x + b
        y = torch.mv(own, row) if self.bias is None else torch.addmv(self.bias, own, row)
        return y.view(*x.shape[:-1], self.out_features)

    def pack(self) -> bool:
        """Lay the weights out for the passes to come, if it is worth it; True: something was done."""
        if self._packed is not None or "weight" not in self._parameters or not can_pack(self.weight):
            return False
        self._packed = Packed(self.weight)
        return True

    def unpack(self) -> None:
        """The weights have changed."""
        self._packed = None

    def _packed_anew(self, weight: Tensor | None) -> Packed | None:
        """For weights that somebody has edited or replaced. None where there are none to pack: pruned or parametrized ones are
        made anew for each pass.
        """
        self._packed = Packed(weight) if weight is not None and can_pack(weight) else None
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        """Without the packed copy, which can be neither copied nor written; whoever wants it packs again."""
        return {**self.__dict__, "_packed": None}

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "Linear":
        self._packed = None  # it goes to another device, or becomes another type
        return super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._packed = None
        super()._load_from_state_dict(*args, **kwargs)
