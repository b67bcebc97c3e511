"""The Likeness: what must not change between a scan and its resumption, the sentences in the file and the model's weights.

Decision: both are recognized by the SHA-256 of their whole contents. Reading costs about a second a gigabyte, once at the start
of a scan that measures for hours. Rejected: modification times, since a copy on another machine has another one.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs

from explorer.errors import CannotRead, OtherScanFile, OtherScanWeights
from explorer.files import sha256_of
from explorer.presets import load_preset
from explorer.state.bundle import weights_sha256
from explorer.state.wish import Wish

_OF_MODELS = (".safetensors", ".json", ".model", ".txt", ".bin")  # endings of the files that a foreign model computes with


@attrs.frozen
class Likeness:
    """`sentences` is the SHA-256 of a scanned file, "" for a list; `weights` those of the files of a model, by their names."""

    sentences: str = ""
    weights: tuple[str, ...] = ()

    @classmethod
    def of(cls, wish: Wish, file: Path | None) -> "Likeness":
        """The Likeness of a model and a file as they are now. Raises CannotRead, UnknownPreset, BadPreset."""
        return cls("" if file is None else sha256_of(file), tuple(_weights(wish)))

    def check(self, began: "Likeness", path: Path, file: Path | None) -> None:
        """Check that the scan whose progress is in `path` began with the same. Raises OtherScanFile, OtherScanWeights."""
        if self.sentences != began.sentences:
            raise OtherScanFile(path=str(path), file=str(file))
        if self.weights != began.weights:
            raise OtherScanWeights(path=str(path))


def _weights(wish: Wish) -> Iterator[str]:
    """The name and SHA-256 of each file with weights; none for weights drawn from a seed."""
    if wish.uses_trained and (own := weights_sha256(wish.preset)):
        yield own
    others = load_preset(wish.preset).foreign
    for folder in (others, Path(wish.adapter) if wish.adapter else None):
        for path in _files(folder):
            yield f"{path.name} {sha256_of(path)}"


def _files(folder: Path | None) -> list[Path]:
    try:
        found = [] if folder is None else [path for path in folder.iterdir() if path.suffix in _OF_MODELS and path.is_file()]
    except OSError as error:
        raise CannotRead(path=str(folder), reason=error.strerror or str(error)) from error
    return sorted(found)
