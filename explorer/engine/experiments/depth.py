"""The lengths of vectors and gradients on their way through the layers, with residual connections and without."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from explorer.config import Config
from explorer.engine.experiments.bench import frozen, ids_of, number_of, stop_if
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.other_knobs import turned
from explorer.engine.experiments.taking_gradients import seen_at, wanting_gradients
from explorer.trace.found.findings import Depth


def depth(inquiry: Inquiry) -> Depth:
    """One pass and its gradient with residual connections, and one without."""
    measured = [_lengths(inquiry, inquiry.config.changed(residual=on)) for on in (True, False)]
    taps = tuple(measured[0][0])
    return Depth(taps, *(frozen(torch.tensor([one[part][tap] for tap in taps])) for part in (0, 1) for one in measured))


def _lengths(inquiry: Inquiry, config: Config) -> tuple[dict[str, float], dict[str, float]]:
    """By tap the mean length of the vectors, and the mean length of the loss's gradient with respect to them."""
    with turned(inquiry.own, config, inquiry.changing) as model, torch.enable_grad(), wanting_gradients(model):
        with seen_at(model, ("embedding.output", "residual1", "residual2", "residual3"), keep=True) as seen:
            logits = model(inquiry.source(), inquiry.target())[0]  # [position, vocab]
        stop_if(inquiry.stop)
        gradients = torch.autograd.grad(_loss(inquiry, logits), list(seen.values()), allow_unused=True)
    return (
        {name: number_of(x.norm(dim=-1).mean()) for name, x in seen.items()},
        {name: 0.0 if g is None else number_of(g.norm(dim=-1).mean()) for name, g in zip(seen, gradients, strict=True)},
    )


def _loss(inquiry: Inquiry, logits: Tensor) -> Tensor:
    ids = torch.tensor(ids_of(inquiry.tokens.target or inquiry.tokens.source), device=logits.device)
    if inquiry.expected:
        return cross_entropy(logits, torch.tensor(inquiry.expected, device=logits.device))
    if not inquiry.tokens.target or len(ids) == 1:  # Without a next token, the model is asked for the token itself.
        return cross_entropy(logits, ids)
    return cross_entropy(logits[:-1], ids[1:])


MAKE = depth
