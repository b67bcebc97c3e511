"""The header of a GGUF file: a model's settings, and where its tensors are. It is checked before any weight is read.

The format (ggml-org, "GGUF", versions 2 and 3, little-endian): counts, then pairs of keys and values, then for each tensor its
name, axes, kind and place; then, aligned, the numbers. Every count and place must fit into the file.
This file needs neither torch nor a library.
"""

import math
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import attrs

from explorer.files import opened
from explorer.json_text import shown

_MAGIC, _VERSIONS = b"GGUF", (2, 3)
_MOST_HEADER = 2**26  # bytes; a vocabulary of 256,000 pieces with its merges has some 12 MB
_MOST_LISTED = 2**22  # values of all lists together; such a vocabulary has 1.3 million
_MOST_KEYS, _MOST_TENSORS, _MOST_AXES = 2**12, 2**16, 4
_MOST_NUMBERS = 2**42  # of a tensor
_LONGEST_KEY, _LONGEST_TEXT = 2**10, 2**24  # bytes
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_LARGEST_ALIGNMENT = 2**16

# By number the name of a kind, how many numbers stand in a block, and its bytes.
_KINDS = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    30: ("BF16", 1, 2),
}
# Kinds that no model is opened with. Their sizes are known, so that a list of tensors can be made.
_OTHERS = {
    9: ("Q8_1", 32, 40),
    15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1),
    25: ("I16", 1, 2),
    26: ("I32", 1, 4),
    27: ("I64", 1, 8),
    28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
}
FLOATS = ("F32", "F16", "BF16")
_PLAIN = (*FLOATS, "F64", "I8", "I16", "I32", "I64")
QUANTIZED = tuple(kind for kind, _block, _n_bytes in (_KINDS | _OTHERS).values() if kind not in _PLAIN)
"""The kinds whose numbers are codes in blocks, each with a scale of its own."""


class OtherKindError(ValueError):
    """Numbers packed in a way that this program does not read; `kind` is its number in the format."""

    def __init__(self, name: str, kind: int) -> None:
        super().__init__(f"{name}: {kind}")
        self.kind = kind


@attrs.frozen
class GgufTensor:
    """A tensor of the file: its shape with the slowest axis first, the kind of its numbers, and its bytes."""

    shape: tuple[int, ...]
    kind: str
    begin: int
    n_bytes: int


@attrs.frozen
class GgufHeader:
    """The file's settings by key, and its tensors by name."""

    told: Mapping[str, Any]
    tensors: Mapping[str, GgufTensor]


def read_gguf_header(path: Path, *, every_kind: bool = False) -> GgufHeader:
    """The header of a file whose size agrees with it; with `every_kind`, also of one whose numbers this program does not read.

    Raises CannotRead, NotAFile, ValueError, OtherKindError.
    """
    with opened(path) as file:
        return _header(_HeaderReader(file), _KINDS | _OTHERS if every_kind else _KINDS)


class _HeaderReader:
    """Reads values one after the other, and none that would go beyond the file's end or a header's size."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.size = os.fstat(file.fileno()).st_size
        self.at = 0
        self._listed = 0

    def bytes(self, n: int) -> bytes:
        if not 0 <= n <= min(self.size, _MOST_HEADER) - self.at:
            raise ValueError(f"{self.at} + {n} B / {min(self.size, _MOST_HEADER)} B")
        found = self._file.read(n)
        if len(found) != n:
            raise ValueError(f"{self.at + len(found)} B …")
        self.at += n
        return found

    def number(self, form: str) -> Any:
        """One number of a form of `struct`."""
        return struct.unpack(f"<{form}", self.bytes(struct.calcsize(f"<{form}")))[0]

    def text(self, longest: int = _LONGEST_TEXT) -> str:
        """A text after its length; bytes that are no UTF-8 are replaced."""
        n = self.number("Q")
        if n > longest:
            raise ValueError(f"{n} B > {longest} B")
        return self.bytes(n).decode("utf-8", "replace")

    def value(self) -> Any:
        """A number, a text, or a list of either; no model needs a list of lists."""
        kind = self.number("I")
        if kind != _LIST:
            return self._one(kind)
        inner, n = self.number("I"), self.number("Q")
        if inner in _NUMBERS:
            form = _NUMBERS[inner]
            return list(struct.unpack(f"<{n}{form}", self.bytes(n * struct.calcsize(f"<{form}")))) if self._fits(n) else []
        if inner != _TEXT:
            raise ValueError(f"[[…]] {inner}")
        return [self.text() for _place in range(n)] if self._fits(n) else []

    def _fits(self, n: int) -> bool:
        """Whether there are any of so many values, which must fit in what is left, a byte each. Raises ValueError.

        In memory a value takes far more than in the file, and a hole of the file takes none of the disk.
        """
        self._listed += n
        if self._listed > _MOST_LISTED:
            raise ValueError(f"[…] {self._listed} > {_MOST_LISTED}")
        if n > min(self.size, _MOST_HEADER) - self.at:
            raise ValueError(f"{n} > {min(self.size, _MOST_HEADER) - self.at} B")
        return n > 0

    def _one(self, kind: int) -> Any:
        if kind == _TEXT:
            return self.text()
        if kind not in _NUMBERS:
            raise ValueError(f"{kind} ?")
        return self.number(_NUMBERS[kind])


def _header(reader: _HeaderReader, kinds: Mapping[int, tuple[str, int, int]]) -> GgufHeader:
    if reader.bytes(4) != _MAGIC:
        raise ValueError("≠ GGUF")
    version = reader.number("I")
    if version not in _VERSIONS:  # A file of the other byte order shows a large number here.
        raise ValueError(f"GGUF {version}")
    n_tensors, n_keys = reader.number("Q"), reader.number("Q")
    if n_tensors > _MOST_TENSORS or n_keys > _MOST_KEYS:
        raise ValueError(f"{n_tensors} > {_MOST_TENSORS} / {n_keys} > {_MOST_KEYS}")
    told: dict[str, Any] = {}
    for _place in range(n_keys):
        key = reader.text(_LONGEST_KEY)
        if key in told:
            raise ValueError(f"{key[:80]} × 2")
        told[key] = reader.value()
    rows = [_row(reader) for _place in range(n_tensors)]
    alignment = told.get("general.alignment", 32)
    if type(alignment) is not int or not 1 <= alignment <= _LARGEST_ALIGNMENT or alignment & (alignment - 1):
        raise ValueError(f"general.alignment {shown(alignment)}")
    begin = -(-reader.at // alignment) * alignment
    tensors: dict[str, GgufTensor] = {}
    for name, shape, kind, offset in rows:
        if name in tensors:
            raise ValueError(f"{name[:80]} × 2")
        tensors[name] = _placed(name, shape, kind, begin + offset, reader.size, kinds)
    return GgufHeader(told, tensors)


def _row(reader: _HeaderReader) -> tuple[str, tuple[int, ...], int, int]:
    """Name, shape, number of the kind and place behind the header of one tensor."""
    name, n_axes = reader.text(_LONGEST_KEY), reader.number("I")
    if not 1 <= n_axes <= _MOST_AXES:
        raise ValueError(f"{name[:80]}: {n_axes} …")
    axes = tuple(reader.number("Q") for _axis in range(n_axes))
    return name, axes[::-1], reader.number("I"), reader.number("Q")  # The file has the fastest axis first.


def _placed(
    name: str, shape: tuple[int, ...], kind: int, begin: int, size: int, kinds: Mapping[int, tuple[str, int, int]]
) -> GgufTensor:
    """The tensor, whose numbers lie in the file. Raises ValueError, OtherKindError."""
    if kind not in kinds:
        raise OtherKindError(name[:80], kind)
    told, block, n_bytes = kinds[kind]
    numbers = math.prod(shape)
    if not 0 < numbers <= _MOST_NUMBERS or shape[-1] % block:
        raise ValueError(f"{name[:80]}: {told} {shown(shape)}")
    length = numbers // block * n_bytes
    if begin + length > size:
        raise ValueError(f"{name[:80]}: {begin + length} B > {size} B")
    return GgufTensor(shape, told, begin, length)
