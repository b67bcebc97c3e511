"""Where a model computes: the processor, or what torch finds beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import torch

from explorer.config import Config
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


def chosen_device(asked: str) -> str:
    """CUDA where there is one, else MPS, unless told otherwise. Raises NoSuchDevice."""
    if asked == "auto":
        return next((device for device in ("cuda", "mps") if device in devices()), "cpu")
    try:
        torch.empty(1, device=asked).item()  # the number must come back: "meta" has none
    except torch.OutOfMemoryError:
        return asked  # it is there
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # a name torch does not know; not in this build
        raise NoSuchDevice(device=asked) from error
    return asked


@contextmanager
def seeded(seed: int, device: str) -> Iterator[None]:
    """Chance on the processor and on this device from a seed; their generators are put back as they were."""
    kind = torch.device(device).type
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would seed every device for good
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
    """Chance from the knob, where it acts at all; the generators of others are left as they were."""
    if not config.dropout_active:
        yield
        return
    with seeded(config.dropout_seed, config.device):
        yield


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
