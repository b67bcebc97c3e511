"""Rows that several passes recorded, put together to one array when somebody asks for it.

A key at the end of a text makes one further row of each tensor. To copy all rows before it at each key would take longer than
the row itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_PARTS = 8  # More of them are put together at once, all but the first, which is the large one.


class Rows:
    """Parts of one array, in order along one axis of their own shape [batch 1, …]. Nobody writes to any of them."""

    def __init__(self, parts: tuple[NDArray[Any], ...], axis: int) -> None:
        self._parts, self._axis = parts, axis

    @classmethod
    def of(cls, batch: "NDArray[Any] | Rows", axis: int) -> "Rows":
        """The rows of an array; those that are Rows already stay as they are."""
        return batch if isinstance(batch, Rows) else cls((batch,), axis)

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the joined array."""
        first = self._parts[0].shape
        return (*first[: self._axis], sum(part.shape[self._axis] for part in self._parts), *first[self._axis + 1 :])

    @property
    def nbytes(self) -> int:
        """The bytes of all parts, by NumPy's name for them."""
        return sum(part.nbytes for part in self._parts)

    def first(self, n: int) -> "Rows":
        """The first `n` rows. What is cut off stays in memory only beside more that is used."""
        kept, missing = [], n
        for part in self._parts:
            if missing <= 0:
                break
            size = part.shape[self._axis]
            few = part if size <= missing else part[(slice(None),) * self._axis + (slice(missing),)]
            kept.append(few.copy() if 2 * missing < size else few)
            missing -= size
        return Rows(tuple(kept), self._axis)

    def followed_by(self, batch: "NDArray[Any] | Rows") -> "Rows":
        """These rows and then those of another array."""
        parts = (*self._parts, *Rows.of(batch, self._axis)._parts)
        if len(parts) > _MOST_PARTS:
            parts = (parts[0], np.concatenate(parts[1:], axis=self._axis))
        return Rows(parts, self._axis)

    def joined(self) -> NDArray[Any]:
        """All rows in one array, which takes the place of the parts."""
        if len(self._parts) > 1:
            self._parts = (np.concatenate(self._parts, axis=self._axis),)
        return self._parts[0]
