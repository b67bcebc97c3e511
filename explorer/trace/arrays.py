"""Recorded arrays as a mapping that prepares each array when it is first asked for.

A pass records a hundred and fifty tensors, and a screen shows twenty of them. To slice, copy and lock all of them at once
took a tenth of the pass.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_PARTS = 8  # More of them are put together at once, all but the first, which is the large one.


class ArrayParts:
    """Parts of one array, in order along one axis of their own shape [batch 1, …]. They are read-only.

    A key at the end of a text makes one further row of each tensor. Copying all rows before it at each key would take longer
    than the row itself.
    """

    def __init__(self, parts: tuple[NDArray[Any], ...], axis: int) -> None:
        self._parts, self._axis = parts, axis

    @classmethod
    def of(cls, batch: "NDArray[Any] | ArrayParts", axis: int) -> "ArrayParts":
        """The rows of an array; those that are in parts already stay as they are."""
        return batch if isinstance(batch, ArrayParts) else cls((batch,), axis)

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the joined array."""
        first = self._parts[0].shape
        return (*first[: self._axis], sum(part.shape[self._axis] for part in self._parts), *first[self._axis + 1 :])

    @property
    def nbytes(self) -> int:
        """The bytes of all parts, by NumPy's name for them."""
        return sum(part.nbytes for part in self._parts)

    def first(self, n: int) -> "ArrayParts":
        """The first `n` rows. What is cut off stays in memory only beside more that is used."""
        kept, missing = [], n
        for part in self._parts:
            if missing <= 0:
                break
            size = part.shape[self._axis]
            few = part if size <= missing else part[(slice(None),) * self._axis + (slice(missing),)]
            kept.append(few.copy() if 2 * missing < size else few)
            missing -= size
        return ArrayParts(tuple(kept), self._axis)

    def followed_by(self, batch: "NDArray[Any] | ArrayParts") -> "ArrayParts":
        """These rows and then those of another array."""
        parts = (*self._parts, *ArrayParts.of(batch, self._axis)._parts)
        if len(parts) > _MOST_PARTS:
            parts = (parts[0], np.concatenate(parts[1:], axis=self._axis))
        return ArrayParts(parts, self._axis)

    def joined(self) -> NDArray[Any]:
        """All rows in one array, which takes the place of the parts."""
        if len(self._parts) > 1:
            self._parts = (np.concatenate(self._parts, axis=self._axis),)
        return self._parts[0]


Array = NDArray[np.float32]


class Arrays(Mapping[str, Array]):
    """Arrays by tap name, without the batch axis: contiguous, float32 and read-only.

    They are made from [batch 1, …] arrays whose memory is not written to any more, or from the rows of several passes.
    """

    def __init__(self, batches: Mapping[str, NDArray[Any] | ArrayParts] | None = None) -> None:
        self._batches: dict[str, NDArray[Any] | ArrayParts] = dict(batches or {})
        # Those that were asked for: row "a pass recorded by torch's forward hooks", as few are.
        self._made: dict[str, Array] = {}

    def take(self, batches: Mapping[str, NDArray[Any] | ArrayParts]) -> None:
        """Hold these [batch 1, …] arrays in place of all others."""
        self._batches, self._made = dict(batches), {}

    def followed_by(self, others: "Arrays") -> "Arrays":
        """A mapping with the arrays of this one and then those of `others`."""
        return Arrays(self._batches | others._batches)

    def of_names(self, names: Collection[str]) -> "Arrays":
        """A mapping with the arrays of these names."""
        return Arrays({name: batch for name, batch in self._batches.items() if name in names})

    def after(self, earlier: "Arrays", n_before: int, rows_at: Mapping[str, int]) -> "Arrays":
        """The arrays of this one behind the first `n_before` rows of those of an `earlier` pass.

        `rows_at` has the axis of the rows, counted without the batch, of each array that has only the later rows. They are
        put together when somebody asks for them.
        """
        joined = dict(self._batches)
        for name, axis in rows_at.items():
            begun = ArrayParts.of(earlier._batches[name], axis + 1).first(n_before)
            joined[name] = begun.followed_by(self._batches[name])
        return Arrays(joined)

    def __getitem__(self, name: str) -> Array:
        made = self._made.get(name)
        if made is None:
            batch = self._batches[name]
            made = self._made[name] = _ready((batch.joined() if isinstance(batch, ArrayParts) else batch)[0])
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
    """A copy of `values` as a contiguous float32 array that is read-only."""
    array = np.array(values, dtype=np.float32, order="C")
    array.setflags(write=False)
    return array
