"""A stand-in for a device beside the CPU: tensors with their numbers that mix with no others.

    with elsewhere():
        model.to(NAME)(ids.to(NAME))

Inside the block torch computes on the CPU what is there; two devices in one operation raise, as they do on a real one. Its name
is one that torch takes on every machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

NAME = "lazy"
_BETWEEN = ("aten._to_copy", "aten.copy_")  # These alone take tensors of two devices.


class _There(Tensor):
    """A tensor that says it is on the device. `here` has its numbers."""

    here: Tensor

    @staticmethod
    def __new__(cls, here: Tensor) -> "_There":
        """The tensor of these numbers."""
        with torch.inference_mode(False):  # A view of a tensor that may have gradients is none of inference mode.
            made = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]  # torch
                cls, here.shape, strides=here.stride(), storage_offset=here.storage_offset(), dtype=here.dtype, device=NAME
            )
        made.here = here
        return made

    def tolist(self) -> Any:
        """The numbers, fetched as from any device."""
        return self.cpu().tolist()

    @classmethod
    def __torch_dispatch__(cls, function: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """See `_computed`."""
        return _computed(function, args, kwargs or {})


class _Mode(TorchDispatchMode):
    def __torch_dispatch__(self, function: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _computed(function, args, kwargs or {})


def _computed(function: Any, args: Any, kwargs: Any) -> Any:
    """One operation of torch, on the numbers; what is made of tensors over there, or is asked for there, is there."""
    tensors = [each for each in tree_flatten((args, kwargs))[0] if isinstance(each, Tensor)]
    there = {id(each.here): each for each in tensors if isinstance(each, _There)}
    here = [each for each in tensors if not isinstance(each, _There) and each.dim()]
    if "_has_compatible_shallow_copy_type" in str(function):  # Asked whether one may take the other's place.
        return not there
    if there and here and not str(function).startswith(_BETWEEN):
        raise RuntimeError(f"Expected all tensors to be on the same device: {function}")
    asked = [each.type for each in tree_flatten((args, kwargs))[0] if isinstance(each, torch.device)]
    args, kwargs = tree_map(_as_here, (args, kwargs))
    found = function(*args, **kwargs)
    if NAME not in asked if asked else not there:
        return found
    return tree_map(lambda each: there.get(id(each), _There(each)) if isinstance(each, Tensor) else each, found)


def _as_here(given: Any) -> Any:
    """The numbers of a tensor over there, and the CPU for the device."""
    if isinstance(given, torch.device):
        return torch.device("cpu")
    return given.here if isinstance(given, _There) else given


@contextmanager
def elsewhere() -> Iterator[None]:
    """Inside the block torch has the device."""
    torch._C._set_only_lift_cpu_tensors(True)  # torch.tensor makes numbers here, then sends them.
    try:
        with _Mode():
            yield
    finally:
        torch._C._set_only_lift_cpu_tensors(False)
