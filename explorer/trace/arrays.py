"""Recorded arrays as a mapping that prepares each array when it is first asked for.

A pass records a hundred and fifty tensors, and a screen shows twenty of them. To slice, copy and lock all of them at once
took a tenth of the pass.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.trace.rows import Rows

Array = NDArray[np.float32]


class Arrays(Mapping[str, Array]):
    """Arrays by tap name, without the batch axis: contiguous, float32 and read-only.

    They are made from [batch 1, …] arrays whose memory nobody writes to any more, or from the rows of several passes.
    """

    def __init__(self, batches: Mapping[str, NDArray[Any] | Rows] | None = None) -> None:
        self._batches: dict[str, NDArray[Any] | Rows] = dict(batches or {})
        self._made: dict[str, Array] = {}

    def take(self, batches: Mapping[str, NDArray[Any] | Rows]) -> None:
        """Hold these [batch 1, …] arrays in place of all others."""
        self._batches, self._made = dict(batches), {}

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
            begun = Rows.of(earlier._batches[name], axis + 1).first(n_before)
            joined[name] = begun.followed_by(self._batches[name])
        return Arrays(joined)

    def __getitem__(self, name: str) -> Array:
        made = self._made.get(name)
        if made is None:
            batch = self._batches[name]
            made = self._made[name] = _ready((batch.joined() if isinstance(batch, Rows) else batch)[0])
        return made

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, which is not prepared for it. Raises KeyError."""
        shape: tuple[int, ...] = self._batches[name].shape[1:]
        return shape

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
