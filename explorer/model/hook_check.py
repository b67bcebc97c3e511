"""Whether anybody has hooked a module: where nobody has, its call may go straight to its forward.

torch's own way from a call to `forward` asks the same with two more calls of Python. A pass calls a hundred and fifty taps,
linear layers and dropouts, so these ask here, and take torch's way as soon as there is a hook: forward and backward,
pre and post, of the module itself and of all modules.

    if Handles.next_id and is_hooked(self):

`next_id` counts the hooks that were ever set in this process: in the window there are none, and the answer is one look.
"""

from torch import nn
from torch.nn.modules import module as torchs
from torch.utils.hooks import RemovableHandle as Handles

__all__ = ["Handles", "any_hooked", "is_hooked"]

_ALL_FORWARD, _ALL_FORWARD_PRE = torchs._global_forward_hooks, torchs._global_forward_pre_hooks
_ALL_BACKWARD, _ALL_BACKWARD_PRE = torchs._global_backward_hooks, torchs._global_backward_pre_hooks


def is_hooked(module: nn.Module) -> bool:
    """True: only torch's own `Module.__call__` does what this module's hooks ask for."""
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
    """Whether a model or any part of it has hooks of torch's; asked again only when somebody has hooked something since."""
    n_ever: int = Handles.next_id
    if model.__dict__.get("unhooked_at") == n_ever:
        return False
    found = any(map(is_hooked, model.modules()))
    model.__dict__["unhooked_at"] = None if found else n_ever
    return found
