"""One layer that a pass runs through several times, as in ALBERT, made as many modules with the very same parameters.

Taps, hooks and paths go by module, so each time needs a module of its own. Lan et al. 2020, "cross-layer parameter sharing".

Decision: the model's own loop runs through the modules, because its settings count a group for each layer. Rejected: taps that
count the calls of one module, because everything else that goes by module would have to count them, too.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from torch import nn

from explorer.foreign.thin import lending

_GROUPS, _LAYERS = "albert_layer_groups", "albert_layers"
_KEY = "unrolled"  # A model has what `copies_of` gives under this name.


def unroll(model: Any) -> None:
    """Give each layer of a model that shares its weights a module of its own; its numbers stay the same to the bit."""
    for path, stack in list(model.named_modules()):
        groups = getattr(stack, _GROUPS, None)
        if isinstance(groups, nn.ModuleList) and any(n_times > 1 for n_times in _times(stack, groups)):
            _unroll(model, f"{path}.{_GROUPS}".removeprefix("."), stack, groups)


def copies_of(model: nn.Module) -> Mapping[str, tuple[nn.Module, ...]]:
    """By the path of each module that was one, before its model was unrolled, the modules that it is now."""
    found: Mapping[str, tuple[nn.Module, ...]] = model.__dict__.get(_KEY, {})
    return found


def _order(stack: Any, groups: nn.ModuleList) -> list[int]:
    """The number of the group of each layer, by the formula of the family."""
    n_layers = stack.config.num_hidden_layers
    return [int(layer / (n_layers / len(groups))) for layer in range(n_layers)]


def _times(stack: Any, groups: nn.ModuleList) -> list[int]:
    """How many times each group is run through, or 2 where it has several layers."""
    order = _order(stack, groups)
    return [max(order.count(number), min(len(getattr(group, _LAYERS)), 2)) for number, group in enumerate(groups)]


def _unroll(model: Any, path: str, stack: Any, groups: nn.ModuleList) -> None:
    made: list[nn.Module] = []
    copies: dict[str, list[nn.Module]] = {}
    for number in _order(stack, groups):
        group: Any = groups[number]
        for place, layer in enumerate(getattr(group, _LAYERS)):
            each = f"{path}.{number}.{_LAYERS}.{place}"
            own = layer if each not in copies else _twin(model, layer)
            for name, part in own.named_modules(prefix=each):
                copies.setdefault(name, []).append(part)
            made.append(copy.deepcopy(group, {id(getattr(group, _LAYERS)): nn.ModuleList([own])}))
    stack.config = copy.copy(stack.config)
    stack.config.num_hidden_layers = stack.config.num_hidden_groups = len(made)
    stack._modules[_GROUPS] = nn.ModuleList(made)
    model.__dict__[_KEY] = {**copies_of(model), **{name: tuple(parts) for name, parts in copies.items()}}


def _twin(model: Any, layer: nn.Module) -> nn.Module:
    """A copy of a layer that has the very same parameters, stores of lent ones, and settings."""
    lender = lending(model)
    shared = [*layer.parameters(), *layer.buffers(), *_settings(layer), *([] if lender is None else [lender])]
    borrowers = [each for part in layer.modules() if (each := part.__dict__.get("borrower")) is not None]
    shared += [store for borrower in borrowers for store in borrower.stores.values()]
    if lender is not None:
        lender.n_borrowers += len(borrowers)
    return copy.deepcopy(layer, {id(each): each for each in shared})


def _settings(layer: nn.Module) -> Iterator[Any]:
    return (part.config for part in layer.modules() if hasattr(part, "config"))
