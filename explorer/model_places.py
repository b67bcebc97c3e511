"""Where the model is that a path or a name means.

It may be a folder, a file inside one, a GGUF file, a folder of the Hugging Face cache, the name of a model in that cache, or
the name that Ollama gives to one. Nothing is ever downloaded.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from explorer.errors import (
    AdapterAsPreset,
    CannotRead,
    CheckpointAsModel,
    NameOnHub,
    NoModelInside,
    NothingDownloaded,
    NothingThere,
    SeveralModels,
)
from explorer.files import check_file, read_whole
from explorer.json_text import read_json_text
from explorer.model_stores import GGUF, hub_cache, is_gguf, ollama_place

CONFIG, ADAPTER = "config.json", "adapter_config.json"
_FILES = (CONFIG, "model.safetensors", "model.safetensors.index.json", "tokenizer.json", "tokenizer_config.json")
CHECKPOINTS = (".bin", ".pt", ".pth", ".ckpt")
"""The endings of what torch.save writes, which `explorer.checkpoints` converts."""
_OF_MODELS = ("pytorch_model", "model")
_PICKLES = (*CHECKPOINTS, ".h5")  # The check of the folder reports on them.
_HUB_NAME = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_.-]*/)?[A-Za-z0-9][A-Za-z0-9_.-]{0,95}")
CACHED = "models--"
"""How a folder of the Hugging Face cache begins that holds a model."""
_MOST_BYTES = 2**20
_NAMED = 3  # models in a sentence


def model_place(name: str) -> Path | None:
    """The folder or the GGUF file that holds the model; None if the name means no model.

    Raises AdapterAsPreset, CheckpointAsModel, SeveralModels, NothingDownloaded, NameOnHub, NoModelInside, NothingThere,
    NotAFile.
    """
    try:
        return _place(name) if name else None
    except (OSError, ValueError):  # No file can have this name.
        return None


def weights_folder(name: str) -> Path | None:
    """The folder of a model if the name is one of its usual files, such as config.json; else None."""
    try:
        path = Path(name)
        return path.parent if path.name in _FILES and path.is_file() and (path.parent / CONFIG).is_file() else None
    except (OSError, ValueError):
        return None


def _place(name: str) -> Path | None:
    path = Path(name)
    if path.is_dir():
        return _in_folder(path)
    if path.is_file():
        found = path if is_gguf(path) else weights_folder(name)
        if found is None and path.suffix in CHECKPOINTS:
            raise CheckpointAsModel(path=name)
        if found is None:
            raise NoModelInside(path=name)
        return found
    if path.exists():
        check_file(path)  # Report that this is a pipe or a device.
    if name.startswith(("/", "~", ".")) or "\\" in name or path.suffix in (GGUF, ".safetensors", ".json"):
        raise NothingThere(path=name)
    if ":" in name:
        return ollama_place(name)
    if not _HUB_NAME.fullmatch(name):
        return None
    cached = hub_cache() / f"{CACHED}{name.replace('/', '--')}"
    if cached.is_dir():
        return snapshot(cached)
    if "/" in name:
        raise NameOnHub(name=name)
    return None


def _in_folder(folder: Path) -> Path:
    """The folder itself, or the one that a download put inside it."""
    weights = any(not each.name.startswith("adapter") for each in folder.glob("*.safetensors"))
    others = sorted(each for each in folder.iterdir() if each.suffix in (GGUF, *_PICKLES) and each.stem != "training_args")
    if not weights and others and not any((folder / each).is_file() for each in (CONFIG, ADAPTER)) and _of_torch(others):
        raise CheckpointAsModel(path=str(others[0]))
    weights = weights or bool(others)
    if not weights and (folder / ADAPTER).is_file():
        raise AdapterAsPreset(path=str(folder), base=base_of(folder))
    if weights or (folder / CONFIG).is_file():
        return folder
    if (folder / "snapshots").is_dir():
        return snapshot(folder)
    cached = sorted(folder.glob(f"{CACHED}*")) or sorted((folder / "hub").glob(f"{CACHED}*"))
    if len(cached) == 1:
        return snapshot(cached[0])
    if cached:
        raise SeveralModels(path=str(folder), found=", ".join(each.name for each in cached[:_NAMED]), count=len(cached))
    raise NoModelInside(path=str(folder))


def _of_torch(files: Sequence[Path]) -> bool:
    """Whether all of these are files that torch.save wrote. Many programs have files of their own that end in ".bin"."""
    named = (each.suffix in CHECKPOINTS and (each.suffix != ".bin" or each.name.startswith(_OF_MODELS)) for each in files)
    return all(named) and all(each.is_file() for each in files)


def snapshot(cached: Path) -> Path:
    """The newest download of a model in the cache. Raises NothingDownloaded."""
    try:
        told = read_whole(cached / "refs" / "main", _MOST_BYTES).decode().strip()
    except (CannotRead, ValueError):
        told = ""
    if re.fullmatch(r"[0-9a-f]{6,64}", told) and (cached / "snapshots" / told).is_dir():
        return cached / "snapshots" / told
    found = [each for each in (cached / "snapshots").glob("*") if each.is_dir()]
    if not found:
        raise NothingDownloaded(path=str(cached))
    return max(found, key=lambda each: each.stat().st_mtime_ns)


def base_of(adapter: Path) -> str:
    """The model that the adapter in a folder belongs to, as its settings name it; "?" where they name none."""
    try:
        told = read_json_text(read_whole(adapter / ADAPTER, _MOST_BYTES))
    except (CannotRead, ValueError, RecursionError):
        return "?"
    base = told.get("base_model_name_or_path") if isinstance(told, dict) else None
    return base if isinstance(base, str) and base else "?"


def cached_model(name: str) -> Path | None:
    """The newest download of a model that the Hugging Face cache has under this name; None for any other text."""
    cached = hub_cache() / f"{CACHED}{name.replace('/', '--')}"
    try:
        return snapshot(cached) if _HUB_NAME.fullmatch(name) and cached.is_dir() else None
    except NothingDownloaded:
        return None
