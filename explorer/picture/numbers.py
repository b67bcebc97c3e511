"""Recorded numbers to files: CSV, NumPy archive, safetensors. They hold what the model computed, masked cells included."""

import csv
import errno
import json
import math
import re
import struct
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import save_file

from explorer.files import replacing
from explorer.picture.picture import Axis
from explorer.trace.arrays import Array
from explorer.trace.remade import Remade, can_be_remade
from explorer.trace.trace import Trace

Selection = dict[str, Array | Remade]
"""Tap name to array, already cut down to the heads that are wanted; what a long text left no room for is made as it is
written."""


def write_npz(path: Path, arrays: Selection) -> None:
    """One array under each tap's name. Raises CannotWrite."""
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w") as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                if isinstance(array, Remade):
                    about = {"descr": "<f4", "fortran_order": False, "shape": array.shape}
                    np.lib.format.write_array_header_1_0(entry, about)
                    _stream(entry, array)
                else:
                    np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def _stream(file: IO[bytes], array: Remade) -> None:
    """One head after the other, as little-endian float32."""
    for one in array:
        file.write(one.astype("<f4", copy=False).tobytes())


def write_safetensors(path: Path, arrays: Selection) -> None:
    """The same for safetensors. Raises CannotWrite, DiskFull."""
    with replacing(path) as unfinished:
        if any(isinstance(array, Remade) for array in arrays.values()):
            _stream_safetensors(unfinished, arrays)
            return
        try:
            save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, unfinished)
        except SafetensorError as error:  # it holds the system's error as text
            code = re.search(r"os error (\d+)", str(error))
            raise OSError(int(code[1]) if code else errno.EIO, str(error)) from error


def _stream_safetensors(path: Path, arrays: Selection) -> None:
    """The library takes whole arrays only. The format: the length of a JSON head, the head, the numbers in its order."""
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


def write_csv(path: Path, arrays: Selection, columns: dict[str, Axis], rows: dict[str, Axis]) -> None:
    """Every array as rows of `tap, head, row, label` and then one column for each entry of its last axis.

    Numbers have nine significant figures, which give back the very float32. Raises CannotWrite.
    """
    with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        for name, array in arrays.items():
            maps = array if isinstance(array, Remade) or array.ndim == 3 else array[None]
            heads = range(len(maps)) if array.ndim == 3 else [""]
            writer.writerow(["tap", "head", rows[name].name, "", *_labels(columns[name], maps.shape[2])])
            for head, one in zip(heads, maps, strict=True):
                for index, values in enumerate(one):
                    label = rows[name].label(index) if rows[name].labels else ""
                    writer.writerow([name, head, index, label, *(exact(value) for value in values)])


def _labels(axis: Axis, size: int) -> list[str]:
    return [axis.label(index) for index in range(size)]


def exact(value: np.floating | float) -> str:
    """A float32 in as few figures as give it back."""
    number = float(value)
    if math.isnan(number) or math.isinf(number):
        return str(number)
    return np.format_float_positional(np.float32(value), unique=True, trim="0") if 1e-4 <= abs(number) < 1e7 or not number \
        else np.format_float_scientific(np.float32(value), unique=True, trim="0")


def selection(trace: Trace, taps: tuple[str, ...], head: int | None) -> Selection:
    """The arrays of some taps; one head of those that have heads, or all where `head` is None."""
    return {name: _selected(trace, name, head) for name in taps}


def _selected(trace: Trace, tap: str, head: int | None) -> Array | Remade:
    one = head if trace.axes(tap)[0] == "head" else None
    if tap in trace.shapes and can_be_remade(trace, tap):
        every = Remade(trace, tap)
        return every if one is None else every[one]
    array: Array = trace[tap] if one is None else trace[tap][one]
    return array
