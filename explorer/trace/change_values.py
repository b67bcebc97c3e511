"""The values of a Change that are more than a number for each column: a whole array, or a function of what was recorded."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.trace.arrays import Array

ChangeFunction = Callable[["Array"], "Array"]
"""From the cells [(head,) row, column] that a pass recorded to those that it goes on with, of the same shape."""


class WholeValue:
    """An array [row, column] or [head, row, column], float32 and read-only, that can be compared, hashed and written."""

    def __init__(self, array: "Array") -> None:
        self.array = array
        self._key = array.shape, array.tobytes()

    @classmethod
    def of(cls, value: object) -> "WholeValue | None":
        """The array of an array, a tensor or nested lists with two or three axes; None for anything else."""
        if not _is_nested(value):
            return None
        import numpy as np  # A session file is read without it, as long as no change has an array.

        try:
            array = np.array(value, np.float32, order="C")
        except (TypeError, ValueError, RuntimeError):  # Rows of several lengths, texts, or a tensor with gradients.
            return None
        if array.ndim not in (2, 3):
            return None
        array.setflags(write=False)
        return cls(array)

    @property
    def finite(self) -> bool:
        """Whether every number is one."""
        import numpy as np

        return bool(np.isfinite(self.array).all())

    @property
    def told(self) -> str:
        """Its shape, "[2×4×8]"."""
        return f"[{'×'.join(map(str, self.array.shape))}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WholeValue) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"array{self.told}"


def _is_nested(value: object) -> bool:
    """Whether a value is an array with several axes, or a list of lists."""
    if hasattr(value, "ndim"):
        return int(value.ndim) > 1
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__getitem__") or not hasattr(value, "__len__"):
        return False
    first: Any = value[0] if len(value) else None
    return isinstance(first, list | tuple) or hasattr(first, "ndim")


def is_function(value: object) -> bool:
    """Whether a value can be called and be the key of a mapping."""
    return callable(value) and getattr(type(value), "__hash__", None) is not None
