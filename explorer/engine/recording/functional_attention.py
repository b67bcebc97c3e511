"""Attentions that are no modules of torch's: calls of its fused attention and of softmax, seen while a pass runs.

Each belongs to the innermost module that computes at that moment. Softmax hands over its input, the masked scores, and its
result, the weights. The fused attention has neither; both are computed once more from its arguments, as the documentation of
`torch.nn.functional.scaled_dot_product_attention` defines them. What the model computes stays as it is.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from explorer.model import masks
from explorer.model.tap import Tap

_SOFTMAX = frozenset({torch.softmax, Tensor.softmax, nn.functional.softmax})
_FUSED = nn.functional.scaled_dot_product_attention
Note = Callable[[str, Tensor, Tensor], None]
"""Told of an attention: the path of its module, and its masked scores and weights [batch, head, query, key]."""


@contextmanager
def attention_calls(module: nn.Module, note: Note) -> Iterator[None]:
    """Inside the block, `note` is told of each attention that a submodule computes by a function.

    A module with Taps, and torch's own attention, are recorded in another way.
    """
    paths = {each: path for path, each in module.named_modules()}
    known = {
        each
        for each in paths
        if isinstance(each, nn.MultiheadAttention) or any(isinstance(part, Tap) for part in each.modules())
    }
    inside: list[nn.Module] = []

    def called(masked: Tensor, weights: Tensor) -> None:
        owner = next((each for each in reversed(inside) if not isinstance(each, nn.Softmax)), None)
        if owner is not None and owner not in known:
            note(paths[owner], masked, weights)

    with ExitStack() as stack:
        for each in paths:
            stack.callback(each.register_forward_pre_hook(lambda own, _args: inside.append(own)).remove)
            left = each.register_forward_hook(lambda *_: _leave(inside), always_call=True)
            stack.callback(left.remove)
        with _Calls(called):
            yield


def _leave(inside: list[nn.Module]) -> None:
    inside.pop()


class _Calls(TorchFunctionMode):
    """While it is active, `called(masked, weights)` is told of each attention. A call inside a call is not seen."""

    def __init__(self, called: Callable[[Tensor, Tensor], None]) -> None:
        super().__init__()
        self._called = called

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        result = func(*args, **given)
        if func is _FUSED:
            self._called(*_computed(*args, **given))
        elif func in _SOFTMAX and (cells := _cells(*args, **given)) is not None:
            self._called(_open_or_infinite(cells), result.reshape(cells.shape))
        return result


def _cells(*args: Any, **given: Any) -> Tensor | None:
    """[batch, head, query, key] what a softmax over keys reads; None for another one.

    Three axes are those of one sentence, [head, query, key], if it is square: else it may be one over symbols.
    """
    scores: Tensor = args[0] if args else given["input"]
    dim = args[1] if len(args) > 1 else given.get("dim")
    if dim not in (-1, scores.dim() - 1):
        return None
    if scores.dim() == 3 and scores.shape[1] == scores.shape[2]:
        return scores[None]
    return scores if scores.dim() == 4 else None


def _computed(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> tuple[Tensor, Tensor]:
    """The masked scores and the weights of a call of the fused attention, [batch, head, query, key], in float32."""
    if enable_gqa:  # Each key serves several heads.
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], dim=-3)
    # S = Q·Kᵀ·scale, by default 1/√d_head
    scores = query.float() @ key.float().mT * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = masks.close(scores, masks.causal(*scores.shape[-2:]).to(scores.device), -torch.inf)
    if attn_mask is not None:
        scores = masks.close(scores, attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    masked = _open_or_infinite(scores[(None,) * (4 - scores.dim())])
    empty = (masked == -torch.inf).all(dim=-1, keepdim=True)  # torch gives such a query no weights at all.
    return masked, masked.softmax(dim=-1).masked_fill(empty, 0.0)


def _open_or_infinite(scores: Tensor) -> Tensor:
    """The scores with -inf where a mask stands: also where it added the least number of its type."""
    return scores.masked_fill(scores <= torch.finfo(scores.dtype).min / 2, -torch.inf)
