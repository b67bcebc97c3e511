"""A checkpoint as all other files use it: what is in it is asked of its process behind the fence, tensor by tensor."""

import base64
import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import torch
from torch import Tensor

from explorer.errors import CannotConvert, CheckpointStopped, NoFloats, NotACheckpoint
from explorer.files import check_file
from explorer.tokens.fence import Fence, Limits, NoAnswerError

_READER = "explorer.checkpoints.reader_process"
_LIMITS = Limits(opening_s=60, seconds=20, memory_bytes=2**30)  # besides the file itself; torch takes a quarter of it
_PIECE_BYTES = 2**23
_PREFIX = re.compile(r"^(?:_orig_mod\.|module\.)+")  # what torch.compile and DistributedDataParallel put before each name
_TYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")


@attrs.frozen
class Stored:
    """A tensor in the file: its name there, data type and shape."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """How many bytes its numbers take."""
        return math.prod(self.shape) * self.dtype.itemsize


class FencedCheckpoint:
    """The named tensors of a file, and the numbers that were saved beside them. Raises CannotConvert, CannotRead.

    Names are those of the model itself, without what torch.compile or DistributedDataParallel put before each.
    """

    def __init__(self, path: Path) -> None:
        check_file(path)
        self.path, n_bytes = path, path.stat().st_size
        # Pages of the file that were read count as memory; one of the first versions of torch's is read as a whole.
        limits = attrs.evolve(_LIMITS, memory_bytes=_LIMITS.memory_bytes + 2 * n_bytes)
        self._fence = Fence("checkpoint", limits, _READER, path=str(path.absolute()))
        told = self._answer(self._fence.open)
        self.arguments: Mapping[str, Any] = told["arguments"]
        stored = (self._stored(name, dtype, tuple(shape), n_bytes) for name, (dtype, shape) in told["tensors"].items())
        try:
            self.tensors: Mapping[str, Stored] = {_PREFIX.sub("", each.name): each for each in stored}
        except CannotConvert:
            self.end()
            raise

    def _stored(self, name: str, dtype: str, shape: tuple[int, ...], n_bytes: int) -> Stored:
        """One tensor, which may not be larger than the file. Raises NoFloats, CheckpointStopped."""
        if dtype not in _TYPES:
            raise NoFloats(path=str(self.path), tensor=name, dtype=dtype)
        stored = Stored(name, getattr(torch, dtype), shape)
        if stored.n_bytes > n_bytes:  # A view can stand for any number of equal numbers.
            raise CheckpointStopped(path=str(self.path), reason=f"{name}: {stored.n_bytes:,} B > {n_bytes:,} B")
        return stored

    def read(self, name: str, told: Callable[[int], None]) -> Tensor:
        """A tensor; `told` gets the number of bytes of each piece. Raises CheckpointStopped, NotACheckpoint."""
        stored = self.tensors[name]
        raw = torch.empty(stored.n_bytes, dtype=torch.uint8)
        for first in range(0, stored.n_bytes, _PIECE_BYTES):
            last = min(first + _PIECE_BYTES, stored.n_bytes)
            text = self._answer(partial(self._fence.ask, name=stored.name, first=first, last=last))
            piece = base64.b64decode(text)
            if len(piece) != last - first:
                raise NotACheckpoint(path=str(self.path))
            raw[first:last] = torch.frombuffer(bytearray(piece), dtype=torch.uint8)
            told(last - first)
        return raw.view(stored.dtype).reshape(stored.shape)

    def end(self) -> None:
        """End the process."""
        self._fence.end()

    def _answer(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except NoAnswerError as error:
            raise CheckpointStopped(path=str(self.path), reason=error.reason) from error
