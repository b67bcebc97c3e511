"""What the chosen words lose when the tensor of one tap is zero, in one further pass: what gradients only estimate."""

from typing import Any

import torch
from torch import Tensor

from explorer.engine.experiments.bench import number_of
from explorer.engine.experiments.chosen_words import Chosen
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.taking_gradients import said
from explorer.model.hooks import hooked
from explorer.model.tap import Tap, taps
from explorer.trace.found.gradients import Zeroed


def zeroed(inquiry: Inquiry) -> Zeroed:
    """log p of the chosen words minus log p with the tap at zero. Raises Superseded.

    Where no tap of this model is in focus, it is the first one of the last side.
    """
    tap, known = inquiry.focus.tap, taps(inquiry.model)
    if tap not in known:
        tap = next(name for name in known if name.startswith(inquiry.card.sides[-1].name))

    def hook(_tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> Tensor:
        return torch.zeros_like(tensor)

    ids = (inquiry.source(), inquiry.target())
    with torch.inference_mode():
        before = Chosen.of(inquiry, said(inquiry.model, *ids)[0])
        with hooked(inquiry.model, hook, at=[tap]):
            after = said(inquiry.model, *ids)[0]
        lost = before.log_p - before.within(after)
    return Zeroed(tap, before.position, number_of(lost))


MAKE = zeroed
