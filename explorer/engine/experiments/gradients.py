"""The gradient of the chosen words at every tap, by one pass forward and one back through torch's autograd."""

from typing import Any

import torch
from torch import Tensor

from explorer.engine.experiments.bench import fetched, frozen, number_of
from explorer.engine.experiments.chosen_words import Chosen
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.taking_gradients import said, wanting_gradients
from explorer.engine.speed.threads import threads
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.trace.found.gradients import Gradients


def gradients(inquiry: Inquiry) -> Gradients:
    """∂ y / ∂ x of every tap that y depends on. Raises Superseded."""
    torch.set_num_threads(threads(inquiry.card, max(len(inquiry.tokens.source), len(inquiry.tokens.target))))
    seen: dict[str, list[Tensor]] = {}

    def hook(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        if tensor.requires_grad:
            seen.setdefault(tap.name, []).append(tensor)

    with torch.enable_grad(), wanting_gradients(inquiry.model), hooked(inquiry.model, hook):
        chosen = Chosen.of(inquiry, said(inquiry.model, inquiry.source(), inquiry.target())[0])
        parts = [tensor for tensors in seen.values() for tensor in tensors]
        found = iter(torch.autograd.grad(chosen.log_p, parts, allow_unused=True))
    slopes = {tap: [next(found) for _ in tensors] for tap, tensors in seen.items()}
    by_tap, products = {}, {}
    for tap, each in slopes.items():
        if all(slope is not None for slope in each):
            slope = torch.cat([fetched(part)[0] for part in each], dim=-2)
            value = torch.cat([fetched(part)[0] for part in seen[tap]], dim=-2)
            by_tap[tap] = frozen(slope)
            # Σ x · g, where −∞ of a closed cell counts for nothing: its gradient is 0
            products[tap] = float((value.double() * slope.double())[value.isfinite()].sum())
    return Gradients(chosen.position, chosen.words, number_of(chosen.log_p), by_tap, products)


MAKE = gradients
