"""The file of results over prompts: a NumPy archive with the values of every prompt, and in JSON the prompts and the model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.errors import CannotRead, NotAScanTable
from explorer.trace.archive import is_archive, read_archive, write_archive
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.metric_map import MetricMap

SUFFIX = ".npz"
_ABOUT = "over_prompts.json"
_OF_PROMPTS = ("plain", "other")  # arrays [prompt]
Maps = Mapping[str, MetricMap]


def write_results(path: Path, about: Mapping[str, Any], of_prompts: Mapping[str, Array], maps: Maps) -> None:
    """Write the arrays [prompt] by name, the maps by kind, and what else is said of them. Raises CannotWrite, DiskFull."""
    axes = {kind: {name: named and list(named) for name, named in found.axes.items()} for kind, found in maps.items()}
    values = {f"map {number}": found.values for number, found in enumerate(maps.values())}
    write_archive(path, _ABOUT, {**about, "maps": axes}, {**of_prompts, **values})


def is_results(path: Path) -> bool:
    """Whether a file holds results over prompts. Raises CannotRead, NotAFile."""
    return path.suffix.lower() == SUFFIX and is_archive(path, _ABOUT)


def read_results(path: Path) -> tuple[dict[str, Any], dict[str, Array], dict[str, MetricMap]]:
    """What `write_results` wrote, checked to fit together. Raises CannotRead, NotAFile, NotAScanTable."""
    try:
        about, arrays = read_archive(path, _ABOUT)
        n = len(about["prompts"])
        told = about.pop("maps")
        maps = {str(kind): _map(arrays[f"map {number}"], axes, n) for number, (kind, axes) in enumerate(told.items())}
        if not (n and maps and all(isinstance(text, str) for text in (*about["prompts"], *about.get("others", ())))):
            raise ValueError("prompts")
        return about, {name: _checked(arrays[name], (n,)) for name in _OF_PROMPTS if name in arrays}, maps
    except CannotRead:
        raise
    except Exception as error:  # A foreign file can raise anything in the readers of zip, NumPy and JSON.
        raise NotAScanTable(path=str(path), reason=str(error).partition("\n")[0][:80]) from error


def _map(values: NDArray[Any], axes: Mapping[str, Any], n: int) -> MetricMap:
    """Raises ValueError for names that do not fit the array."""
    named = {str(name): None if labels is None else tuple(map(str, labels)) for name, labels in axes.items()}
    sizes = zip(values.shape[1:], named.values(), strict=True)
    return MetricMap(_checked(values, (n, *(size if labels is None else len(labels) for size, labels in sizes))), named)


def _checked(values: NDArray[Any], shape: tuple[int, ...]) -> Array:
    if values.dtype.kind != "f" or values.shape != shape or not np.isfinite(np.where(np.isnan(values), 0, values)).all():
        raise ValueError(f"{values.dtype} {values.shape} ≠ {shape}")
    return frozen_array(values)
