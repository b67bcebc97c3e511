"""One pass of a model, watched: which modules are called, what each reads and gives out.

A layer is a module in a list of modules (`nn.ModuleList`) that is in no other such list. What happened inside of it is looked
at as soon as it is over and then dropped, so that a large model's pass is never held as a whole.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Generic, TypeVar

import attrs
import torch
from torch import Tensor, nn

_Found = TypeVar("_Found")


@attrs.frozen(eq=False, kw_only=True)
class Call:
    """One call of a module: its path from the model, and when it was entered and left, as numbers of a clock of the pass.

    `read` and `made` are the vectors that it read and gave out [row, feature]; None where those are no vectors. `ids` are the
    whole numbers that it read, `said` is all that a router gave out, which has a `top_k`. `is_kept` says that nothing wrote
    into `made` while its layer went on.
    """

    module: nn.Module
    path: str
    entered: int
    left: int
    ids: Tensor | None
    read: Tensor | None
    made: Tensor | None
    said: Any
    shown: Tensor | None

    @property
    def is_kept(self) -> bool:
        """Whether the tensor that it gave out still holds the same numbers."""
        return self.made is None or self.shown is None or torch.equal(_rows(self.shown).cpu(), self.made)


@attrs.frozen(eq=False)
class LayerCall(Generic[_Found]):
    """The call of a layer, the path of its list, its number there, and what was found inside."""

    call: Call
    layers: str
    number: int
    found: _Found


class Watched(Generic[_Found]):
    """What one pass revealed: the calls outside of the layers, and of each layer its call, in the order of computation."""

    def __init__(self) -> None:
        self.outside: list[Call] = []
        self.layers: list[LayerCall[_Found]] = []
        self.entered: dict[nn.Module, int] = {}


@contextmanager
def watching(model: nn.Module, look: Callable[[Call, list[Call]], _Found]) -> Iterator[Watched[_Found]]:
    """Inside the block one pass is made; `look` is given the call of each layer and the calls inside of it, when it is over."""
    watched: Watched[_Found] = Watched()
    members = _members(model)
    open_: list[tuple[int, Tensor | None, Tensor | None]] = []
    clock = 0

    def entered(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        nonlocal clock
        clock += 1
        watched.entered.setdefault(module, clock)
        given = [each for each in (*args, kwargs.get("hidden_states"), *kwargs.values()) if isinstance(each, Tensor)]
        ids = next((each for each in given if not each.is_floating_point()), None)
        open_.append((clock, None if ids is None else ids.cpu(), next(map(_copy, filter(_is_vectors, given)), None)))

    def left(module: nn.Module, _args: Any, output: Any) -> None:
        nonlocal clock
        clock += 1
        at, ids, read = open_.pop()
        shown = first_of(output)
        call = Call(
            module=module,
            path=paths[module],
            entered=at,
            left=clock,
            ids=ids,
            read=read,
            made=None if shown is None else _copy(shown),
            said=output if isinstance(getattr(module, "top_k", None), int) else None,
            shown=shown,
        )
        if module in members:
            inside = [each for each in watched.outside if each.entered > at]
            del watched.outside[len(watched.outside) - len(inside) :]
            watched.layers.append(LayerCall(call, *members[module], look(call, inside)))
        else:
            watched.outside.append(call)

    paths = {module: path for path, module in model.named_modules()}
    with ExitStack() as stack:
        for module in paths:
            stack.callback(module.register_forward_pre_hook(entered, with_kwargs=True).remove)
            stack.callback(module.register_forward_hook(left, always_call=True).remove)
        yield watched


def first_of(output: Any) -> Tensor | None:
    """The vectors that a module gave out, alone or before other things; None where those are no vectors."""
    first = output[0] if isinstance(output, tuple) and output else output
    return first if isinstance(first, Tensor) and _is_vectors(first) else None


def _members(model: nn.Module) -> dict[nn.Module, tuple[str, int]]:
    """The layers of a model: each with the path of its list, and its number there."""
    found: dict[nn.Module, tuple[str, int]] = {}

    def search(module: nn.Module, path: str) -> None:
        for name, child in module.named_children():
            at = f"{path}.{name}".removeprefix(".")
            if isinstance(child, nn.ModuleList):
                found.update({layer: (at, number) for number, layer in enumerate(child)})
            else:
                search(child, at)

    search(model, "")
    return found


def _is_vectors(tensor: Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dim() >= 2


def _rows(tensor: Tensor) -> Tensor:
    """[row, feature] the vectors of all batches and positions."""
    return tensor.reshape(-1, tensor.shape[-1])


def _copy(tensor: Tensor) -> Tensor:
    return _rows(tensor.detach()).cpu().clone()
