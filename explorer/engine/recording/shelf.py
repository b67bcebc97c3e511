"""Memory for what stays of each block of a long text, apart from the memory in which the blocks come and go.

Between them, what stays would leave holes too small for the next block's maps: one pass in four over 4,096 tokens took 9 GB
in place of 1.8.
"""

import math

import torch
from torch import Tensor

_SHELF_BYTES = 2**26  # more than the C library takes from what it keeps: the system gives it, page by page as it is filled


class Shelf:
    """`put` copies a tensor there."""

    def __init__(self) -> None:
        self._free = torch.empty(0, dtype=torch.uint8)

    def put(self, tensor: Tensor) -> Tensor:
        """The same numbers in memory of the shelf; a tensor on another device stays where it is."""
        if tensor.device.type != "cpu":
            return tensor
        n_bytes = tensor.numel() * tensor.element_size()
        if n_bytes > len(self._free):
            self._free = torch.empty(max(_SHELF_BYTES, n_bytes), dtype=torch.uint8)
        taken = math.ceil(n_bytes / 64) * 64  # each begins where any type of number may
        place, self._free = self._free[:n_bytes], self._free[taken:]
        return place.view(tensor.dtype).view(tensor.shape).copy_(tensor)
