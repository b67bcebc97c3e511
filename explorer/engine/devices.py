"""The devices on which a model can compute: the processor ("cpu") and those that torch finds, such as CUDA and MPS."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from explorer.config import Config
from explorer.errors import NoSuchDevice
from explorer.model.transformer import Transformer


def devices() -> tuple[str, ...]:
    """The names of the devices of this machine, the processor first."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return tuple(found)


def chosen_device(asked: str) -> str:
    """The device that was asked for; "auto" is CUDA if there is one, else MPS, else the processor. Raises NoSuchDevice."""
    if asked == "auto":
        return next((device for device in ("cuda", "mps") if device in devices()), "cpu")
    try:
        torch.empty(1, device=asked).item()  # The device "meta" cannot give the number back.
    except torch.OutOfMemoryError:
        return asked  # The device exists.
    # torch raises these for a name that it does not know, and for a device that this build of it lacks.
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise NoSuchDevice(device=asked) from error
    return asked


@contextmanager
def seeded(seed: int, device: str) -> Iterator[None]:
    """Seed the random generators of the processor and of this device; after the block they are as they were before."""
    kind = torch.device(device).type
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would seed every device, also after the block.
        if kind == "cpu":
            yield
            return
        beside = torch.get_device_module(kind)
        state = beside.get_rng_state()
        try:
            beside.manual_seed(seed)
            yield
        finally:
            beside.set_rng_state(state)


@contextmanager
def dropout_seeded(config: Config) -> Iterator[None]:
    """Seed dropout from the knob `dropout_seed` if dropout is on; after the block all random generators are as before."""
    if not config.dropout_active:
        yield
        return
    with seeded(config.dropout_seed, config.device):
        yield


def device_name(device: str) -> str:
    """The name of a device as people call it: "CPU", "CUDA · NVIDIA H200", "MPS"."""
    return f"CUDA · {torch.cuda.get_device_name()}" if device == "cuda" else device.upper()


def present(device: str) -> str:
    """The device itself. Raises NoSuchDevice if this machine lacks it."""
    if device not in devices():
        raise NoSuchDevice(device=device)
    return device


def on_device(model: Transformer, device: str) -> Transformer:
    """The model with its weights on the device. Raises NoSuchDevice."""
    if next(model.parameters()).device.type != present(device):
        model.to(device)
    return model
