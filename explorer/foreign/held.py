"""A model of transformers that somebody holds in memory, made ready for our taps without changing it."""

import copy
from pathlib import Path
from typing import Any

import torch
from torch import nn

from explorer.errors import CannotShare, NeedsTokenizer


def home_of(model: nn.Module) -> str:
    """The kind of device, "cpu" or "cuda", that all weights of a model are on; the CPU for a model on several."""
    found = {each.device.type for each in model.parameters()}
    return found.pop() if len(found) == 1 else "cpu"


def twin_of(model: Any, device: str) -> Any:
    """A second model of modules of its own, with its hooks, that computes with the same weights in float32 on this device.

    Weights of that type and place are shared, not copied: an edit of one is an edit of the other. Raises CannotShare.
    """
    weights: dict[int, Any] = {id(each): nn.Parameter(each.detach(), requires_grad=False) for each in model.parameters()}
    weights |= {id(each): each.detach() for each in model.buffers()}
    try:
        twin = copy.deepcopy(model, weights)
    except Exception as error:  # Hooks and modules of one's own can hold anything.
        raise CannotShare(module=type(model).__name__, reason=str(error) or type(error).__name__) from error
    return twin.to(device=device, dtype=torch.float32)


def write_reading(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write what reads texts for a model into a folder: its settings, and the files of its tokenizer if it has one.

    Raises NeedsTokenizer.
    """
    if tokenizer is not None and not hasattr(tokenizer, "save_pretrained"):
        raise NeedsTokenizer(module=type(model).__name__, got=type(tokenizer).__name__)
    model.config.save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)


def is_held(model: object) -> bool:
    """Whether this is a model of transformers; the library is not imported."""
    bases = ((each.__module__.partition(".")[0], each.__name__) for each in type(model).__mro__)
    return ("transformers", "PreTrainedModel") in bases
