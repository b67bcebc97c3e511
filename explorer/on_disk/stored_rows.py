"""The rows of one matrix in a model's file, as float32, in NumPy alone. A file is read and never mapped into memory.

Quantized rows of a GGUF file are dequantized by the library gguf.

A number of 16 bits of bfloat16 is the upper half of a float32. One of 8 bits has a sign, an exponent and a fraction:
(−1)ˢ · 2^(e−b) · 1.f, and at e = 0 without the leading 1 (Micikevicius et al. 2022, "FP8 Formats for Deep Learning").
"""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import NoNumbers, UnknownHead
from explorer.files import read_into
from explorer.foreign.settings import reading_weights
from explorer.foreign.unpacking import unpacking
from explorer.on_disk.tensors import TensorInFile
from explorer.trace.arrays import Array
from explorer.trace.found.matrix_reader import MatrixReader
from explorer.trace.found.parameters import Parameter, ParameterNumbers, slabs

_FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "F8_E4M3": "u1", "F8_E5M2": "u1"}
_EIGHT_BITS = {"F8_E4M3": (3, 7), "F8_E5M2": (2, 15)}  # bits of the fraction, and the bias of the exponent


def has_numbers(tensor: TensorInFile) -> bool:
    """Whether its bytes are the numbers of the model, floats or codes in GGUF, and not codes of another packing or counts."""
    own = tensor.parameter
    return (own.dtype in _FLOATS or own.quantized) and own.size > 0


def matrix_reader(tensor: TensorInFile, number: int = 0) -> MatrixReader:
    """Reads one matrix of a tensor, slab by slab. Raises NoNumbers, UnknownHead, GgufNotInstalled."""
    own = tensor.parameter
    if not has_numbers(tensor):
        raise NoNumbers(name=own.name, kind=own.dtype)
    if not 0 <= number < own.n_matrices:
        raise UnknownHead(got=number, last=own.n_matrices - 1)
    return MatrixReader(StoredRows(tensor, number), own, number)


def read_tensor(tensor: TensorInFile, number: int = 0, *, whole: bool = False) -> ParameterNumbers:
    """One matrix of a tensor: its figures and the cells of its picture, or with `whole` all of its numbers.

    Raises NoNumbers, UnknownHead, BadWeights, GgufNotInstalled.
    """
    reader = matrix_reader(tensor, number)
    while not reader.step():
        pass
    read = reader.found()
    if not whole or read.block == 1:
        return read
    rows = StoredRows(tensor, number)
    every = np.concatenate([rows.span(first, end) for first, end in slabs(tensor.parameter)])
    return attrs.evolve(read, values=every, block=1, levels=None)


@attrs.frozen
class StoredRows:
    """The rows of one of a tensor's matrices; see `trace.found.matrix_reader.Rows`."""

    tensor: TensorInFile
    number: int = 0

    def span(self, first: int, end: int) -> Array:
        """[row, column] the rows from `first` to before `end`, as float32. Raises BadWeights, GgufNotInstalled, NoNumbers."""
        own = self.tensor.parameter
        n_rows, n_columns = own.matrix
        n_bytes = self.tensor.n_bytes * n_columns // own.size  # of a row
        stored = np.empty((end - first, n_bytes), np.uint8)  # [row, byte]
        numbers: Any = stored.reshape(-1)  # shares the memory
        _fill(self.tensor, (self.number * n_rows + first) * n_bytes, memoryview(numbers))
        return _dequantized(stored, own) if own.quantized else _widened(stored.view(_FLOATS[own.dtype]), own.dtype)


def _fill(tensor: TensorInFile, skipped: int, room: memoryview) -> None:
    with reading_weights(tensor.file):
        read_into(tensor.file, tensor.begin + skipped, room)


def _dequantized(stored: NDArray[np.uint8], own: Parameter) -> Array:
    """[row, column] bytes [row, byte] of a quantized kind as float32. Raises GgufNotInstalled, NoNumbers."""
    try:
        with np.errstate(all="ignore"):  # A stranger's scale may be infinite, or no number.
            made: Array = unpacking()(stored, own.dtype).astype(np.float32, copy=False)
    except (KeyError, NotImplementedError) as error:  # The library does not know the kind.
        raise NoNumbers(name=own.name, kind=own.dtype) from error
    return made


def _widened(stored: NDArray[Any], kind: str) -> Array:
    """[row, column] stored numbers as float32, without any loss but that of float64."""
    if kind == "BF16":
        # The sixteen bits of bfloat16 are the upper half of a float32.
        upper: Array = (stored.astype(np.uint32) << 16).view(np.float32)
        return upper
    if kind in _EIGHT_BITS:
        numbers: Array = _of_eight_bits(*_EIGHT_BITS[kind], ieee=kind == "F8_E5M2")[stored]
        return numbers
    with np.errstate(over="ignore"):  # A float64 may be larger than every float32.
        return stored.astype(np.float32)


def _of_eight_bits(n_fraction: int, bias: int, *, ieee: bool) -> Array:
    """[byte] the number of each of the 256 bytes. E4M3 has no infinity, and one NaN of each sign."""
    byte = np.arange(256)
    exponent = (byte & 0x7F) >> n_fraction
    fraction = (byte & (2**n_fraction - 1)) / 2**n_fraction
    # x = 2^(e−b)·(1 + f), or 2^(1−b)·f where e = 0
    size = np.where(exponent == 0, 2.0 ** (1 - bias) * fraction, 2.0 ** (exponent - bias) * (1 + fraction))
    if ieee:
        size[exponent == exponent.max()] = np.nan
        size[(exponent == exponent.max()) & (fraction == 0)] = np.inf
    else:
        size[(byte & 0x7F) == 0x7F] = np.nan
    signed: Array = np.where(byte < 128, size, -size).astype(np.float32)
    return signed
