"""y = W·x + b. Three ways to the same numbers, by how many rows there are and whether the weights are settled.

Weights that will not change any more can be packed: laid out once as oneDNN reads them fastest. torch's own product of a
few rows lays its matrix out anew in each call: packed, 36 MB of weights took 5.8 instead of 11.2 ms for 17 rows and 3.7
instead of 5.1 for one (one thread of two cores). A single row times a small matrix is left to the product of a matrix
and a vector, since a packed call costs 15 µs whatever it does.

Decision: the packed product is an operation that torch made for its own compiler, so it is used only where it is there.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

_PACKS = hasattr(torch.ops.mkldnn, "_linear_pointwise") and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]  # torch
_WORTH_PACKING = 2**16  # numbers in a matrix
_WORTH_FOR_ONE_ROW = 2**17
_ROWS = 16  # what the layout is made for; others are as fast


class Linear(nn.Linear):
    """torch's Linear with a path for one row and one for packed weights."""

    _packed: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """[…, in] to […, out]."""
        one_row = x.numel() == self.in_features
        packed = self._packed
        if packed is not None and not torch.is_grad_enabled() and not (one_row and packed.numel() < _WORTH_FOR_ONE_ROW):
            return torch.ops.mkldnn._linear_pointwise(x, packed, self.bias, "none", [], "")
        if not one_row:
            return super().forward(x)
        row = x.reshape(self.in_features)
        # y = W·x + b
        y = torch.mv(self.weight, row) if self.bias is None else torch.addmv(self.bias, self.weight, row)
        return y.view(*x.shape[:-1], self.out_features)

    __call__ = forward  # as a tap: a step of decoding calls thirty of them

    def pack(self) -> bool:
        """Lay the weights out for the passes to come, if it is worth it; True: something was done."""
        weight = self.weight
        settled = weight.device.type == "cpu" and weight.dtype == torch.float32 and not weight.requires_grad
        if not _PACKS or self._packed is not None or not settled or weight.numel() < _WORTH_PACKING:
            return False
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _ROWS)
        return True

    def unpack(self) -> None:
        """The weights have changed."""
        self._packed = None

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "Linear":
        self._packed = None  # it goes to another device, or becomes another type
        return super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._packed = None
        super()._load_from_state_dict(*args, **kwargs)
