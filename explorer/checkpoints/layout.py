"""What a course's checkpoint looks like, declared: each tensor of it, its shape, and where it goes in the model it becomes.

A shape is written in letters, "3d d": each is a size that the first tensor with it decides, and all others have to agree.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import attrs
import torch
from torch import Tensor

from explorer.config import Config
from explorer.errors import LacksKeys, OtherShape, UnknownTensors

SizeByLetter = dict[str, int]
Making = Callable[[Sequence[Tensor], Mapping[str, int]], Tensor]
_LAYER = "{i}"
_SIZE = re.compile(r"(\d*)([A-Za-z]?)")
_NAMED = 3  # tensors in a sentence


def as_it_is(parts: Sequence[Tensor], _sizes: Mapping[str, int]) -> Tensor:
    """The tensor, or several below each other."""
    return parts[0] if len(parts) == 1 else torch.cat(list(parts))


def turned(parts: Sequence[Tensor], _sizes: Mapping[str, int]) -> Tensor:
    """[out, in] of a Linear to [in, out], as GPT-2's own layers hold it; of several, their outputs lie side by side."""
    return torch.cat(list(parts)).T.contiguous()


@attrs.frozen
class TensorRow:
    """A tensor of the checkpoint, or one of each layer `{i}`, and its name in the model that it becomes.

    Without a target it is left out, because that model makes it itself. `more` are further ones of the same shape that become
    one with it. `absent` says what follows where it is not there: a refusal, zeros, or nothing.
    """

    source: str
    shape: str
    target: str = ""
    made: Making = as_it_is
    absent: Literal["refused", "zeros", "allowed"] = "refused"
    more: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """All names of it in the checkpoint."""
        return (self.source, *self.more)


@attrs.frozen
class Known:
    """What a checkpoint and the flags say of its model: sizes by letter, layers, heads, and settings that it leaves open."""

    sizes: Mapping[str, int]
    n_layers: int
    n_heads: int
    tied: bool
    chosen: Mapping[str, Any]
    position: str = ""


@attrs.frozen(kw_only=True)
class Layout:
    """The checkpoints of one course. They are recognized by `marks`, tensors that all of them have.

    The model is one of transformers, made of `settings`, or one of our own, made of `config`. `assumed` are settings that the
    course's code has and its file lacks; `told` are names under which some files do have them. `tied` is whether the class
    uses its embedding as its output, None where it may do either. `pe` are tables of positions, which tell the formula.
    """

    course: str
    marks: tuple[str, ...]
    rows: tuple[TensorRow, ...]
    settings: Callable[[Known], dict[str, Any]] | None = None
    config: Callable[[Known], Config] | None = None
    assumed: Mapping[str, Any] = attrs.field(factory=dict)
    told: Mapping[str, str] = attrs.field(factory=dict)
    embedding: str = ""
    output: str = ""
    tied: bool | None = None
    pe: tuple[str, ...] = ()


@attrs.frozen
class TargetTensor:
    """A tensor of the target: the tensors that it is made of, none of them where it is zeros of `shape`."""

    name: str
    sources: tuple[str, ...]
    row: TensorRow
    shape: tuple[int, ...]


@attrs.frozen
class Fit:
    """How a checkpoint fits its layout: sizes by letter, the tensors of the target, and those that are left out."""

    sizes: SizeByLetter
    n_layers: int
    placed: tuple[TargetTensor, ...]
    left_out: tuple[str, ...]


def fit(layout: Layout, shapes: Mapping[str, tuple[int, ...]], path: str) -> Fit:
    """Give every tensor of the checkpoint its place. Raises UnknownTensors, LacksKeys, OtherShape."""
    n_layers = _n_layers(layout, shapes)
    sizes: SizeByLetter = {}
    placed: list[TargetTensor] = []
    used: set[str] = set()
    lacking: list[str] = []
    for row in layout.rows:
        names = [tuple(_of_layer(each, i) for each in row.sources) for i in range(n_layers if _LAYER in row.source else 1)]
        is_absent = row.absent != "refused" and not any(name in shapes for each in names for name in each)
        for i, sources in enumerate(names):
            lacking += [name for name in sources if name not in shapes and not is_absent]
            there = tuple(name for name in sources if name in shapes)
            for name in there:
                _check(name, shapes[name], row.shape, sizes, path)
            used.update(there)
            if row.target and (there or row.absent == "zeros"):
                shape = tuple(_number(each, sizes) for each in row.shape.split())
                placed.append(TargetTensor(_of_layer(row.target, i), there, row, shape))
    strange = sorted(shapes.keys() - used)
    if strange:
        raise UnknownTensors(path=path, course=layout.course, tensors=named(strange))
    if lacking:
        raise LacksKeys(path=path, course=layout.course, tensors=named(lacking))
    kept = {name for each in placed for name in each.sources}
    return Fit(sizes, n_layers, tuple(placed), tuple(sorted(used - kept)))


def named(names: Sequence[str]) -> str:
    """The first of these names, and how many more there are."""
    return ", ".join(names[:_NAMED]) + (f", … ({len(names)})" if len(names) > _NAMED else "")


def _of_layer(name: str, i: int) -> str:
    return name.replace(_LAYER, str(i))


def _n_layers(layout: Layout, shapes: Mapping[str, tuple[int, ...]]) -> int:
    """One more than the largest number of a layer; at most as many as there are tensors."""
    patterns = [re.escape(each).replace(re.escape(_LAYER), r"(\d{1,6})") for row in layout.rows for each in row.sources]
    wanted = re.compile("|".join(each for each in patterns if r"\d" in each))
    found = (wanted.fullmatch(name) for name in shapes)
    numbers = [int(next(filter(None, each.groups()), "0")) for each in found if each is not None]
    return min(1 + max(numbers, default=0), len(shapes))


def _check(name: str, got: tuple[int, ...], wanted: str, sizes: SizeByLetter, path: str) -> None:
    """Compare a shape with its letters; a new letter gets the size that is there. Raises OtherShape."""
    letters = wanted.split()
    if len(letters) == len(got):
        for letter, size in zip(letters, got, strict=True):
            times, unknown = _parts(letter)
            if unknown and unknown not in sizes and size % times == 0 and size:
                sizes[unknown] = size // times
    if any(_parts(each)[1] not in (*sizes, "") for each in letters) or got != tuple(_number(each, sizes) for each in letters):
        told = " × ".join(str(_number(each, sizes)) if _parts(each)[1] in (*sizes, "") else each for each in letters)
        raise OtherShape(path=path, tensor=name, got=" × ".join(map(str, got)) or "1", wanted=told)


def _parts(letter: str) -> tuple[int, str]:
    """The factor and the letter of "3d"; a number alone has no letter."""
    found = _SIZE.fullmatch(letter)
    assert found is not None  # Layouts are written here.
    return int(found[1] or 1), found[2]


def _number(letter: str, sizes: Mapping[str, int]) -> int:
    times, name = _parts(letter)
    return times * (sizes[name] if name else 1)
