"""Where a model computes: the processor, or what torch finds beside it."""

from functools import lru_cache

import torch

from explorer.errors import NoSuchDevice
from explorer.model.transformer import Transformer


@lru_cache(maxsize=1)
def devices() -> tuple[str, ...]:
    """What there is on this machine, the processor first."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return tuple(found)


def device_name(device: str) -> str:
    """As people call it: "CPU", "CUDA · NVIDIA H200", "MPS"."""
    return f"CUDA · {torch.cuda.get_device_name()}" if device == "cuda" else device.upper()


def on_device(model: Transformer, device: str) -> Transformer:
    """The model with its weights there. Raises NoSuchDevice."""
    if device not in devices():
        raise NoSuchDevice(device=device)
    if next(model.parameters()).device.type != device:
        model.to(device)
    return model
