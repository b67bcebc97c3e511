"""Converting a checkpoint: recognized by its tensors, read behind the fence, written as a folder whole or not at all.

A pytorch_model.bin beside its config.json has the names of transformers already: it keeps them.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import psutil
import torch
from torch import Tensor

from explorer.checkpoints.courses.courses import COURSES, LAYOUTS, UNCONVERTIBLE
from explorer.checkpoints.fenced_checkpoint import FencedCheckpoint
from explorer.checkpoints.layout import Fit, Known, Layout, TargetTensor, fit, named
from explorer.checkpoints.vocabularies import WrittenVocabulary, written_vocabulary
from explorer.errors import (
    FolderIsThere,
    HeadsAreTold,
    HeadsDoNotDivide,
    NeedsHeads,
    NoFloats,
    NotFinite,
    OtherPositions,
    PartOfCheckpoint,
    TooLarge,
    UnknownLayout,
    UnknownSetting,
)
from explorer.files import making_folder, read_whole
from explorer.foreign.settings import known_families, read_json
from explorer.model.positions import EXPONENTS, sinusoidal
from explorer.model.weights_file import FILE, all_finite, write_tensors
from explorer.stops import Progress
from explorer.training.bundle import write_knobs

_HEADS = ("n_head", "n_heads", "num_attention_heads", "heads", "head")
_BASE, _NEAR = 10000.0, 1e-3  # Courses compute their tables in float32, far positions less exactly.
_ABOUT = {"format": "pt"}  # Readers of safetensors elsewhere ask for it.
_WEIGHTS, _CONFIG = "model.safetensors", "config.json"
_OF_TRANSFORMERS = ".bin"  # Courses do not write such files, which may lie beside one of them.
_MOST_BYTES = 2**22  # of a config.json
_PART = re.compile(r".+-\d{5}-of-(\d{5})\.\w+")


@attrs.frozen(kw_only=True)
class Converted:
    """A folder that was written, what it was, and what its file did not say.

    `course` is the course or the family of the model, `assumed` are settings that were taken from the course's code, and
    `left_out` names tensors that the model makes itself.
    """

    folder: Path
    course: str
    n_parameters: int
    assumed: Mapping[str, Any]
    left_out: tuple[str, ...]
    vocabulary: WrittenVocabulary


@attrs.frozen(kw_only=True)
class Supplied:
    """What a user says beside the file: heads, where a vocabulary is, and settings that the file lacks.

    `tokenizer` is a folder with a tokenizer, `characters` the training text of a model of characters.
    """

    n_heads: int | None = None
    tokenizer: Path | None = None
    characters: Path | None = None
    settings: Mapping[str, Any] = attrs.field(factory=dict)


def _unheard(_share: float) -> None:
    """Report no progress: the default."""


def convert(path: Path, out: Path, given: Supplied | None = None, going: Progress = _unheard) -> Converted:
    """Write the model of a checkpoint into the new folder `out`.

    `going` is given the share that is read, and may raise to end the work. Raises CannotConvert, BadFile, CannotWrite, BadKnob.
    """
    if out.exists():
        raise FolderIsThere(path=str(out))
    part = _PART.fullmatch(path.name)
    if part is not None and int(part[1]) > 1:
        raise PartOfCheckpoint(path=str(path), count=int(part[1]))
    checkpoint = FencedCheckpoint(path)
    try:
        conversion = _Conversion(checkpoint, out, given or Supplied(), going)
        family = _family_beside(path)
        return conversion.named_already(family) if family else conversion.of_course()
    finally:
        checkpoint.end()


def _family_beside(path: Path) -> str:
    """The family that config.json beside a file of transformers names; "" for another file. Raises NotAModel, CannotRead."""
    if path.suffix != _OF_TRANSFORMERS or not (path.parent / _CONFIG).is_file():
        return ""
    family = read_json(path.parent, _CONFIG).get("model_type")
    return family if isinstance(family, str) and family in known_families() else ""


class _Conversion:
    """One conversion. Tensors are read once, also those that decide which course it is."""

    def __init__(self, checkpoint: FencedCheckpoint, out: Path, given: Supplied, going: Progress) -> None:
        self._checkpoint, self._out, self._given, self._going = checkpoint, out, given, going
        self._path = str(checkpoint.path)
        self._read: dict[str, Tensor] = {}
        self._all_bytes = max(1, sum(each.n_bytes for each in checkpoint.tensors.values()))
        self._done_bytes = 0
        self._check_room()

    def named_already(self, family: str) -> Converted:
        """The file of a model of transformers, as its config.json says. Raises NotFinite, CannotWrite."""
        beside, stored = self._checkpoint.path.parent, self._checkpoint.tensors
        self._no_settings({})
        tensors = {name: self._finite(name) for name, each in stored.items() if each.dtype.is_floating_point}
        content = read_whole(beside / _CONFIG, _MOST_BYTES)
        n_symbols = read_json(beside, _CONFIG).get("vocab_size")
        with making_folder(self._out) as folder:
            write_tensors(folder / _WEIGHTS, tensors, _ABOUT)
            given = self._given
            size = n_symbols if type(n_symbols) is int else max(each.shape[0] for each in tensors.values() if each.dim())
            vocabulary = written_vocabulary(folder, size, given.tokenizer, given.characters, beside)
            (folder / _CONFIG).write_bytes(content)
        left_out = tuple(sorted(stored.keys() - tensors.keys()))
        return self._converted(family, tensors, {}, left_out, vocabulary)

    def of_course(self) -> Converted:
        """The model of a course. Raises CannotConvert, NotFinite, CannotWrite, BadKnob."""
        layout = self._layout()
        fitted = fit(layout, {name: each.shape for name, each in self._checkpoint.tensors.items()}, self._path)
        tied = self._is_tied(layout)
        n_heads = self._n_heads(fitted)
        fitted.sizes.setdefault("D", fitted.sizes["d"] // n_heads)
        chosen, assumed = self._settings(layout)
        known = Known(fitted.sizes, fitted.n_layers, n_heads, tied, chosen, self._position(layout, fitted))
        needed = [each for each in fitted.placed if not (tied and each.sources == (layout.output,))]
        tensors = {each.name: self._made(each, fitted) for each in needed}
        vocabulary = self._write(layout, known, tensors)
        return self._converted(layout.course, tensors, assumed, fitted.left_out, vocabulary)

    def _converted(
        self,
        course: str,
        tensors: Mapping[str, Tensor],
        assumed: Mapping[str, Any],
        left_out: tuple[str, ...],
        vocabulary: WrittenVocabulary,
    ) -> Converted:
        return Converted(
            folder=self._out,
            course=course,
            n_parameters=sum(each.numel() for each in tensors.values()),
            assumed=assumed,
            left_out=left_out,
            vocabulary=vocabulary,
        )

    def _layout(self) -> Layout:
        """The course that the tensors are of. Raises UnknownLayout, NotConverted."""
        names = self._checkpoint.tensors.keys()
        for refused in UNCONVERTIBLE:
            if refused.fits(names):
                raise refused.reason(path=self._path, course=refused.course, tensor=refused.marks[-1])
        fitting = [each for each in LAYOUTS if all(mark in names for mark in each.marks)]
        if not fitting:
            raise UnknownLayout(path=self._path, found=named(sorted(names)), known=", ".join(COURSES))
        return next((each for each in fitting if each.tied in (None, self._is_tied(each))), fitting[0])

    def _is_tied(self, layout: Layout) -> bool:
        """Whether the output uses the embedding's matrix: both have the same numbers, or the output is not there."""
        if layout.config is not None:
            return False
        stored = self._checkpoint.tensors
        if layout.output not in stored:
            return True
        same = stored[layout.output].shape == stored[layout.embedding].shape
        return same and torch.equal(self._tensor(layout.output), self._tensor(layout.embedding))

    def _n_heads(self, fitted: Fit) -> int:
        """The number of heads: by the width of one, as the file says, or as the user does.

        Raises NeedsHeads, HeadsAreTold, HeadsDoNotDivide.
        """
        sizes, asked = fitted.sizes, self._given.n_heads
        arguments = (self._checkpoint.arguments.get(name) for name in _HEADS)
        told = next((each for each in arguments if type(each) is int and each > 0), None)
        features = sizes.get("q", sizes["d"])
        if "D" in sizes:
            told = features // sizes["D"]
        n_heads = told or asked
        if n_heads is None:
            raise NeedsHeads(path=self._path)
        if told is not None and asked not in (None, told):
            raise HeadsAreTold(path=self._path, told=told, got=asked)
        d_head = features // n_heads
        if features % n_heads or sizes.get("k", 0) % max(d_head, 1):
            raise HeadsDoNotDivide(path=self._path, n_heads=n_heads, features=features)
        return n_heads

    def _settings(self, layout: Layout) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings that the tensors do not say: all of them, and those that are only assumed. Raises UnknownSetting."""
        self._no_settings(layout.assumed)
        told = {ours: self._checkpoint.arguments.get(theirs) for theirs, ours in layout.told.items()}
        said = {name: value for name, value in told.items() if type(value) in (int, float)} | dict(self._given.settings)
        return dict(layout.assumed) | said, {name: value for name, value in layout.assumed.items() if name not in said}

    def _no_settings(self, but: Mapping[str, Any]) -> None:
        """Refuse settings that are not left open, or of another kind. Raises UnknownSetting."""
        for name, value in self._given.settings.items():
            if name not in but or isinstance(value, str) != isinstance(but[name], str):
                raise UnknownSetting(got=f"{name}={value}", known=", ".join(but) or "–")

    def _position(self, layout: Layout, fitted: Fit) -> str:
        """The kind of positions whose table the file has; "" of a course without one. Raises OtherPositions."""
        found = ""
        for name in layout.pe:
            table = self._tensor(name)[0].float()  # [position, feature]
            kinds = [found] if found else list(EXPONENTS)
            found = next((each for each in kinds if _gives(each, table, fitted.sizes["d"])), "")
            if not found:
                raise OtherPositions(path=self._path, tensor=name)
        return found

    def _made(self, placed: TargetTensor, fitted: Fit) -> Tensor:
        """A tensor of the target. Raises NotFinite."""
        if not placed.sources:
            return torch.zeros(placed.shape)
        parts = [self._finite(name) for name in placed.sources]
        return placed.row.made(parts, fitted.sizes).contiguous()

    def _finite(self, name: str) -> Tensor:
        """A tensor of floats, which is kept no longer. Raises NoFloats, NotFinite."""
        dtype = self._checkpoint.tensors[name].dtype
        if not dtype.is_floating_point:
            raise NoFloats(path=self._path, tensor=name, dtype=str(dtype).removeprefix("torch."))
        found = self._tensor(name)
        del self._read[name]
        if not all_finite(found):
            raise NotFinite(path=self._path, tensor=name)
        return found

    def _tensor(self, name: str) -> Tensor:
        if name not in self._read:
            self._read[name] = self._checkpoint.read(name, self._told)
        return self._read[name]

    def _told(self, n_bytes: int) -> None:
        self._done_bytes += n_bytes
        self._going(min(1.0, self._done_bytes / self._all_bytes))

    def _check_room(self) -> None:
        """Refuse a model that does not fit into the free memory. Raises TooLarge."""
        free = psutil.virtual_memory().available
        if self._all_bytes > free:
            raise TooLarge(path=self._path, need_mb=self._all_bytes // 2**20, free_mb=free // 2**20)

    def _write(self, layout: Layout, known: Known, tensors: dict[str, Tensor]) -> WrittenVocabulary:
        """Write the folder; returns what a text is for it. Raises CannotWrite, BadKnob, BadFile."""
        given, config = self._given, None if layout.config is None else layout.config(known)
        with making_folder(self._out) as folder:
            if config is not None:
                write_tensors(folder / FILE, tensors, {})
                vocabulary = WrittenVocabulary.of_own_ids(folder, config.vocab_size, config.n_target_symbols)
                write_knobs(folder, config, vocabulary.text)
                return vocabulary
            assert layout.settings is not None  # A layout has one of the two.
            write_tensors(folder / _WEIGHTS, tensors, _ABOUT)
            vocabulary = written_vocabulary(folder, known.sizes["V"], given.tokenizer, given.characters)
            settings = json.dumps(layout.settings(known), indent=2)
            (folder / _CONFIG).write_text(f"{settings}\n", encoding="utf-8")
            return vocabulary


def _gives(kind: str, table: Tensor, d_model: int) -> bool:
    """Whether a kind of positions gives this table [position, feature]."""
    return torch.allclose(sinusoidal(len(table), d_model, _BASE, kind=kind), table, atol=_NEAR, rtol=0)
