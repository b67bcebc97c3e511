"""Where weights that are not held as float32 come from: memory of half the width, or the files of the folder.

A file is read, and never mapped into memory. Rejected: mapping, because truncating a mapped file ends the process, and because
pages that were read once would count as used memory.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import attrs
import torch
from torch import Tensor

from explorer.errors import BadWeights, CannotRead
from explorer.files import read_into

_SLAB = 2**20  # numbers that are read and widened at a time
_KINDS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


class Store(Protocol):
    """One tensor that is not held as float32."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""

    @property
    def dtype(self) -> str:
        """The kind of its numbers, by torch's name."""

    @property
    def place(self) -> object:
        """Where its numbers lie: tied tensors lie in one place."""

    def fill(self, out: Tensor) -> Tensor:
        """`out`, a float32 tensor of that shape, with the numbers written into it. Raises BadWeights."""

    def rows(self, which: Sequence[int]) -> Tensor:
        """[row, …] some rows as float32. Raises BadWeights."""

    def span(self, first: int, end: int) -> Tensor:
        """[row, …] the rows from `first` to before `end` as float32. Raises BadWeights."""


class Held:
    """A tensor held with half the width."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    @property
    def place(self) -> object:
        """See Store."""
        return self._tensor.data_ptr()

    @property
    def shape(self) -> tuple[int, ...]:
        """See Store."""
        return tuple(self._tensor.shape)

    @property
    def dtype(self) -> str:
        """See Store."""
        return str(self._tensor.dtype).removeprefix("torch.")

    def fill(self, out: Tensor) -> Tensor:
        """See Store."""
        return out.copy_(self._tensor)

    def rows(self, which: Sequence[int]) -> Tensor:
        """See Store."""
        return self._tensor[torch.tensor(which)].float()

    def span(self, first: int, end: int) -> Tensor:
        """See Store."""
        return self._tensor[first:end].float()


@attrs.frozen
class Stacked:
    """One tensor [expert, row, …] of a layer, whose files have a tensor for each expert, or several of which one stands
    below another.
    """

    experts: "tuple[tuple[InFile, ...], ...]"

    @property
    def shape(self) -> tuple[int, ...]:
        """See Store."""
        first = self.experts[0]
        return len(self.experts), sum(part.shape[0] for part in first), *first[0].shape[1:]

    @property
    def dtype(self) -> str:
        """See Store."""
        return self.experts[0][0].dtype

    @property
    def place(self) -> object:
        """See Store."""
        return self

    def expert(self, number: int, out: Tensor | None = None) -> Tensor:
        """[row, …] the numbers of one expert, the only ones that are read. Raises BadWeights."""
        found = torch.empty(self.shape[1:]) if out is None else out
        first = 0
        for part in self.experts[number]:
            part.fill(found[first : first + part.shape[0]])
            first += part.shape[0]
        return found

    def fill(self, out: Tensor) -> Tensor:
        """See Store."""
        for number in range(len(self.experts)):
            self.expert(number, out[number])
        return out

    def rows(self, which: Sequence[int]) -> Tensor:
        """See Store."""
        return torch.stack([self.expert(number) for number in which])

    def span(self, first: int, end: int) -> Tensor:
        """See Store."""
        return self.rows(range(first, end))


@attrs.frozen
class InFile:
    """A tensor in a safetensors file: where its bytes begin, and the kind of its numbers."""

    path: Path
    begin: int
    kind: str
    shape: tuple[int, ...]

    @property
    def dtype(self) -> str:
        """See Store."""
        return str(_KINDS[self.kind]).removeprefix("torch.")

    @property
    def place(self) -> object:
        """See Store."""
        return self

    def fill(self, out: Tensor) -> Tensor:
        """See Store."""
        if self.kind == "F32":
            self._read(out, 0)
            return out
        # A slab at a time, so that what is read is still in the caches when it is widened: 15 GB take 3 s, not 13.
        numbers = out.view(-1)
        slab = torch.empty(min(_SLAB, len(numbers)), dtype=_KINDS[self.kind])
        for first in range(0, len(numbers), _SLAB):
            part = numbers[first : first + _SLAB]
            part.copy_(self._read(slab[: len(part)], first * slab.itemsize))
        return out

    def rows(self, which: Sequence[int]) -> Tensor:
        """See Store."""
        found = torch.empty((len(which), *self.shape[1:]), dtype=_KINDS[self.kind])
        for place, row in enumerate(which):
            self._read(found[place], row * found[place].nbytes)
        return found.float()

    def span(self, first: int, end: int) -> Tensor:
        """See Store."""
        found = torch.empty((end - first, *self.shape[1:]), dtype=_KINDS[self.kind])
        return self._read(found, first * found[0].nbytes if len(found) else 0).float()

    def _read(self, out: Tensor, after: int) -> Tensor:
        """Read the bytes of `out` from so many bytes behind the beginning."""
        numbers: Any = out.reshape(-1).view(torch.uint8).numpy()  # shares the memory of the tensor
        try:
            read_into(self.path, self.begin + after, memoryview(numbers))
        except CannotRead as error:
            raise BadWeights(path=str(self.path), reason=error.values.get("reason", error)) from error
        return out
