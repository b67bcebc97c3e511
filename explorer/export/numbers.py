"""Files of numbers: CSV, NumPy archive, safetensors. They hold what the model computed, masked cells included."""

import csv
import errno
import json
import math
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import save_file

from explorer.files import replacing
from explorer.lang import Words
from explorer.picture.kinds import Axis
from explorer.picture.makers.heatmaps import token_axis
from explorer.picture.tables import Table
from explorer.trace.arrays import Array
from explorer.trace.remake_heads import Remade, can_be_remade
from explorer.trace.trace import Trace

_HEADER = ("tap", "head", "row", "label")
_LONG_HEADER = ("tap", "head", "row", "row_label", "column", "column_label", "value")
# A text that a spreadsheet would compute, also after apostrophes, so that removing one gives the text back.
_FORMULA = re.compile(r"(?![+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\Z)'*[=+\-@\t\r].", re.ASCII | re.DOTALL)


def write_npz(path: Path, tables: Sequence[Table]) -> None:
    """Write a NumPy archive with one array under each table's name. Raises CannotWrite."""
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w") as file:
        for name, array in _arrays(tables).items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                if isinstance(array, Remade):
                    about = {"descr": "<f4", "fortran_order": False, "shape": array.shape}
                    np.lib.format.write_array_header_1_0(entry, about)
                    _stream(entry, array)
                else:
                    np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def _stream(file: IO[bytes], array: Remade) -> None:
    """Write one head after the other, as little-endian float32, so that a large map is never in memory as a whole."""
    for one in array:
        file.write(one.astype("<f4", copy=False).tobytes())


def write_safetensors(path: Path, tables: Sequence[Table]) -> None:
    """Write a safetensors file with one array under each table's name. Raises CannotWrite, DiskFull."""
    arrays = _arrays(tables)
    with replacing(path) as unfinished:
        if any(isinstance(array, Remade) for array in arrays.values()):
            _stream_safetensors(unfinished, arrays)
            return
        try:
            save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, unfinished)
        except SafetensorError as error:  # The library gives the system's error as text only.
            code = re.search(r"os error (\d+)", str(error))
            raise OSError(int(code[1]) if code else errno.EIO, str(error)) from error


def _stream_safetensors(path: Path, arrays: Mapping[str, NDArray[Any] | Remade]) -> None:
    """Write safetensors one head at a time, as the library accepts whole arrays only.

    The format is: the length of a JSON header, the header, and the numbers in the header's order.
    """
    about, end = {}, 0
    for name, array in arrays.items():
        start, end = end, end + 4 * math.prod(array.shape)
        about[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [start, end]}
    head = json.dumps(about).encode("utf-8")
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for array in arrays.values():
            if isinstance(array, Remade):
                _stream(file, array)
            else:
                file.write(np.ascontiguousarray(array, "<f4").tobytes())


def write_csv(path: Path, tables: Sequence[Table]) -> None:
    """Write every table as rows of `tap, head, row, label` and then one column for each entry of its last axis.

    Numbers have as many figures as give back the same float32, or the same float64 where they were computed in it, and `cell`
    writes texts. The file is UTF-8 without a byte order mark, with decimal points and English headers in every language.
    Raises CannotWrite.
    """
    with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for table in tables:
            array = table.values
            writer.writerow([*_HEADER, *(cell(table.columns.label(index)) for index in range(array.shape[-1]))])
            for head, one in _maps(table):
                for index, values in enumerate(one):
                    begin = cell(table.name), head, index, _label(table.rows, index)
                    writer.writerow([*begin, *(exact(value) for value in values)])


def write_long_csv(path: Path, tables: Sequence[Table]) -> None:
    """Write one row for each number, under one header for the whole file: the form that data frames group and filter by.

    Numbers are written as in `write_csv`; an axis without labels has empty ones. Raises CannotWrite.
    """
    with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_LONG_HEADER)
        for table in tables:
            for head, one in _maps(table):
                for row, values in enumerate(one):
                    begin = (cell(table.name), head, row, _label(table.rows, row))
                    writer.writerows(
                        (*begin, column, _label(table.columns, column), exact(value)) for column, value in enumerate(values)
                    )


def _maps(table: Table) -> Iterator[tuple[object, Array]]:
    """The maps [row, column] of a table, each with its head, or "" if the table has no heads."""
    array = table.values
    if array.ndim == 3:
        yield from enumerate(array)
    else:
        assert not isinstance(array, Remade)  # It has heads.
        yield "" if table.head is None else table.head, array


def _label(axis: Axis, index: int) -> str:
    return cell(axis.label(index)) if axis.labels else ""


def cell(text: str) -> str:
    """A text as a cell of a CSV: a text that a spreadsheet would compute gets an apostrophe before it, which makes it a text
    there.

    A program that reads the file removes the apostrophe if one of `= + - @`, a tab or a carriage return follows.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def _arrays(tables: Sequence[Table]) -> dict[str, NDArray[Any] | Remade]:
    return {table.name: table.values for table in tables}


def exact(value: np.floating | float) -> str:
    """A float32 or float64 with the fewest figures that give it back exactly."""
    number = float(value)
    if math.isnan(number) or math.isinf(number):
        return str(number)
    kept = value if isinstance(value, np.float64) else np.float32(value)
    written = np.format_float_positional if 1e-4 <= abs(number) < 1e7 or not number else np.format_float_scientific
    return written(kept, unique=True, trim="0")


def selection(trace: Trace, taps: tuple[str, ...], head: int | None, words: Words) -> tuple[Table, ...]:
    """Recorded tensors as tables; of tensors with heads, one head, or all where `head` is None.

    Maps of a long text that were not kept are computed again while they are written. Raises UnknownTap, NotKept.
    """
    return tuple(_selected(trace, tap, head, words) for tap in taps)


def _selected(trace: Trace, tap: str, head: int | None, words: Words) -> Table:
    axes = trace.axes(tap)
    one = head if axes[0] == "head" else None
    rows, columns = (token_axis(trace, tap, name, words) for name in axes[-2:])
    if trace.map(tap).array is None and can_be_remade(trace, tap):
        every = Remade(trace, tap)
        return Table(tap, every if one is None else every[one], rows, columns, one)
    array: Array = trace[tap] if one is None else trace[tap][one]
    return Table(tap, array, rows, columns, one)
