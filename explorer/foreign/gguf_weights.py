"""The numbers of a GGUF file as tensors of the model. Packed ones are made float32 by the library gguf, in NumPy alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.errors import BadWeights, CannotRead, GgufNotInstalled
from explorer.files import opened
from explorer.foreign.folder import Folder
from explorer.foreign.gguf_header import FLOATS, GgufTensor
from explorer.foreign.gguf_names import TensorPlace
from explorer.stops import Progress

_Unpack = Callable[[Any, str], Any]


def gguf_tensors(folder: Folder, going: Progress) -> dict[str, Tensor]:
    """Every tensor by its name in the model, as wide as it is held. Raises GgufNotInstalled, BadWeights, Superseded."""
    found = folder.gguf
    assert found is not None  # The caller has checked it.
    unpack = _unpacking() if any(each.kind not in FLOATS for each in found.header.tensors.values()) else None
    made: dict[str, Tensor] = {}
    numbers, every, kind = 0, max(folder.numbers, 1), getattr(torch, folder.held)
    try:
        with opened(found.path) as file:
            for name, place in found.places.items():
                packed = found.header.tensors[place.name]
                file.seek(packed.begin)
                raw = file.read(packed.n_bytes)
                if len(raw) != packed.n_bytes:
                    raise BadWeights(path=str(found.path), reason=f"{packed.begin + len(raw)} B …")
                made[name] = _ordered(_numbers(raw, packed, unpack), place).to(kind)
                numbers += made[name].numel()
                going(numbers / every)
    except CannotRead as error:
        raise BadWeights(path=str(found.path), reason=error.values.get("reason", error)) from error
    except (OSError, ValueError) as error:
        raise BadWeights(path=str(found.path), reason=str(error)) from error
    return made


def _unpacking() -> _Unpack:
    """The function that unpacks bytes [row, byte] of a kind into float32 [row, number]. Raises GgufNotInstalled."""
    try:
        from gguf.constants import GGMLQuantizationType
        from gguf.quants import dequantize
    except ImportError as error:
        raise GgufNotInstalled(name="gguf") from error
    return lambda rows, kind: dequantize(rows, GGMLQuantizationType[kind])


def _numbers(raw: bytes, packed: GgufTensor, unpack: _Unpack | None) -> Tensor:
    """The tensor as float32, in the order of the file."""
    if packed.kind in FLOATS:
        dtype = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}[packed.kind]
        return torch.frombuffer(bytearray(raw), dtype=dtype).float().reshape(packed.shape)
    assert unpack is not None  # `gguf_tensors` sets it wherever a kind is packed.
    rows = np.frombuffer(raw, np.uint8).reshape(int(np.prod(packed.shape[:-1])), -1)  # [row, byte]
    return torch.from_numpy(np.ascontiguousarray(unpack(rows, packed.kind), np.float32)).reshape(packed.shape)


def _ordered(tensor: Tensor, place: TensorPlace) -> Tensor:
    """The tensor in the order of the model's own classes."""
    if place.n_heads:
        # [head · pair · half, …] → [head, half, pair, …]: GGUF turns neighbours together, the classes both halves of a head.
        rows = tensor.reshape(place.n_heads, -1, 2, *tensor.shape[1:])
        return rows.swapaxes(1, 2).reshape(tensor.shape).contiguous()
    return tensor.T.contiguous() if place.turned else tensor
