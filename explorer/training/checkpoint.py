"""Checkpoints, from which a killed training resumes with the same result. A checkpoint is one safetensors file.

Nothing is ever unpickled: tensors are stored as tensors, and everything else as JSON in the file's header.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from explorer.config import Config
from explorer.errors import BadCheckpoint, CannotRead
from explorer.json_text import read_json_text
from explorer.model.weights_file import write_tensors
from explorer.model.weights_header import read_header
from explorer.training.recipe import Recipe

FILE = "checkpoint.safetensors"

_PREFIXES = ("model.", "first_moment.", "second_moment.", "random.")
"""Before the names of tensors: the groups of a Memory in their order."""


_DEFAULTS: dict[str, Callable[[], dict[str, Any]]] = {
    "recipe": lambda: attrs.asdict(Recipe()),
    "config": lambda: dict(Config().values()),
}
"""The fields that a checkpoint describes one by one, and what they are where it lacks one."""


@attrs.frozen
class TrainingHistory:
    """The results of a finished epoch: losses in nats per target token, seconds, the shares of right next tokens and rows."""

    epoch: int
    training_loss: float
    validation_loss: float
    accuracy: float
    seconds: float
    exact: float = 0.0


@attrs.frozen(kw_only=True)
class Checkpoint:
    """A training between two steps. `batch` batches of `epoch` are done; `about` describes recipe, Config and data."""

    step: int
    epoch: int
    batch: int
    loss_sum: float
    token_sum: int
    seconds: float
    history: tuple[TrainingHistory, ...]
    about: dict[str, Any]


@attrs.frozen
class Memory:
    """The tensors of a training: weights and Adam's two moments by parameter name, and the random states."""

    weights: dict[str, Tensor]
    first: dict[str, Tensor]
    second: dict[str, Tensor]
    random: dict[str, Tensor]


def save(path: Path, state: Checkpoint, memory: Memory) -> None:
    """Write a checkpoint; the older one stays until the new one is complete. Raises CannotWrite, DiskFull."""
    tensors = {
        f"{prefix}{name}": tensor.detach().cpu().contiguous()
        for prefix, group in zip(_PREFIXES, (memory.weights, memory.first, memory.second, memory.random), strict=True)
        for name, tensor in group.items()
    }
    write_tensors(path, tensors, {"state": json.dumps(attrs.asdict(state), ensure_ascii=False)})


def load(path: Path) -> tuple[Checkpoint, Memory]:
    """Read a checkpoint. Raises BadCheckpoint."""
    groups: dict[str, dict[str, Tensor]] = {prefix: {} for prefix in _PREFIXES}
    try:
        read_header(path)  # This refuses anything but a regular file whose length agrees with its header.
        with safe_open(path, framework="pt") as file:
            told = read_json_text((file.metadata() or {})["state"])
            for name in file.keys():  # noqa: SIM118  # The file is no mapping.
                prefix = next(each for each in _PREFIXES if name.startswith(each))
                groups[prefix][name.removeprefix(prefix)] = file.get_tensor(name).clone()  # Windows replaces no mapped file.
        told["history"] = tuple(TrainingHistory(**each) for each in told["history"])
        state = _checked(Checkpoint(**told))
    except CannotRead as error:
        raise BadCheckpoint(path=str(path), reason=error.values.get("reason", error)) from error
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise BadCheckpoint(path=str(path), reason=str(error)) from error
    return state, Memory(*groups.values())


def _checked(state: Checkpoint) -> Checkpoint:
    """The state itself. Raises ValueError or TypeError if a training cannot go on from it."""
    counts = (state.step, state.epoch, state.batch, state.token_sum)
    if not all(isinstance(each, int) and each >= 0 for each in counts) or len(state.history) != state.epoch:
        raise ValueError(f"step {state.step}, epoch {state.epoch}, batch {state.batch}")
    if not isinstance(state.about, dict):
        raise TypeError("about")
    return state


def random_states(device: torch.device) -> dict[str, Tensor]:
    """The states of torch's random generators, by device."""
    states = {"cpu": torch.get_rng_state()}
    if device.type != "cpu":
        states[device.type] = torch.get_device_module(device).get_rng_state(*_which(device))
    return states


def restore_random(states: dict[str, Tensor], device: torch.device) -> None:
    """Set torch's random generators to the states that `random_states` returned."""
    torch.set_rng_state(states["cpu"])
    if device.type != "cpu" and device.type in states:
        torch.get_device_module(device).set_rng_state(states[device.type], *_which(device))


def _which(device: torch.device) -> tuple[torch.device, ...]:
    """The arguments of torch's functions for random states: the device, or none for MPS, of which there is only one."""
    return () if device.type == "mps" else (device,)


def differing(former: dict[str, Any], latter: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs between two trainings, each with both values: fields of a recipe and of a Config, and all else by name.

    The batch size may differ: it is made smaller for a full device. A field that an older checkpoint lacks has its default.
    """
    found: dict[str, tuple[Any, Any]] = {}
    for name in sorted(former.keys() | latter.keys()):
        one, two = former.get(name), latter.get(name)
        if name in _DEFAULTS and isinstance(one, dict) and isinstance(two, dict):
            before, after = ({**_DEFAULTS[name](), **each, "batch_tokens": 0} for each in (one, two))
            fields = sorted(each for each in before | after if before.get(each) != after.get(each))
            found |= {each: (before.get(each), after.get(each)) for each in fields}
        elif one != two:
            found[name] = (one, two)
    return found


def told(changed: dict[str, tuple[Any, Any]]) -> str:
    """What differs, as one would give it on the command line."""
    fields = {*_DEFAULTS["recipe"](), *_DEFAULTS["config"]()}
    return ", ".join(
        f"--{name.replace('_', '-')} {one} ≠ {two}" if name in fields else name for name, (one, two) in changed.items()
    )
