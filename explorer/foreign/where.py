"""The device on which a foreign model computes.

Weights in memory are moved there. Those that are lent stay where they are, and each goes there while its layer computes.
"""

from typing import Any

import torch
from torch import Tensor, nn

from explorer.foreign.thin import lending, lent_store


def device_of(model: nn.Module) -> torch.device:
    """The device of a model of transformers."""
    lender = lending(model)
    return next(model.parameters()).device if lender is None else lender.device


def move(model: nn.Module, device: str) -> None:
    """Have a model compute on a device from now on."""
    if device_of(model).type == device:
        return
    with torch.inference_mode(False), torch.no_grad():  # Gradients may be taken there later.
        if lending(model) is None:
            model.to(device)
        else:
            _move_around_lent(model, device)


def _move_around_lent(model: nn.Module, device: str) -> None:
    """Move all that is not lent, and have the rest lent there."""
    lender = lending(model)
    assert lender is not None  # `move` has asked.
    moved: dict[int, nn.Parameter] = {}  # Tied parameters stay one.
    for module in model.modules():
        for name, own in module._parameters.items():
            if own is not None and lent_store(module, name) is None:
                module._parameters[name] = moved.setdefault(id(own), nn.Parameter(own.data.to(device), requires_grad=False))
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = buffer.to(device)
    lender.device = torch.device(device)


def refuse_ids_outside(table: nn.Module, given: tuple[Any, ...]) -> None:
    """A hook before a table of embeddings: an id without a row raises IndexError on every device, as it does on the CPU.

    A CUDA device would stop for good, and MPS would return zeros.
    """
    ids = next((each for each in given if isinstance(each, Tensor)), None)
    if ids is None or ids.device.type in ("cpu", "meta") or not ids.numel():
        return
    least, most = torch.stack(ids.aminmax()).tolist()
    if not 0 <= least <= most < len(table._parameters["weight"]):  # type: ignore[arg-type]  # A table has weights.
        raise IndexError("index out of range in self")  # The words are torch's.
