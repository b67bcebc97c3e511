"""Where other programs keep the models that they have downloaded: the Hugging Face cache, LM Studio and Ollama.

Ollama's models are files in GGUF without that ending, each named by the SHA-256 of its bytes; a manifest says what a model is
called. Nothing here is ever downloaded, and a store that is not there, or cannot be read, is empty.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from explorer.errors import CannotRead
from explorer.files import opened, read_whole
from explorer.json_text import read_json_text

_MOST_BYTES = 2**20
_MOST_NAMES = 2000
_BLOB = re.compile(r"sha256-[0-9a-f]{64}")
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_OF_MODEL = "application/vnd.ollama.image.model"
_USUAL_HOST, _USUAL_OWNER = "registry.ollama.ai", "library"
_MAGIC = b"GGUF"
_OF_SERVICE = Path("/usr/share/ollama/.ollama/models")  # of the service that its installer makes on Linux
GGUF = ".gguf"


def hub_cache() -> Path:
    """The folder of Hugging Face's downloads, as its own library finds it."""
    told = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if told:
        return Path(told).expanduser()
    home = os.environ.get("HF_HOME")
    if home:
        return Path(home).expanduser() / "hub"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface" / "hub"


def lm_studio_folders() -> tuple[Path, ...]:
    """The folders of LM Studio's models, in which they lie as PUBLISHER/MODEL/FILE: today's place and the former one."""
    home = Path.home() / ".lmstudio"
    with contextlib.suppress(CannotRead, ValueError):  # LM Studio writes this file where its folder was moved.
        home = Path(read_whole(Path.home() / ".lmstudio-home-pointer", _MOST_BYTES).decode().strip() or home)
    return home / "models", Path.home() / ".cache" / "lm-studio" / "models"


def ollama_folders() -> tuple[Path, ...]:
    """The folders of Ollama's models: the one that was set, or the user's own and that of its service on Linux."""
    told = os.environ.get("OLLAMA_MODELS")
    if told:
        return (Path(told).expanduser(),)
    return Path.home() / ".ollama" / "models", _OF_SERVICE


def ollama_models(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every model of one of Ollama's folders: the name that `ollama list` prints, and the file of its weights."""
    manifests = folder / "manifests"
    try:
        files = sorted(each for each in manifests.glob("*/*/*/*") if each.is_file())
    except OSError:
        return
    for file in files[:_MOST_NAMES]:
        host, owner, model, tag = file.relative_to(manifests).parts
        blob = _weights_of(file)
        if blob:
            before = [] if owner == _USUAL_OWNER else [owner]
            before = before if host == _USUAL_HOST else [host, owner]
            yield "/".join([*before, f"{model}:{tag}"]), folder / "blobs" / blob


def _weights_of(manifest: Path) -> str:
    """The name of the file with the weights of a model; "" where the manifest names none."""
    try:
        told: Any = read_json_text(read_whole(manifest, _MOST_BYTES))
        layers = [each for each in told["layers"] if each["mediaType"] == _OF_MODEL]
        digest = _DIGEST.fullmatch(layers[0]["digest"]) if layers else None
    except (CannotRead, ValueError, LookupError, TypeError):
        return ""
    return "" if digest is None else f"sha256-{digest[1]}"


def ollama_place(name: str) -> Path | None:
    """The weights of the model that Ollama calls `name`, such as "llama3.2:1b"; None where it has no such model."""
    models = (each for folder in ollama_folders() for each in ollama_models(folder))
    return next((blob for known, blob in models if known == name and blob.is_file()), None)


def is_gguf(path: Path) -> bool:
    """Whether a file is in GGUF, by its ending or, if it is Ollama's, by its first bytes. Raises CannotRead, NotAFile."""
    if not _BLOB.fullmatch(path.name):
        return path.suffix == GGUF
    with opened(path) as file:
        return file.read(len(_MAGIC)) == _MAGIC


# No row: menus ask at each change, and a disk may be slow. A blob is named by its digest; a new tag shows at the next start.
@lru_cache(maxsize=64)
def ollama_title(path: Path) -> str:
    """The name of the model that Ollama keeps in a file; "" where the file is none of its."""
    if not _BLOB.fullmatch(path.name) or path.parent.name != "blobs":
        return ""
    return next((name for name, blob in ollama_models(path.parent.parent) if blob.name == path.name), "")
