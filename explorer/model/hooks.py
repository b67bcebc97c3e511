"""Torch's forward hooks on taps, for as long as a block lasts.

    with hooked(model, hook):       # hook(tap, args, tensor) sees each tap's tensor; what it returns goes on in its place.
        model(source, target)

Decision: torch's own hooks, called in the order in which they were registered. Rejected: lists of hooks that taps call by
themselves, which were a tenth faster and kept torch's hooks, order and tools out.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from torch import nn
from torch.nn.modules import module as torchs

from explorer.model.tap import Hook, taps


@contextmanager
def hooked(model: nn.Module, *hooks: Hook, at: Iterable[str] | None = None) -> Iterator[None]:
    """Inside the block, the taps of `model` call these hooks, in this order: all taps, or only those whose names are in `at`.

    The hooks are removed at the end, also after an error. Raises KeyError for a name that no tap has.
    """
    known = taps(model)
    chosen = list(known.values()) if at is None else [known[name] for name in at]
    with ExitStack() as stack:
        for tap in chosen:
            for hook in hooks:
                stack.callback(tap.register_forward_hook(hook).remove)
        yield


def is_hooked(model: nn.Module) -> bool:
    """Whether any module of a model has a hook, forward or backward, or all modules of this process have.

    Whoever computes the same numbers in another way, which calls other modules, asks this first and steps aside.
    """
    for each in (
        torchs._global_forward_hooks,
        torchs._global_forward_pre_hooks,
        torchs._global_backward_hooks,
        torchs._global_backward_pre_hooks,
    ):
        if each:
            return True
    return any(
        module._forward_hooks or module._forward_pre_hooks or module._backward_hooks or module._backward_pre_hooks
        for module in model.modules()
    )
