"""Packed weights: a copy of a weight matrix in the order in which it is read fastest. This file is about speed.

There are two orders. oneDNN has its own: the products of 36 MB of weights with 17 rows took 5.8 ms instead of 11.2 ms, and
with one row 3.7 ms instead of 5.1 ms (one thread of two cores). And Intel's library (MKL), with which torch multiplies where it
has it, reads a small matrix faster where the numbers of one input stand together: on a processor of Intel's 256 × 256 with 17
rows took 22 µs, 37 in oneDNN's order and 31 as they are; 1,024 × 256 took 86, 99 and 116. On one of AMD's without AVX-512 the
first took 69, 86 and 67, and 16, 64 and 20 with one row. On one of AMD's with AVX-512, which Intel's library does not use there
and oneDNN does, the first took 38, 37 and 37, but 1,024 × 256 took 195, 112 and 224. Matrices of wider models, whose weights
come from memory and not from a cache, are read faster in oneDNN's.

Decision: torch made the packed product for its own compiler, so it is used only where it exists and gives right results. It
divides its work among as many threads as torch was told to use. If OpenMP grants fewer threads, part of the result is never
written. The variables OMP_THREAD_LIMIT and OMP_DYNAMIC tell beforehand whether that can happen. Any other fault is found by
comparing the first product of each shape and number of threads with torch's own product.

Decision: weights are packed for 16 rows. Rejected: packing for 1, 64 or 256 rows, and additions and ReLU inside of oneDNN's
products, which changed nothing; Intel's own packed product was only as fast as turned weights.
"""

import copy
import os
from contextlib import suppress
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import linear

_HAS_PACKS = hasattr(torch.ops.mkldnn, "_linear_pointwise") and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]  # torch
# The operation is looked up once. Looking up its three names at each call took as long as all the checks below.
_PRODUCT = torch.ops.mkldnn._linear_pointwise if _HAS_PACKS else None
_WORTH_PACKING = 2**16  # A matrix with fewer numbers is not worth packing.
_NARROW, _SMALL = 256, 2**18  # A matrix with two longer sides, or more numbers, is in oneDNN's order everywhere.
_ROWS = 16  # rows that the packed order is made for; it is as fast for other numbers of rows
_TOLERANCE = 1e-4  # Two products may differ by this much, absolute plus relative.

_right: dict[tuple[int, ...], dict[tuple[int, int], bool]] = {}
"""Whether the packed product equals torch's own: by the shape of the weights, then by the size of x and the number of
threads. The whole process shares this table, as it shares OpenMP."""


def can_pack(weight: Tensor) -> bool:
    """Whether these weights can be packed and are worth it: large, float32, on the processor, and not being trained."""
    settled = weight.device.type == "cpu" and weight.dtype == torch.float32 and not weight.requires_grad
    return _HAS_PACKS and settled and not weight.is_inference() and weight.numel() >= _WORTH_PACKING


def packed(weight: Tensor) -> "Packed":
    """A packed copy of `weight` [out, in], in the order that is read fastest. `can_pack` must be True."""
    is_small = min(weight.shape) <= _NARROW and weight.numel() <= _SMALL
    return Turned(weight) if is_small and _turns() else Packed(weight)


class Packed:
    """A packed copy of `weight` [out, in] in oneDNN's order, the `tensor`.

    `version` and `place` (the address of the weight) tell whether the weight has changed since.
    """

    _least_for_one_row = _SMALL + 1  # 2¹⁸ numbers took one row 41 to 91 µs, and 28 to 95 as they are.

    def __init__(self, weight: Tensor) -> None:
        self.weight, self.numel = weight, weight.numel()
        self.version, self.place = weight._version, weight.data_ptr()
        self._right = _right.setdefault(tuple(weight.shape), {})
        self.tensor = self._in_order(weight)

    def _in_order(self, weight: Tensor) -> Tensor:
        return reordered(weight)

    def has_changed(self, weight: Tensor) -> bool:
        """Whether a tensor that was packed has been edited or lies elsewhere since."""
        return weight._version != self.version or weight.data_ptr() != self.place

    def of(self, weight: Tensor) -> "Packed":
        """The same copy for another tensor that lies in the same memory, as it is shared by a model with other knobs."""
        made = copy.copy(self)
        made.weight, made.version = weight, weight._version
        return made

    def product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """[…, in] to […, out]: W·x + b."""
        n_threads = torch.get_num_threads()
        key = (x.numel(), n_threads)
        right = self._right.get(key)
        if right is None:
            right = self._right[key] = _granted(n_threads) and self._is_right(x, bias)
        return self._product(x, bias) if right else linear(x, self.weight, bias)

    @property
    def worth_for_one_row(self) -> bool:
        """Whether one row reads this order faster than the weights as they are."""
        return self.numel >= self._least_for_one_row

    def _is_right(self, x: Tensor, bias: Tensor | None) -> bool:
        ours, torchs = self._product(x, bias), linear(x, self.weight, bias)
        return torch.allclose(ours, torchs, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)

    def _product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        assert _PRODUCT is not None  # Without the operation, `can_pack` is False and no weights are packed.
        product: Tensor = _PRODUCT(x, self.tensor, bias, "none", [], "")
        return product


class Turned(Packed):
    """A copy of `weight` [out, in] in which the numbers of one input stand together. Its product is torch's own."""

    _least_for_one_row = 2**17  # Of fewer numbers both take as long.

    def _in_order(self, weight: Tensor) -> Tensor:
        return weight.detach().t().contiguous().t()

    def product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """[…, in] to […, out]: W·x + b."""
        return linear(x, self.tensor, bias)


def _by_mkl() -> bool:
    """Whether torch multiplies with Intel's library."""
    return torch.backends.mkl.is_available()  # type: ignore[no-any-return, no-untyped-call]  # torch


def _turns() -> bool:
    """Whether Intel's library is there and uses the widest instructions of the processor: AVX-512 on Intel's own alone.

    Library and processor are asked for and not the clock, because both orders round in their own way: the same model shall give
    the same bits in each process.
    """
    return _by_mkl() and (torch.backends.cpu.get_cpu_capability() != "AVX512" or "GenuineIntel" in _processor())


def _processor() -> str:
    """What the system says of the processor; its maker's name is in it."""
    with suppress(OSError):
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")[:4096]  # Linux
    return os.environ.get("PROCESSOR_IDENTIFIER", "")  # Windows; torch has Intel's library on these two alone


def reordered(weight: Tensor) -> Tensor:
    """The weights in oneDNN's own order."""
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _ROWS)
    return packed


def _granted(n_threads: int) -> bool:
    """Whether OpenMP always grants as many threads as it is asked for. It reads these variables when torch is loaded."""
    limit = os.environ.get("OMP_THREAD_LIMIT", "").strip()
    varies = any(name.startswith("OMP_DYNAMIC") and value.strip().lower() != "false" for name, value in os.environ.items())
    return n_threads == 1 or not (varies or (limit.isdecimal() and int(limit) < n_threads))
