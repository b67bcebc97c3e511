"""Attentions that call no function by name: their softmax is tapped instead.

The module in which a softmax over [batch, head, query, key] or [batch · head, query, key] is made is an attention. While it
computes, and only then, calls of torch's functions are looked at, so that the tensor before and after the softmax can go
through a tap.
"""

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from explorer.foreign.attention import AttentionState, SeenAttention, Step

_SOFTMAX = frozenset({torch.softmax, Tensor.softmax, nn.functional.softmax})
Softmax = Callable[..., Tensor]


class _Watching(TorchFunctionMode):
    """While it is active, each softmax over attention's cells is made by `step(softmax, cells, …)`."""

    def __init__(self, step: Callable[..., Tensor]) -> None:
        super().__init__()
        self._step = step

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if func in _SOFTMAX and args and args[0].dim() in (3, 4):
            return self._step(functools.partial(_made, func, args[1:], given), args[0])
        return func(*args, **given)


def _made(func: Any, args: Any, given: Any, cells: Tensor) -> Tensor:
    made: Tensor = func(cells, *args, **given)
    return made


def softmax_attentions(model: nn.Module, make_pass: Callable[[], object]) -> dict[nn.Module, SeenAttention]:
    """The modules in which a softmax over cells is made, in the order in which a pass comes through them."""
    seen: dict[nn.Module, SeenAttention] = {}
    inside: list[nn.Module] = []

    def note(softmax: Softmax, cells: Tensor) -> Tensor:
        owner = next((module for module in reversed(inside) if not isinstance(module, nn.Softmax)), None)
        heads = None if owner is None else _in_heads(owner, cells)
        if owner is not None and heads is not None:
            about = seen.setdefault(owner, SeenAttention())
            about.n_times += 1
            about.n_heads = about.n_kv_heads = heads.shape[1]
            about.causal = _is_causal(heads)
        return softmax(cells)

    with ExitStack() as stack, _Watching(note):
        for module in model.modules():
            stack.callback(module.register_forward_pre_hook(lambda module, _args: inside.append(module)).remove)
            leave = module.register_forward_hook(lambda _module, _args, _output: _left(inside), always_call=True)
            stack.callback(leave.remove)
        make_pass()
    return seen


def _in_heads(owner: nn.Module, cells: Tensor) -> Tensor | None:
    """[batch, head, query, key] the cells of an attention; None for others, such as those of a router."""
    if cells.dim() == 4:
        return cells
    n_heads = getattr(owner, "num_heads", 0)
    if not isinstance(n_heads, int) or n_heads < 1 or len(cells) % n_heads:
        return None
    return cells.view(-1, n_heads, *cells.shape[1:])


def _left(inside: list[nn.Module]) -> None:
    inside.pop()


def _is_causal(cells: Tensor) -> bool:
    n_queries, n_keys = cells.shape[-2:]
    later = torch.ones(n_queries, n_keys, dtype=torch.bool, device=cells.device).triu(1)
    return n_queries == n_keys and bool(_closed(cells)[0, 0][later].all())


def _closed(cells: Tensor) -> Tensor:
    """Which cells are masked: there is -inf, or the least number of its type, to which a score may have been added."""
    return cells <= torch.finfo(cells.dtype).min / 2


def watch_softmax(module: nn.Module, masked: Step, weights: Step, turned: AttentionState) -> None:
    """Have an attention's softmax read what `masked` makes of its cells, and give what `weights` makes of its own."""

    def through(softmax: Softmax, given: Tensor) -> Tensor:
        cells = _in_heads(module, given)
        if cells is None:
            return softmax(given)
        if turned.temperature != 1:
            cells = torch.where(_closed(cells), cells, cells / turned.temperature)
        shown = cells.masked_fill(_closed(cells), -torch.inf)
        # Only a replacement changes what the softmax reads: a row in which every cell is masked would be NaN.
        read = masked(shown)
        return weights(softmax(cells if read is shown else read)).view_as(given)

    own = module.forward

    @functools.wraps(own)
    def forward(*args: Any, **kwargs: Any) -> Any:
        with _Watching(through):
            return own(*args, **kwargs)

    module.forward = forward  # A forward hook of torch cannot surround the computation of a module.


def unwatch_softmax(module: nn.Module) -> None:
    """Stop watching the softmax of an attention."""
    module.__dict__.pop("forward", None)
