"""Trained weights on disk: one safetensors file in float16, which becomes float32 on loading. Nothing is ever unpickled."""

from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from explorer.config import Config
from explorer.errors import BadWeights, CannotRead
from explorer.files import replacing
from explorer.model.transformer import Transformer
from explorer.model.weights import Weights
from explorer.model.weights_header import Header, read_header
from explorer.runs.snapshots import WEIGHTS

FILE = WEIGHTS
VOCABULARY = "vocabulary_sha256"  # This entry of the header names the vocabulary that the weights were trained with.


def save_weights(path: Path, weights: Weights, about: dict[str, str]) -> None:
    """Write weights in float16, under the names of `named_parameters`, which lists tied parameters once.

    `about` is stored in the file's header. Raises CannotWrite, DiskFull, and BadWeights for NaN or an infinite number; then an
    older file stays as it is.
    """
    halved = {name: tensor.detach().cpu().half().contiguous() for name, tensor in weights.items()}
    _check_finite(path, halved)
    write_tensors(path, halved, about)


def load_weights(path: Path, config: Config) -> Weights:
    """float32 weights for a model of this Config; tied parameters stand under each of their names. Raises BadWeights."""
    with torch.device("meta"):
        model = Transformer(config)
    _check_header(path, {name: tuple(parameter.shape) for name, parameter in model.named_parameters()})
    found = {name: tensor.float() for name, tensor in read_tensors(path).items()}
    _check_finite(path, found)
    return _with_aliases(model, found)


def _check_header(path: Path, wanted: dict[str, tuple[int, ...]]) -> None:
    """Refuse a file that does not hold exactly these tensors, before any numbers are read. Raises BadWeights."""
    header = _header(path)
    missing, foreign = sorted(wanted.keys() - header.shapes.keys()), sorted(header.shapes.keys() - wanted.keys())
    if missing or foreign:
        named = [*(f"-{name}" for name in missing), *(f"+{name}" for name in foreign)]
        raise BadWeights(path=str(path), reason=", ".join(named[:3]))
    for name, shape in wanted.items():
        if header.shapes[name] != shape:
            raise BadWeights(path=str(path), reason=f"{name} {list(header.shapes[name])} ≠ {list(shape)}")


def _header(path: Path, *, floats_only: bool = True) -> Header:
    """The header of a file whose size agrees with it. Raises BadWeights."""
    try:
        header = read_header(path)
        if floats_only:
            header.check_floats()
    except CannotRead as error:
        raise BadWeights(path=str(path), reason=error.values.get("reason", error)) from error
    except ValueError as error:
        raise BadWeights(path=str(path), reason=str(error)) from error
    return header


def _check_finite(path: Path, weights: Weights) -> None:
    for name, tensor in weights.items():
        if not all_finite(tensor):
            raise BadWeights(path=str(path), reason=f"{name}: NaN / ∞")


def all_finite(tensor: Tensor) -> bool:
    """Whether no number is NaN or infinite."""
    # The least and the largest number are NaN where any is; asking each number takes six times as long.
    return tensor.numel() == 0 or bool(torch.stack(torch.aminmax(tensor.detach())).isfinite().all())


def _with_aliases(model: Transformer, weights: Weights) -> Weights:
    """The weights with tied parameters under each of their names."""
    first: dict[int, Tensor] = {id(parameter): weights[name] for name, parameter in model.named_parameters()}
    return {name: first[id(parameter)] for name, parameter in model.named_parameters(remove_duplicate=False)}


def read_about(path: Path) -> dict[str, str]:
    """The texts that `save_weights` stored in the file's header. Raises BadWeights."""
    return dict(_header(path, floats_only=False).about)


def read_tensors(path: Path) -> Weights:
    """Every tensor of a safetensors file of floats, mapped from the file. Raises BadWeights."""
    _header(path)
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # The file is no mapping.
    except (SafetensorError, OSError, ValueError) as error:
        raise BadWeights(path=str(path), reason=str(error)) from error


def read_copies(path: Path) -> Weights:
    """Every tensor of a file that this process will replace: Windows refuses while it is mapped. Raises BadWeights."""
    return {name: tensor.clone() for name, tensor in read_tensors(path).items()}


def write_tensors(path: Path, tensors: Weights, about: dict[str, str]) -> None:
    """Write a safetensors file; it replaces an older one only when it is complete. Raises CannotWrite, DiskFull."""
    with replacing(path) as unfinished:
        try:
            save_file(tensors, unfinished, about)
        except SafetensorError as error:
            raise _as_os_error(error) from error


def _as_os_error(error: SafetensorError) -> OSError:
    """The OSError behind an error of safetensors, which has the system's number only in its text: "... (os error 28)"."""
    digits = str(error).rpartition("os error ")[2].partition(")")[0]
    return OSError(int(digits) if digits.isdigit() else 0, str(error))
