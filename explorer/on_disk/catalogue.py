"""What each model on the disk is: its family, its size, and whether it opens or why not.

Decision: the reason is the error that opening the model would raise, since the same check is called. Rejected: rules of a
list's own, which would tell another story than the window as soon as one of the two changes.
"""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import attrs

from explorer.errors import (
    AdapterNeedsBase,
    BadFolder,
    CannotRead,
    ExplorerError,
    GgufNotInstalled,
    NothingDownloaded,
    NotInstalled,
)
from explorer.foreign.folder import Folder, check_folder
from explorer.foreign.gguf_header import FLOATS, read_gguf_header
from explorer.foreign.settings import FILE, read_json
from explorer.lang import Words
from explorer.model_places import ADAPTER, CACHED, base_of, cached_model
from explorer.on_disk.places import Place, files_of

_FAMILY_IN_GGUF = "general.architecture"
Form = Literal["safetensors", "GGUF", "LoRA", "torch", ""]


@attrs.frozen
class ModelEntry:
    """A model in a list: its place, its family ("" where it is not known), the form of its files, and their bytes.

    `refused` says why it cannot be opened; None where its settings and headers pass the check. `base` is the name of an
    adapter's base model.
    """

    place: Place
    family: str
    form: Form
    n_bytes: int
    refused: ExplorerError | None = None
    base: str = ""

    def reason(self, words: Words) -> str:
        """Why it does not open, in one sentence, which calls it by its name; "" where it opens."""
        path = re.compile(rf"{re.escape(str(self.place.path))}(?![\\/])")
        return "" if self.refused is None else path.sub(lambda _found: self.place.name, words.error(self.refused))

    def as_json(self, words: Words) -> dict[str, Any]:
        """The entry for programs."""
        return {
            "name": self.place.name,
            "path": str(self.place.path),
            "store": self.place.store,
            "family": self.family,
            "form": self.form,
            "bytes": self.n_bytes,
            "opens": self.refused is None,
            "reason": self.reason(words),
        }


def entry_of(place: Place) -> ModelEntry:
    """Look into one model. A file that cannot be read is its reason, too."""
    files = files_of(place.path)
    n_bytes, form = sum(_size(each) for each in files), _form(place.path, files)
    if (place.path / ADAPTER).is_file():
        return _adapter(place, n_bytes)
    try:
        folder = _checked(place.path)
        return ModelEntry(place, folder.family, form, n_bytes)
    except ExplorerError as error:
        return ModelEntry(place, _family(place.path), form, n_bytes, error)


def _checked(path: Path) -> Folder:
    """The folder, if it passes what opening checks before torch is loaded. Raises ExplorerError."""
    if path.name.startswith(CACHED):
        raise NothingDownloaded(path=str(path))
    folder = check_folder(path)
    if find_spec("transformers") is None:
        raise NotInstalled(name="transformers")
    if folder.gguf is not None and not set(folder.gguf.kinds) <= set(FLOATS) and find_spec("gguf") is None:
        raise GgufNotInstalled(name="gguf")
    return folder


def _adapter(place: Place, n_bytes: int) -> ModelEntry:
    """An adapter opens over its base, if that is in the Hugging Face cache."""
    base = base_of(place.path)
    refused = None if cached_model(base) is not None else AdapterNeedsBase(path=str(place.path), base=base)
    return ModelEntry(place, "", "LoRA", n_bytes, refused, base)


def _family(path: Path) -> str:
    """The family of a model that is refused, as its files name it; "" where they name none that can be shown."""
    try:
        told = read_gguf_header(path).told.get(_FAMILY_IN_GGUF) if path.is_file() else read_json(path, FILE).get("model_type")
    except (BadFolder, CannotRead, OSError, ValueError):
        return ""
    return told[:60] if isinstance(told, str) and told.isprintable() else ""


def _form(path: Path, files: Sequence[Path]) -> Form:
    """The form of a model's files; "" where it has none."""
    if path.is_file():
        return "GGUF"
    return "safetensors" if any(each.suffix == ".safetensors" for each in files) else "torch" if files else ""


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
