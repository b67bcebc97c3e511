"""The numbers of a folder's files, safetensors or GGUF, as tensors of the model."""

from collections.abc import Iterator

import numpy as np
import torch
from safetensors import safe_open
from torch import Tensor

from explorer.errors import BadWeights
from explorer.files import opened
from explorer.foreign.folder import Folder, Gguf
from explorer.foreign.gguf_header import FLOATS, GgufTensor
from explorer.foreign.gguf_names import TensorPlace
from explorer.foreign.settings import reading_weights
from explorer.foreign.unpacking import Unpack, unpacking
from explorer.stops import Progress


def read_tensors(folder: Folder, going: Progress) -> dict[str, Tensor]:
    """Every tensor by its name in the model, as wide as it is held. Raises GgufNotInstalled, BadWeights, Superseded."""
    kind, numbers, every = getattr(torch, folder.held), 0, max(folder.numbers, 1)
    made: dict[str, Tensor] = {}
    for name, tensor in _of_safetensors(folder, kind) if folder.gguf is None else _of_gguf(folder.gguf, kind):
        made[name] = tensor
        numbers += tensor.numel()
        going(numbers / every)
    return made


def _of_safetensors(folder: Folder, kind: torch.dtype) -> Iterator[tuple[str, Tensor]]:
    for path in folder.headers:
        with reading_weights(path), safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118  The file is no mapping.
                tensor = file.get_tensor(name)
                # The file is mapped: its pages are read while the numbers are copied, so the progress is true.
                yield name, tensor.to(kind, copy=True) if tensor.is_floating_point() else tensor


def _of_gguf(found: Gguf, kind: torch.dtype) -> Iterator[tuple[str, Tensor]]:
    unpack = unpacking() if any(each.kind not in FLOATS for each in found.header.tensors.values()) else None
    with reading_weights(found.path), opened(found.path) as file:
        for name, place in found.places.items():
            packed = found.header.tensors[place.name]
            file.seek(packed.begin)
            raw = file.read(packed.n_bytes)
            if len(raw) != packed.n_bytes:
                raise BadWeights(path=str(found.path), reason=f"{packed.begin + len(raw)} B …")
            yield name, _ordered(_numbers(raw, packed, unpack), place).to(kind)


def _numbers(raw: bytes, packed: GgufTensor, unpack: Unpack | None) -> Tensor:
    """The tensor as float32, in the order of the file."""
    if packed.kind in FLOATS:
        dtype = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}[packed.kind]
        return torch.frombuffer(bytearray(raw), dtype=dtype).float().reshape(packed.shape)
    assert unpack is not None  # `_of_gguf` sets it wherever a kind is packed.
    rows = np.frombuffer(raw, np.uint8).reshape(int(np.prod(packed.shape[:-1])), -1)  # [row, byte]
    return torch.from_numpy(np.ascontiguousarray(unpack(rows, packed.kind), np.float32)).reshape(packed.shape)


def _ordered(tensor: Tensor, place: TensorPlace) -> Tensor:
    """The tensor in the order of the model's own classes."""
    if place.n_heads:
        # [head · pair · half, …] → [head, half, pair, …]: GGUF turns neighbours together, the classes both halves of a head.
        rows = tensor.reshape(place.n_heads, -1, 2, *tensor.shape[1:])
        return rows.swapaxes(1, 2).reshape(tensor.shape).contiguous()
    return tensor.T.contiguous() if place.transposed else tensor
