"""Recorded arrays as a mapping that prepares each array when it is first asked for.

A pass records a hundred and fifty tensors, and a screen shows twenty of them. To make arrays of all of them at once, to slice,
copy and lock them took a tenth of the pass.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from explorer.trace.rows import Rows

Array = NDArray[np.float32]


class Tensor(Protocol):
    """A tensor of torch's, by what is asked of it: this package does not import torch."""

    @property
    def shape(self) -> Sequence[int]:
        """The lengths of its axes."""

    @property
    def nbytes(self) -> int:
        """The bytes of its numbers."""

    def float(self) -> "Tensor":
        """Itself, or its numbers as float32."""

    def numpy(self, *, force: bool) -> NDArray[Any]:
        """An array of the same memory. With `force` it may need gradients."""


Batch = NDArray[Any] | Tensor | Rows
"""[batch 1, …] numbers in memory that nobody writes to any more: an array, a tensor, or the rows of several passes."""


class Arrays(Mapping[str, Array]):
    """Arrays by tap name, without the batch axis: contiguous, float32 and read-only. They are made from `Batch`es."""

    def __init__(self, batches: Mapping[str, Batch] | None = None) -> None:
        self._batches: dict[str, Batch] = dict(batches or {})
        self._made: dict[str, Array] = {}

    def take(self, batches: dict[str, Batch]) -> None:
        """Hold these in place of all others."""
        self._batches, self._made = batches, {}

    def followed_by(self, others: "Arrays") -> "Arrays":
        """A mapping with the arrays of this one and then those of `others`."""
        return Arrays(self._batches | others._batches)

    def after(self, earlier: "Arrays", n_before: int, rows_at: Mapping[str, int]) -> "Arrays":
        """The arrays of this one behind the first `n_before` rows of those of an `earlier` pass.

        `rows_at` has the axis of the rows, counted without the batch, of each array that has only the later rows. They are
        put together when somebody asks for them.
        """
        joined = dict(self._batches)
        for name, axis in rows_at.items():
            begun = Rows.of(_as_array(earlier._batches[name]), axis + 1).first(n_before)
            joined[name] = begun.followed_by(_as_array(self._batches[name]))
        return Arrays(joined)

    def __getitem__(self, name: str) -> Array:
        made = self._made.get(name)
        if made is None:
            batch = _as_array(self._batches[name])
            made = self._made[name] = _ready((batch.joined() if isinstance(batch, Rows) else batch)[0])
        return made

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, which is not prepared for it. Raises KeyError."""
        return tuple(self._batches[name].shape[1:])

    @property
    def n_bytes(self) -> int:
        """The bytes of all arrays as they are held."""
        return sum(each.nbytes for each in self._batches.values())

    def __contains__(self, name: object) -> bool:
        return name in self._batches

    def __iter__(self) -> Iterator[str]:
        return iter(self._batches)

    def __len__(self) -> int:
        return len(self._batches)


def _as_array(batch: Batch) -> NDArray[Any] | Rows:
    """A tensor as the array of its memory, or of float32 numbers where NumPy lacks its type."""
    return batch if isinstance(batch, (np.ndarray, Rows)) else batch.float().numpy(force=True)


def _ready(array: NDArray[Any]) -> Array:
    if array.dtype != np.float32 or not array.flags.c_contiguous:
        return frozen_array(array)
    array.flags.writeable = False
    return array


def frozen_array(values: NDArray[Any]) -> Array:
    """A copy of `values` as a contiguous float32 array that nobody can write to."""
    array = np.array(values, dtype=np.float32, order="C")
    array.setflags(write=False)
    return array
