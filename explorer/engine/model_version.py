"""The version of a model's weights. Everything that is kept of its passes has it in its key."""

from collections.abc import Hashable

from torch import nn

from explorer.foreign.model import Foreign
from explorer.model.hooks import is_hooked


def model_version(model: nn.Module) -> Hashable:
    """Equal for two passes between which no weight was edited or replaced, by torch's own count of edits.

    While there are hooks in the model, no two versions are equal: a hook may do something else each time.
    """
    if is_hooked(model) or (isinstance(model, Foreign) and model.is_hooked_inside):
        return object()
    inside = model.model if isinstance(model, Foreign) else model
    return tuple([(id(each), each.data_ptr(), 0 if each.is_inference() else each._version) for each in inside.parameters()])
