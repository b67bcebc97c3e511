"""Torch's forward hooks on taps, for as long as a block lasts.

    with hooked(model, hook):       # hook(tap, args, tensor) sees each tap's tensor; what it returns goes on in its place.
        model(source, target)

Decision: torch's own hooks, called in the order in which they were registered. Rejected: lists of hooks that taps call by
themselves, which saved a tenth of a recorded pass and shut torch's hooks, order and tools out.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from torch import nn
from torch.nn.modules import module as torchs

from explorer.model.tap import Hook, taps


@contextmanager
def hooked(model: nn.Module, *hooks: Hook, at: Iterable[str] | None = None) -> Iterator[None]:
    """Inside the block, the taps of `model` call these hooks, in this order: all taps, or only those whose names are in `at`.

    The hooks are removed at the end, also after an error. Raises KeyError for a name that no tap has.
    """
    known = taps(model)
    chosen = known.values() if at is None else [known[name] for name in at]
    handles = [tap.register_forward_hook(hook) for tap in chosen for hook in hooks]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def is_hooked(model: nn.Module) -> bool:
    """Whether any module of a model has a hook, forward or backward, or all modules of this process have.

    A way of computing that calls other modules asks this first, and steps aside where it is True.
    """
    everywhere = torchs._global_forward_hooks or torchs._global_forward_pre_hooks
    return bool(everywhere or torchs._global_backward_hooks or torchs._global_backward_pre_hooks or n_hooks(model))


def n_hooks(module: nn.Module) -> int:
    """How many hooks a module and all modules in it have."""
    forward = len(module._forward_hooks) + len(module._forward_pre_hooks)
    own = forward + len(module._backward_hooks) + len(module._backward_pre_hooks)
    return own + sum([n_hooks(child) for child in module._modules.values() if child is not None])
