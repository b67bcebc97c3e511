"""Checks whether a module has torch hooks. A module without hooks may call its `forward` directly. This is about speed.

torch makes the same check with two more Python calls on the way to `forward`. A pass calls a hundred and fifty taps, linear
layers and dropouts, so these modules check here, and go torch's way as soon as there is any hook: a forward or backward
hook, called before or after, of the module itself or of all modules.

    if Handles.next_id and is_hooked(self):

`next_id` counts all hooks that were ever set in this process. In the window none are set, so the check ends there.
"""

from torch import nn
from torch.nn.modules import module as torchs
from torch.utils.hooks import RemovableHandle as Handles

__all__ = ["Handles", "any_hooked", "is_hooked"]

_ALL_FORWARD, _ALL_FORWARD_PRE = torchs._global_forward_hooks, torchs._global_forward_pre_hooks
_ALL_BACKWARD, _ALL_BACKWARD_PRE = torchs._global_backward_hooks, torchs._global_backward_pre_hooks


def is_hooked(module: nn.Module) -> bool:
    """True: the module has hooks, so it must be called through torch's own `Module.__call__`."""
    own = module.__dict__
    return bool(
        own["_forward_hooks"]
        or own["_forward_pre_hooks"]
        or own["_backward_hooks"]
        or own["_backward_pre_hooks"]
        or _ALL_FORWARD
        or _ALL_FORWARD_PRE
        or _ALL_BACKWARD
        or _ALL_BACKWARD_PRE
    )


def any_hooked(model: nn.Module) -> bool:
    """Whether a model or any module in it has torch hooks.

    The answer "no" is remembered until a further hook is set anywhere in this process.
    """
    n_ever: int = Handles.next_id
    if model.__dict__.get("unhooked_at") == n_ever:
        return False
    found = any(map(is_hooked, model.modules()))
    model.__dict__["unhooked_at"] = None if found else n_ever
    return found
