"""The tensors in a file of another program, safetensors or NPZ, as float32 arrays. They are read without torch or pickle."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import BadTensor, NotATrace, RecordingTooLarge
from explorer.files import opened, read_whole
from explorer.model.weights_header import read_header
from explorer.trace.arrays import Array, frozen_array

_CARD, _IN_HEADER = "card.json", "card"
_MOST_UNPACKED = 20  # The contents of an archive may be at most so many times as large as the file.
SHARE = 0.9  # of the free memory; the rest is left to the window and the system
_FLOAT = 4  # bytes
_NUMPY = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
_NUMBERS = frozenset({"F64", "F32", "F16", "BF16"})


@attrs.frozen(eq=False)
class Tensors:
    """The shape of each tensor by name, `take(name)` for its numbers, and the text of the card if the file has one."""

    shapes: Mapping[str, tuple[int, ...]]
    take: Callable[[str], Array]
    card: str | None


def read_tensors(path: Path) -> Tensors:
    """The tensors of a file. Raises CannotRead, NotAFile, NotATrace, BadTensor, RecordingTooLarge."""
    with opened(path) as file:
        first, n_bytes = file.read(4), os.fstat(file.fileno()).st_size
    return _archive(path, n_bytes) if first[:2] == b"PK" else _safetensors(path, n_bytes)


def _archive(path: Path, n_bytes: int) -> Tensors:
    """The arrays of an NPZ archive."""
    with opened(path) as handle, np.load(handle, allow_pickle=False) as file:
        told = sum(member.file_size for member in file.zip.infolist())
        if told > _MOST_UNPACKED * n_bytes:
            raise NotATrace(path=str(path))
        _check_room(told)
        arrays = {name: file[name] for name in file.files}
    card = arrays.pop(_CARD, None)
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            raise BadTensor(name=name, got=str(array.dtype))
    text = None if card is None else str(card)
    return Tensors({name: array.shape for name, array in arrays.items()}, lambda name: frozen_array(arrays[name]), text)


def _safetensors(path: Path, n_bytes: int) -> Tensors:
    """The tensors of a safetensors file."""
    from safetensors import deserialize

    try:
        header = read_header(path)
    except ValueError as error:
        raise NotATrace(path=str(path)) from error
    for name, kind in header.dtypes.items():
        if kind not in _NUMBERS:
            raise BadTensor(name=name, got=kind)
    _check_room(n_bytes + sum(_FLOAT * _size(shape) for shape in header.shapes.values()))
    rows: dict[str, dict[str, Any]] = dict(deserialize(read_whole(path, n_bytes)))  # type: ignore[no-untyped-call]

    def take(name: str) -> Array:
        return frozen_array(_numbers(rows[name]["data"], header.dtypes[name]).reshape(header.shapes[name]))

    return Tensors(header.shapes, take, header.about.get(_IN_HEADER))


def _numbers(data: bytes, kind: str) -> NDArray[Any]:
    """The numbers of a tensor in a row."""
    if kind in _NUMPY:
        return np.frombuffer(data, dtype=_NUMPY[kind])
    # A bfloat16 is the upper half of a float32.
    return (np.frombuffer(data, dtype="<u2").astype("<u4") << 16).view("<f4")


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def _check_room(need: int) -> None:
    """Raises RecordingTooLarge where so many bytes would not leave enough memory to the rest."""
    import psutil  # Only opening a file needs it.

    free = psutil.virtual_memory().available
    if need > SHARE * free:
        raise RecordingTooLarge(need_mb=round(need / 2**20), free_mb=round(free / 2**20))
