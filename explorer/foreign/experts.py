"""Mixture of experts: feed-forward networks, of which each token passes through a few. Shazeer et al. 2017, Jiang et al. 2024.

The router's output is recorded and can be changed at two taps, both [batch, position, expert]: `routing`, the softmax over all
experts, and `chosen`, the weights of the chosen experts' outputs, 0 for all others.
"""

from typing import Any

import torch
from torch import Tensor, nn

from explorer.model.tap import Tap

ROUTING = "batch position expert"
_Choice = tuple[Tensor, Tensor, Tensor]


def tap_router(block: nn.Module, router: nn.Module, routing: Tap, chosen: Tap) -> None:
    """Route the output of a router through both taps. `block` is the module of all experts, which calls the router."""
    shape = _BatchRows()
    block.register_forward_pre_hook(shape.note)
    router.register_forward_hook(lambda _router, _args, said: _chosen(_routed(said, routing, router, shape), chosen, shape))


class _BatchRows:
    """How many rows a batch has: a router receives the tokens of all rows one after the other and cannot count them."""

    def __init__(self) -> None:
        self.batch = 1

    def note(self, _block: nn.Module, args: tuple[Any, ...]) -> None:
        """Note the number of rows of what a block reads: a forward pre-hook."""
        self.batch = len(args[0])

    def by_row(self, of_tokens: Tensor) -> Tensor:
        """[batch · position, expert] as [batch, position, expert]."""
        return of_tokens.reshape(self.batch, -1, of_tokens.shape[-1])


def _routed(said: _Choice, tap: Tap, router: Any, shape: _BatchRows) -> _Choice:
    """The router's output after the tap of its softmax. If the tap changed it, experts are chosen anew, as the router does."""
    logits, _weights, _choice = said
    # r[p] = softmax(x[p] W)
    softmax = logits.softmax(dim=-1, dtype=torch.float)  # [batch · position, expert]
    seen = shape.by_row(softmax)
    replaced = tap(seen)
    if torch.equal(replaced, seen):  # Some families normalize the weights in another order, which differs in the last bit.
        return said
    weights, choice = replaced.reshape_as(softmax).topk(router.top_k, dim=-1)  # [batch · position, choice]
    if getattr(router, "norm_topk_prob", True):  # Mixtral has no such setting and always normalizes.
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / torch.where(total == 0, 1, total)  # Experts with the weight 0 add nothing.
    return logits, weights.to(logits.dtype), choice


def _chosen(said: _Choice, tap: Tap, shape: _BatchRows) -> _Choice:
    """The router's output after the tap of the weights. If the tap gave other experts a weight, all experts compute."""
    logits, weights, choice = said
    # [batch · position, choice] → [batch · position, expert]
    spread = torch.zeros_like(logits, dtype=weights.dtype).scatter(-1, choice, weights)
    seen = shape.by_row(spread)
    replaced = tap(seen)
    if replaced is seen:
        return said
    flat = replaced.reshape_as(spread).to(weights.dtype)
    kept = flat.gather(-1, choice)
    if torch.equal(torch.zeros_like(flat).scatter(-1, choice, kept), flat):
        return logits, kept, choice
    every = torch.arange(logits.shape[-1], device=choice.device).expand_as(logits)
    return logits, flat, every
