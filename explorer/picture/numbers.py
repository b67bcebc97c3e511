"""Recorded numbers to files: CSV, NumPy archive, safetensors. They hold what the model computed, masked cells included."""

import csv
import errno
import math
import re
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import save_file

from explorer.files import replacing
from explorer.picture.picture import Axis
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace

Selection = dict[str, Array]
"""Tap name to array, already cut down to the heads that are wanted."""


def write_npz(path: Path, arrays: Selection) -> None:
    """One array under each tap's name. Raises CannotWrite."""
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def write_safetensors(path: Path, arrays: Selection) -> None:
    """The same for safetensors. Raises CannotWrite, DiskFull."""
    with replacing(path) as unfinished:
        try:
            save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, unfinished)
        except SafetensorError as error:  # it holds the system's error as text
            code = re.search(r"os error (\d+)", str(error))
            raise OSError(int(code[1]) if code else errno.EIO, str(error)) from error


def write_csv(path: Path, arrays: Selection, columns: dict[str, Axis], rows: dict[str, Axis]) -> None:
    """Every array as rows of `tap, head, row, label` and then one column for each entry of its last axis.

    Numbers have nine significant figures, which give back the very float32. Raises CannotWrite.
    """
    with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        for name, array in arrays.items():
            maps = array if array.ndim == 3 else array[None]
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
    return {
        name: trace[name] if head is None or trace.axes(name)[0] != "head" else trace[name][head] for name in taps
    }
