"""What tells that a model would compute the same again. Whatever is kept of its passes has this in its key."""

from collections.abc import Hashable

from torch import nn

from explorer.foreign.model import Foreign
from explorer.model.hooks import is_hooked


def model_version(model: nn.Module) -> Hashable:
    """Equal for two passes between which no weight was edited or replaced, by torch's own count, and nobody had hooks.

    While anybody has hooks in the model, no two versions are equal: a hook may do something else each time.
    """
    if is_hooked(model) or (isinstance(model, Foreign) and model.is_hooked_inside):
        return object()
    inside = model.model if isinstance(model, Foreign) else model
    return tuple([(id(each), each.data_ptr(), 0 if each.is_inference() else each._version) for each in inside.parameters()])
