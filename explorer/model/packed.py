"""Weights laid out once as oneDNN reads them fastest: 36 MB of them took 5.8 instead of 11.2 ms for 17 rows and 3.7
instead of 5.1 for one (one thread of two cores).

Decision: the packed product is an operation that torch made for its own compiler, so it is used only where it is there, and
only where it is right. It shares its work out to as many threads as torch was told to use; where OpenMP grants fewer, the
rest of the result is never written. OpenMP says beforehand where that can be (OMP_THREAD_LIMIT, OMP_DYNAMIC), and whatever
else may go wrong is found by comparing the first product of each shape and number of threads with torch's own.
"""

import os

import torch
from torch import Tensor
from torch.nn.functional import linear

_HAS_PACKS = hasattr(torch.ops.mkldnn, "_linear_pointwise") and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]  # torch
# Looked up once: by its three names at each call it took as long as all the checks below.
_PRODUCT = torch.ops.mkldnn._linear_pointwise if _HAS_PACKS else None
_WORTH_PACKING = 2**16  # numbers in a matrix
_ROWS = 16  # what the layout is made for; others are as fast
_TOLERANCE = 1e-4  # of a number, or of its size if above 1

_right: dict[tuple[int, ...], dict[tuple[int, int], bool]] = {}
"""By the weights' shape, and then by numbers and threads, whether a packed product is torch's own. Of the process: so is
OpenMP."""


def can_pack(weight: Tensor) -> bool:
    """Whether packing these weights is possible and worth it: they are float32, on the processor, and not being learned."""
    settled = weight.device.type == "cpu" and weight.dtype == torch.float32 and not weight.requires_grad
    return _HAS_PACKS and settled and not weight.is_inference() and weight.numel() >= _WORTH_PACKING


class Packed:
    """A packed copy of `weight` [out, in], as it was at that `version` and `place` in memory."""

    def __init__(self, weight: Tensor) -> None:
        self.weight, self.numel = weight, weight.numel()
        self.version, self.place = weight._version, weight.data_ptr()
        self._right = _right.setdefault(tuple(weight.shape), {})
        self._packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _ROWS)

    def product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """[…, in] to […, out]: W·x + b."""
        n_threads = torch.get_num_threads()
        key = (x.numel(), n_threads)
        right = self._right.get(key)
        if right is None:
            right = self._right[key] = _granted(n_threads) and self._is_right(x, bias)
        return self._product(x, bias) if right else linear(x, self.weight, bias)

    def _is_right(self, x: Tensor, bias: Tensor | None) -> bool:
        ours, torchs = self._product(x, bias), linear(x, self.weight, bias)
        return torch.allclose(ours, torchs, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)

    def _product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        assert _PRODUCT is not None  # else nothing is packed
        product: Tensor = _PRODUCT(x, self._packed, bias, "none", [], "")
        return product


def _granted(n_threads: int) -> bool:
    """Whether OpenMP grants as many threads as it is asked for, each time. It reads these variables when torch is loaded."""
    limit = os.environ.get("OMP_THREAD_LIMIT", "").strip()
    varies = any(name.startswith("OMP_DYNAMIC") and value.strip().lower() != "false" for name, value in os.environ.items())
    return n_threads == 1 or not (varies or (limit.isdecimal() and int(limit) < n_threads))
