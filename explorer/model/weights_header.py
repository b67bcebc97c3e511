"""The header of a safetensors file. It is read and checked against the file's size before any numbers are read.

The format has three parts: eight bytes with the length of the header, the header in JSON, and the numbers of all tensors in
the places that the header gives.
"""

import json
import math
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.files import opened

_MOST_BYTES = 2**24  # 16 MB; the header of ten thousand tensors has one.
_LENGTH = 8  # bytes
_MOST_AXES, _LARGE = 16, 2**63
_FLOATS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_OTHERS = {"I64": 8, "U64": 8, "I32": 4, "U32": 4, "I16": 2, "U16": 2, "I8": 1, "U8": 1, "BOOL": 1}
_OTHERS |= {"C64": 8, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "F8_E4M3FNUZ": 1, "F8_E5M2FNUZ": 1}
_SHARING = {"F4": 0.5, "F6_E2M3": 0.75, "F6_E3M2": 0.75}  # bytes of a number, where several numbers share a byte


@attrs.frozen
class Header:
    """The shape of each tensor, the kind of its numbers such as "F16", and the texts that were stored with them.

    `places` says at which byte of the file each tensor begins.
    """

    shapes: Mapping[str, tuple[int, ...]]
    dtypes: Mapping[str, str]
    about: Mapping[str, str]
    places: Mapping[str, int] = attrs.field(factory=dict)

    def n_bytes(self, name: str) -> int:
        """How many bytes of the file are a tensor's."""
        return int((_FLOATS | _OTHERS | _SHARING)[self.dtypes[name]] * math.prod(self.shapes[name]))

    def check_floats(self) -> None:
        """Raises ValueError if any tensor does not consist of floats."""
        for name, kind in self.dtypes.items():
            if kind not in _FLOATS:
                raise ValueError(f"{name}: {kind}")


def read_header(path: Path) -> Header:
    """The header of a file whose size agrees with it. Raises CannotRead, NotAFile, ValueError."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        first = file.read(_LENGTH)
        (length,) = struct.unpack("<Q", first) if len(first) == _LENGTH else (size,)
        if not 0 < length <= min(_MOST_BYTES, size - _LENGTH):
            raise ValueError(f"{length} B / {size} B")
        head = file.read(length)
    try:
        told = json.loads(head)
        about = told.pop("__metadata__", {})
        tensors = {name: _tensor(**row) for name, row in told.items()}
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(str(error)[:80]) from error
    _check_places([(begin, end) for _dtype, _shape, begin, end in tensors.values()], size - _LENGTH - length)
    if not isinstance(about, dict) or not all(isinstance(each, str) for each in about.values()):
        raise ValueError("__metadata__")
    shapes, dtypes = {name: each[1] for name, each in tensors.items()}, {name: each[0] for name, each in tensors.items()}
    return Header(shapes, dtypes, about, {name: _LENGTH + length + each[2] for name, each in tensors.items()})


def _tensor(dtype: str, shape: list[int], data_offsets: list[int]) -> tuple[str, tuple[int, ...], int, int]:
    size = (_FLOATS | _OTHERS | _SHARING).get(dtype)
    begin, end = data_offsets
    numbers: list[Any] = [*shape, begin, end]
    sane = len(shape) <= _MOST_AXES and all(type(each) is int and 0 <= each < _LARGE for each in numbers)
    if size is None or not sane or end - begin != size * math.prod(shape):
        raise ValueError(f"{dtype} {shape} [{begin}, {end}]"[:80])
    return dtype, tuple(shape), begin, end


def _check_places(places: list[tuple[int, int]], size: int) -> None:
    """Check that the tensors follow one another without a gap to the end of the file. Raises ValueError."""
    at = 0
    for begin, end in sorted(places):
        if begin != at:
            raise ValueError(f"[{begin}, {end}]")
        at = end
    if at != size:
        raise ValueError(f"{at} B ≠ {size} B")
