"""What a path is: one function for a drop, for Open…, and for the command line. It needs neither Qt nor torch."""

import contextlib
from pathlib import Path
from typing import Literal

import attrs

from explorer.errors import AdapterAsPreset, ExplorerError, NoModelInside, SeveralModels
from explorer.files import opened
from explorer.lessons.lesson_file import is_lesson
from explorer.model_places import ADAPTER, CONFIG, base_of, cached_model, model_place
from explorer.on_disk.places import first_model
from explorer.presets import FILE, RECORDED_SUFFIXES, load_preset
from explorer.scanning.table_file import is_scan_table
from explorer.state.state_file import BUNDLE_SUFFIX, SUFFIX
from explorer.trace.found.prompts_file import is_results

_OF_MODELS = (".json", ".safetensors", ".toml", ".txt", ".model")
"""The endings of files in a folder with a model: one of them means its folder. A file in GGUF is a model itself."""
_OF_ADAPTERS = (ADAPTER, "adapter_model.safetensors")
_ENDINGS = (SUFFIX, BUNDLE_SUFFIX, ".toml", ".json", ".parquet", *RECORDED_SUFFIXES)
Kind = Literal["session", "lesson", "scan", "recorded", "model", "adapter", "models"]


@attrs.frozen
class Meant:
    """The kind of what a path is, and the path to open: of a model that of its folder.

    Of an adapter, `base` is the place of its base model, "" where it is not in the Hugging Face cache.
    """

    kind: Kind
    path: str
    base: str = ""


def meant_by(name: str) -> Meant | None:
    """What a path, or the name of a model in a cache, means; None where it is neither. Raises as `meant` and `model_place`."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # No file can have this name, or nobody has a home.
        path = Path(name).expanduser()
        if path.exists() or name.endswith(_ENDINGS):
            return meant(path)
    place = model_place(name)
    return None if place is None else Meant("model", str(place))


def meant(path: Path) -> Meant:
    """What lies at a path. A model that cannot be opened is one all the same: opening it says why.

    Raises CannotRead, NotAFile, and for a folder NoModelInside, NothingDownloaded, CheckpointAsModel.
    """
    if path.is_dir():
        return _folder(path)
    opened(path).close()  # A pipe is refused here, whatever its ending says.
    if path.name.endswith((SUFFIX, BUNDLE_SUFFIX)):
        return Meant("session", str(path))
    if is_lesson(path):
        return Meant("lesson", str(path))
    if is_scan_table(path) or is_results(path):
        return Meant("scan", str(path))
    if path.name in _OF_ADAPTERS and (path.parent / ADAPTER).is_file():
        return _adapter(path.parent)
    if path.suffix in RECORDED_SUFFIXES and not (path.parent / CONFIG).exists():
        return Meant("recorded", str(path))
    beside = path.suffix in _OF_MODELS and any((path.parent / each).is_file() for each in (CONFIG, FILE))
    return _model(path.parent if beside else path)


def _folder(path: Path) -> Meant:
    if (path / FILE).is_file():
        return _model(path)
    try:
        model_place(str(path))
    except AdapterAsPreset:
        return _adapter(path)
    except (NoModelInside, SeveralModels):
        if first_model(path) is None:
            raise
        return Meant("models", str(path))
    return _model(path)


def _model(path: Path) -> Meant:
    try:
        load_preset(str(path))
    except NoModelInside:
        raise
    except ExplorerError:  # The session finds it read, and says what is wrong with it.
        pass
    return Meant("model", str(path))


def _adapter(folder: Path) -> Meant:
    """An adapter with its base. Its settings may name any path, so only names in the Hugging Face cache are looked up."""
    base = cached_model(base_of(folder))
    return Meant("adapter", str(folder), "" if base is None else str(base))
