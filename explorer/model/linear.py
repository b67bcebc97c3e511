"""A linear layer: y = W·x + b. All else in this file is about speed: there are three ways to compute the same numbers.

- torch's own product, for many rows.
- The product of a matrix and a vector, for one row and a small matrix: a packed product costs at least 15 µs.
- A product with packed weights, for weights that will not change any more. They are arranged once in the order in which
  they are read fastest (`model.packed`); torch's own product of a few rows arranges its matrix anew in each call.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from explorer.model.packed import Packed, can_pack, packed


class Linear(nn.Linear):
    """torch's Linear with a faster way for one row and one for packed weights.

    Weights that are edited in place or replaced are noticed and packed again. Nobody can notice an edit through `.data` or
    NumPy, not even torch's own autograd: call `unpack()` after it.
    """

    _packed: Packed | None = None

    def reset_parameters(self) -> None:
        """Draw torch's own first weights, unless there is no memory for them yet (see `weights.build`).

        On the "meta" device torch would draw numbers that nobody sees, which takes half the time of making a model's modules.
        """
        if not self.weight.is_meta:
            super().reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        """[…, in] to […, out]: W·x + b."""
        one_row = x.numel() == self.in_features
        copy = self._packed
        if copy is not None and not torch.is_grad_enabled():
            weight = self._parameters.get("weight")
            if weight is not copy.weight or weight._version != copy.version or weight.data_ptr() != copy.place:
                copy = self._packed_anew(weight)
            if copy is not None and (not one_row or copy.worth_for_one_row):
                return copy.product(x, self.bias)
        return self._unpacked(x, one_row=one_row)

    def _unpacked(self, x: Tensor, *, one_row: bool) -> Tensor:
        """The product with the weights as they are."""
        if not one_row:
            return super().forward(x)
        own = self.weight
        if x.dtype != own.dtype:
            return super().forward(x)  # Under autocast x is bfloat16 and W float32; only F.linear converts them.
        row = x.reshape(self.in_features)
        # y = W·x + b
        y = torch.mv(own, row) if self.bias is None else torch.addmv(self.bias, own, row)
        return y.view(*x.shape[:-1], self.out_features)

    def pack(self) -> bool:
        """Pack the weights for the passes to come, if that is worth it. True: they were packed now."""
        if self._packed is not None or "weight" not in self._parameters or not can_pack(self.weight):
            return False
        self._packed = packed(self.weight)
        return True

    def pack_as(self, other: "Linear") -> bool:
        """Take the packed copy of a layer whose weights are the same memory. False where it has none that is still right."""
        copy = other._packed
        if copy is None or other.settled() is None or not can_pack(self.weight):
            return False
        if copy.place != self.weight.data_ptr() or copy.weight.shape != self.weight.shape:
            return False
        self._packed = copy.of(self.weight)
        return True

    def settled(self) -> Tensor | None:
        """The weights that a product of several rows reads: the packed ones, or the parameter itself.

        None where only a call finds out which those are: the parameter was edited, or is computed for each pass.
        """
        weight, copy = self._parameters.get("weight"), self._packed
        if copy is None:
            return weight
        if weight is not copy.weight or weight._version != copy.version or weight.data_ptr() != copy.place:
            return None
        return copy.tensor

    def is_right(self, n_rows: int) -> bool:
        """Whether a product of so many rows by the settled weights is known to be right (see `model.packed`)."""
        copy = self._packed
        return copy is None or (n_rows == 1 and not copy.worth_for_one_row) or copy.is_right(n_rows)

    def traceable(self, x: Tensor) -> Tensor:
        """The product as `forward` makes it, in a way that torch's tracer can write down."""
        one_row, copy = x.numel() == self.in_features, self._packed
        if copy is None or (one_row and not copy.worth_for_one_row):
            return self._unpacked(x, one_row=one_row)
        return copy.traceable(x, self.bias)

    def unpack(self) -> None:
        """Forget the packed copy, because the weights have changed."""
        self._packed = None

    def _packed_anew(self, weight: Tensor | None) -> Packed | None:
        """Pack weights again that somebody has edited or replaced.

        None where there is no weight that can be packed: pruned or parametrized layers compute theirs for each pass.
        """
        self._packed = packed(weight) if weight is not None and can_pack(weight) else None
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        """The layer's state without the packed copy, which can be neither copied nor written; a copy has to be packed again."""
        return {**self.__dict__, "_packed": None}

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "Linear":
        self._packed = None  # The weights go to another device or become another type.
        return super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._packed = None
        super()._load_from_state_dict(*args, **kwargs)
