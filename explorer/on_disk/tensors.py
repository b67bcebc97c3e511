"""The tensors in a model's files, from their headers alone: names, shapes, types, bytes, and where each begins.

A model needs no class here, no vocabulary and no memory, so that one which this program does not run can be looked into.
"""

import contextlib
import difflib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import BadFolder, CannotRead, NeedsSafetensors, NoModelInside, NothingThere, UnknownParameter
from explorer.foreign.gguf_header import QUANTIZED, GgufHeader, read_gguf_header
from explorer.foreign.settings import FILE, read_json, reading_weights
from explorer.model.weights_header import Header, read_header
from explorer.model_places import ADAPTER, model_place
from explorer.model_stores import is_gguf
from explorer.on_disk.places import files_of
from explorer.trace.found.parameters import Parameter

_READ = (".safetensors",)
_OF_MODEL = (".json", ".txt", ".model")
_LONGEST = 400  # characters of a setting


@attrs.frozen
class TensorInFile:
    """A tensor as a file stores it: as a Parameter whose `dtype` is the file's own, such as "BF16", and where it is."""

    parameter: Parameter
    file: Path
    begin: int
    n_bytes: int

    def as_json(self) -> dict[str, Any]:
        """The tensor for programs."""
        own = self.parameter
        return {"name": own.name, "shape": list(own.shape), "type": own.dtype, "bytes": self.n_bytes, "file": self.file.name}


@attrs.frozen
class ModelFiles:
    """What a model's files hold: their settings as rows of a name and a text, and their tensors by the file's order.

    `path` is the folder or file that was read.
    """

    path: Path
    settings: tuple[tuple[str, str], ...]
    tensors: tuple[TensorInFile, ...]

    def named(self, name: str) -> TensorInFile:
        """The tensor of a name. Raises UnknownParameter."""
        found = next((each for each in self.tensors if each.parameter.name == name), None)
        if found is None:
            known = [each.parameter.name for each in self.tensors]
            nearest = difflib.get_close_matches(name[:200], known, n=1, cutoff=0.0)
            raise UnknownParameter(name=name, nearest=nearest[0] if nearest else "")
        return found


def files_place(name: str) -> Path:
    """The folder or file that a path or a model's name means here: any folder with weights. Raises as `model_place` does."""
    path = Path(name)
    if path.is_file():
        inside = path.suffix in _OF_MODEL or (path.suffix in _READ and (path.parent / FILE).is_file())
        return path.parent if inside else path
    if path.is_dir() and files_of(path):
        return path
    place = model_place(name)
    if place is None:
        raise NothingThere(path=name)
    return place


def read_files(path: Path) -> ModelFiles:
    """The settings and tensors of a folder or a file.

    Raises NoModelInside, BadWeights, and NeedsSafetensors for weights in which code can hide.
    """
    files = files_of(path)
    read = [each for each in files if each.suffix in _READ or (each.is_file() and is_gguf(each))]
    if not read and files:
        raise NeedsSafetensors(path=str(path), found=", ".join(each.name for each in files[:3]))
    if not read:
        raise NoModelInside(path=str(path))
    tensors: list[TensorInFile] = []
    told: Mapping[str, Any] | None = None
    for file in read:
        with reading_weights(file):
            if is_gguf(file):
                header = read_gguf_header(file, every_kind=True)
                tensors += _of_gguf(file, header)
                told = header.told if told is None else told  # The first part of a model has the settings.
            else:
                tensors += _of_safetensors(file, read_header(file))
    settings = (_config(path) if told is None else told).items()
    shown = tuple((_legible(name), _legible(json.dumps(value, ensure_ascii=False))) for name, value in settings)
    return ModelFiles(path, shown, tuple(tensors))


def _config(path: Path) -> Mapping[str, Any]:
    """The settings in config.json, or those of an adapter; none where none can be read."""
    folder = path.parent if path.is_file() else path
    with contextlib.suppress(BadFolder, CannotRead):
        return read_json(folder, ADAPTER if (folder / ADAPTER).is_file() else FILE)
    return {}


def _legible(text: str) -> str:
    """The text on one line, shortened where it is very long; strangers have written it."""
    start = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text[:_LONGEST])
    return start if len(text) <= _LONGEST else f"{start[:-1]}…"


def _of_gguf(file: Path, header: GgufHeader) -> Iterator[TensorInFile]:
    for name, each in header.tensors.items():
        own = attrs.evolve(_parameter(name, each.shape, each.kind), quantized=each.kind in QUANTIZED)
        yield TensorInFile(own, file, each.begin, each.n_bytes)


def _of_safetensors(file: Path, header: Header) -> Iterator[TensorInFile]:
    for name, shape in header.shapes.items():
        own = _parameter(name, shape, header.dtypes[name])
        yield TensorInFile(own, file, header.places[name], header.n_bytes(name))


def _parameter(name: str, shape: tuple[int, ...], kind: str) -> Parameter:
    axes = ("row", "column") if len(shape) > 1 else ("feature",) * len(shape)
    return Parameter(name, shape, (*("matrix",) * (len(shape) - 2), *axes), kind)
