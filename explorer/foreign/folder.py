"""A folder with a foreign model, checked before torch or transformers is imported.

The check reads `config.json` and the headers of the safetensors files, and looks for a vocabulary. It runs nothing in the
folder: files in which code can hide (pickles, modules in Python) are never opened.
"""

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import psutil

from explorer.errors import (
    MissingWeights,
    NeedsConversion,
    NeedsSafetensors,
    NotAModel,
    Quantized,
    SeveralGguf,
    TooLarge,
    WeightsDoNotFit,
)
from explorer.files import check_file
from explorer.foreign.gguf_header import FLOATS, GgufHeader, OtherKindError, read_gguf_header
from explorer.foreign.gguf_names import TensorPlace, kinds_of, places_of, refused_kind, settings_of
from explorer.foreign.gguf_rope import slowed_positions
from explorer.foreign.holding import FLOAT, way_to_hold
from explorer.foreign.settings import check_sizes, read_json, read_labels, read_settings, reading_weights
from explorer.model.weights_header import Header, read_header
from explorer.model_places import CHECKPOINTS
from explorer.model_stores import GGUF, is_gguf

INDEX, _SINGLE = "model.safetensors.index.json", "model.safetensors"
_OTHERS = (*CHECKPOINTS, ".pkl", ".h5", ".msgpack", ".onnx")
_MOST_FILES = 1000
_FLOATS = ("F64", "F32", "F16", "BF16")
_WHOLE = ("I64", "BOOL")  # No quantization stores weights in these types.
_LAYERS = re.compile(r"(?:num_(?:hidden_|decoder_|encoder_)?|n_|encoder_|decoder_)layers?")
_PART = re.compile(r".+-(\d{5})-of-\d{5}\.gguf")
_MOST_NAMED = 12
_COUNTS = re.compile(r"(?:^|\.)(?:position_ids|token_type_ids|bias|masked_bias|num_batches_tracked)$")


@attrs.frozen
class Gguf:
    """A checked GGUF file: its header, and where the tensors of the model are in it, by their names in the model."""

    path: Path
    header: GgufHeader
    places: Mapping[str, TensorPlace]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The packed kinds of its tensors, such as "Q4_K"; () if all are floats."""
        return kinds_of(self.header)


@attrs.frozen
class Folder:
    """A checked folder: its absolute path, the settings of its model, the headers of its files, and how to hold its weights.

    `labels` are those of a classifier's classes, () of any other model. `gguf` is the file of weights
    that are in GGUF. `code` is the key by which the folder asks for program code, which is not run; "" where it asks for none.
    """

    path: Path
    settings: Mapping[str, Any]
    headers: Mapping[Path, Header]
    held: str = "float32"
    labels: tuple[str, ...] = ()
    gguf: Gguf | None = None
    code: str = ""

    @property
    def family(self) -> str:
        """The kind of model, such as "gpt2"."""
        return str(self.settings["model_type"])

    @property
    def numbers(self) -> int:
        """How many numbers the files hold."""
        return sum(self.sizes.values())

    @property
    def sizes(self) -> dict[str, int]:
        """How many numbers each tensor has, by name."""
        return {name: math.prod(shape) for header in self.headers.values() for name, shape in header.shapes.items()}


def check_folder(path: Path) -> Folder:
    """Read a folder's settings and headers, and refuse it if it cannot be opened safely.

    Raises NotAModel, NotANumber, NeedsCode, NeedsSafetensors, SeveralGguf, Quantized, UnknownFamily, NoModelType,
    MissingWeights, WeightsDoNotFit, BadWeights, TooLarge, NotAFile.
    """
    try:
        path = path.absolute()
        _check_files(path)
        packed = _gguf_file(path)
        if packed is not None:
            return _of_gguf(packed.parent, packed)
        settings, code = read_settings(path)
        files = _weight_files(path)
    except (OSError, ValueError) as error:
        raise NotAModel(path=str(path), reason=getattr(error, "strerror", None) or str(error)) from error
    folder = Folder(path, settings, {file: _header(file) for file in files}, labels=read_labels(path), code=code)
    _check_layers(folder)
    held = way_to_hold(str(path), folder.sizes)
    kinds = {kind for header in folder.headers.values() for kind in header.dtypes.values() if kind in _FLOATS}
    return attrs.evolve(folder, held="float16" if held == "bfloat16" and kinds == {"F16"} else held)


def _check_files(folder: Path) -> None:
    """Refuse a pipe or a device in the folder: later code would report such a file as missing.

    Raises NotAFile, OSError.
    """
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file() or entry.is_dir() or not Path(entry.path).exists():  # A link to nothing is no file either.
                continue
            check_file(Path(entry.path))


def _gguf_file(folder: Path) -> Path | None:
    """The GGUF file of a folder without safetensors weights, or the one that the path itself names.

    Raises SeveralGguf, OSError.
    """
    if folder.is_file() and is_gguf(folder):
        return folder
    files = sorted(each for each in folder.iterdir() if each.suffix == GGUF)
    if not files or (folder / INDEX).is_file() or any(_is_model(each) for each in folder.glob("*.safetensors")):
        return None
    return chosen_gguf(folder, files)


def chosen_gguf(folder: Path, files: Sequence[Path]) -> Path:
    """The one file of a model among all of a folder. Raises SeveralGguf, from which a user can choose.

    Files that accompany a model are recognized by the names that llama.cpp's programs give them: the projector of pictures has
    "mmproj" in it, and parts of a model are numbered "-00001-of-00003". The first part stands for all. In a folder without a
    model, the first file is returned, and reading it reports what it is.
    """
    offered = models_among(files)
    if len(offered) > 1:
        names = [each.name for each in offered]
        found = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
        raise SeveralGguf(path=str(folder), count=len(names), found=found, example=str(offered[0]))
    return (offered or list(files))[0]


def models_among(files: Sequence[Path]) -> tuple[Path, ...]:
    """The files in GGUF that hold a model, or the first part of one."""
    models = [each for each in files if "mmproj" not in each.name.lower()]
    first = tuple(each for each in models if (part := _PART.fullmatch(each.name)) is None or part[1] == "00001")
    return first or tuple(models[:1])


def _is_model(file: Path) -> bool:
    """Whether a file of safetensors may be a model's, and not an adapter's."""
    return not file.name.startswith("adapter")


def _of_gguf(folder: Path, file: Path) -> Folder:
    """The checked folder of a GGUF file. Its settings and its vocabulary are in the file, too.

    Raises NotAModel, UnknownFamily, PartOfGguf, Quantized, BadWeights, MissingWeights, TooLarge.
    """
    with reading_weights(file):
        try:
            header = read_gguf_header(file)
        except OtherKindError as error:
            raise refused_kind(str(file), error.kind) from error
    settings = settings_of(header, str(file))
    check_sizes(settings, file)
    settings |= slowed_positions(header, settings, file)
    places = places_of(header, settings, str(file))
    shapes = {name: header.tensors[place.name].shape for name, place in places.items()}
    shapes = {name: shape[::-1] if places[name].transposed else shape for name, shape in shapes.items()}
    made = Folder(folder, settings, {file: Header(shapes, dict.fromkeys(shapes, "F32"), {})}, gguf=Gguf(file, header, places))
    _check_layers(made)
    held = way_to_hold(str(folder), made.sizes)
    if held == "streamed":  # Packed tensors cannot be read row by row.
        raise TooLarge(
            path=str(folder), need_mb=FLOAT * made.numbers // 2**20, free_mb=psutil.virtual_memory().available // 2**20
        )
    kinds = {tensor.kind for tensor in header.tensors.values()}
    return attrs.evolve(made, held="float16" if held == "bfloat16" and kinds <= set(FLOATS) - {"BF16"} else held)


def _weight_files(folder: Path) -> tuple[Path, ...]:
    """The files of the weights. Raises MissingWeights, NeedsSafetensors, NotAModel."""
    if (folder / INDEX).is_file():
        return _indexed(folder)
    if (folder / _SINGLE).is_file():
        return (folder / _SINGLE,)
    found = sorted(filter(_is_model, folder.glob("*.safetensors")))
    if len(found) == 1:
        return tuple(found)
    if found:  # Parts of a model, of which only the index knows whether they are complete.
        raise MissingWeights(path=str(folder), missing=INDEX)
    others = sorted(each.name for each in folder.iterdir() if each.suffix in _OTHERS)
    if others:
        named, of_torch = ", ".join(others[:3]), next((each for each in others if each.endswith(CHECKPOINTS)), "")
        if of_torch:
            raise NeedsConversion(path=str(folder), found=named, example=str(folder / of_torch))
        raise NeedsSafetensors(path=str(folder), found=named)
    raise MissingWeights(path=str(folder), missing="*.safetensors")


def _indexed(folder: Path) -> tuple[Path, ...]:
    """The files that the index names: plain names of files beside it. Raises NotAModel, MissingWeights."""
    places = read_json(folder, INDEX).get("weight_map")
    names = (
        set(places.values()) if isinstance(places, dict) and all(isinstance(each, str) for each in places.values()) else set()
    )
    if not 0 < len(names) <= _MOST_FILES:
        raise NotAModel(path=str(folder), reason=f"{INDEX}: weight_map")
    for name in sorted(names):
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*\.safetensors", name):
            raise NotAModel(path=str(folder), reason=f"{INDEX}: {name}")
        if not (folder / name).is_file():
            raise MissingWeights(path=str(folder), missing=name)
    return tuple(folder / name for name in sorted(names))


def _header(file: Path) -> Header:
    """The header of one file, which agrees with its size. Raises BadWeights, Quantized."""
    with reading_weights(file):
        header = read_header(file)
    packed = next((kind for name, kind in header.dtypes.items() if kind not in _FLOATS and not _counts(name, kind)), "")
    if packed:
        raise Quantized(path=str(file), method=packed)
    return header


def _counts(name: str, kind: str) -> bool:
    """Whether a tensor holds counts or positions instead of weights."""
    return bool(_COUNTS.search(name)) or (kind in _WHOLE and not name.endswith("weight"))


def _check_layers(folder: Folder) -> None:
    """Refuse more layers than tensors: building a million layers takes hours. Raises WeightsDoNotFit."""
    n_tensors = sum(len(header.shapes) for header in folder.headers.values())
    for key, value in folder.settings.items():
        if _LAYERS.fullmatch(key) and isinstance(value, int) and value > n_tensors:
            raise WeightsDoNotFit(path=str(folder.path), reason=f"{key} = {value:,}")
