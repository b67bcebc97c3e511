"""Where models lie: in the stores of other programs, and in a folder of folders. Nothing is read but the names of files."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Literal

import attrs

from explorer.errors import NothingDownloaded
from explorer.foreign.folder import INDEX, models_among
from explorer.model_places import ADAPTER, CACHED, CHECKPOINTS, CONFIG, snapshot
from explorer.model_stores import GGUF, hub_cache, lm_studio_folders, ollama_folders, ollama_models

MOST_MODELS = 1000  # of a list
_MOST_FOLDERS = 20_000  # that are looked into
_DEEPEST = 5  # folders in folders
_WEIGHTS = (".safetensors", GGUF, *CHECKPOINTS, ".h5", ".msgpack", ".onnx")
Store = Literal["huggingface", "lm-studio", "ollama", "folder"]


@attrs.frozen
class Place:
    """A model by its name, its store, and the folder or file that opens it."""

    name: str
    path: Path
    store: Store


def stored_models() -> tuple[Place, ...]:
    """The models in the caches of Hugging Face, LM Studio and Ollama, at most `MOST_MODELS`, by store and name."""
    return tuple(islice(_stored(), MOST_MODELS))


def models_below(folder: Path) -> tuple[Place, ...]:
    """The models in a folder and in the folders below it, at most `MOST_MODELS`, each by its path from there."""
    return tuple(islice(_below(folder, "folder"), MOST_MODELS))


def first_model(folder: Path) -> Place | None:
    """Any model in a folder or below it; None where there is none."""
    return next(_below(folder, "folder"), None)


def _stored() -> Iterator[Place]:
    yield from _below(hub_cache(), "huggingface")
    for folder in lm_studio_folders():
        yield from _below(folder, "lm-studio")
    for folder in ollama_folders():
        yield from (Place(name, blob, "ollama") for name, blob in ollama_models(folder))


def _below(root: Path, store: Store) -> Iterator[Place]:
    """Walk through folders in the order of their names. A folder with a model is not looked into any further."""
    waiting, seen = [(root, 0)], set()
    for _n_looked in range(_MOST_FOLDERS):
        if not waiting:
            return
        folder, depth = waiting.pop()
        files, folders, here = _entries(folder)
        if here in seen:  # A link leads back.
            continue
        seen.add(here)
        found = list(_downloaded(folder, store) if folder.name.startswith(CACHED) else _models_in(folder, files, root, store))
        yield from found
        if not found and depth < _DEEPEST:
            waiting.extend((each, depth + 1) for each in reversed(folders))


def _entries(folder: Path) -> tuple[list[Path], list[Path], object]:
    """The files and the folders of a folder by name, without hidden ones, and what tells it from every other folder."""
    try:
        about = folder.stat()
        with os.scandir(folder) as entries:
            seen = sorted((each for each in entries if not each.name.startswith(".")), key=lambda each: each.name.lower())
            files = [Path(each.path) for each in seen if each.is_file()]
            return files, [Path(each.path) for each in seen if each.is_dir()], (about.st_dev, about.st_ino)
    except OSError:
        return [], [], folder


def _models_in(folder: Path, files: list[Path], root: Path, store: Store) -> Iterator[Place]:
    """The model of a folder, or each of its files in GGUF."""
    names = {each.name for each in files}
    packed = models_among([each for each in files if each.suffix == GGUF])
    if packed and not any(each.suffix == ".safetensors" for each in files):
        yield from (Place(_named(each, root), each, store) for each in packed)
    elif not names.isdisjoint((CONFIG, ADAPTER)) and any(each.suffix in _WEIGHTS or each.name == INDEX for each in files):
        yield Place(_named(folder, root), folder, store)


def _downloaded(folder: Path, store: Store) -> Iterator[Place]:
    """What the Hugging Face cache has of one repository. One without a model is a place all the same: opening it says why."""
    name = folder.name.removeprefix(CACHED).replace("--", "/")
    try:
        root = snapshot(folder)
    except NothingDownloaded:
        yield Place(name, folder, store)
        return
    inside = list(islice(_below(root, store), MOST_MODELS)) or [Place(root.name, root, store)]
    for each in inside:
        alone = each.path == root or len(inside) == 1
        yield attrs.evolve(each, name=name if alone else f"{name}/{each.name}")


def _named(path: Path, root: Path) -> str:
    """A path from the folder that was looked into; that folder itself by its own name."""
    return path.name if path == root else path.relative_to(root).as_posix()


def files_of(path: Path) -> tuple[Path, ...]:
    """The files with the weights of a model: the file in GGUF itself with its further parts, or those of the folder."""
    if path.is_file():
        first, _, rest = path.name.partition("-00001-of-")
        return tuple(sorted(path.parent.glob(f"{first}-?????-of-{rest}"))) if rest else (path,)
    return tuple(each for each in _entries(path)[0] if each.suffix in _WEIGHTS)
