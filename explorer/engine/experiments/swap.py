"""Two tokens exchanged: what an attention without positions does not notice."""

import torch

from explorer.config import Config
from explorer.engine.experiments.bench import first_stack, frozen
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.other_knobs import turned
from explorer.trace.arrays import Array
from explorer.trace.found.findings import Swap


def swap(inquiry: Inquiry) -> Swap:
    """The first and the third token exchanged (狗是人, 人是狗), with the model's positions and with none."""
    tokens = inquiry.side
    first, second = 0, min(2, len(tokens) - 1)
    order = list(range(len(tokens)))
    order[first], order[second] = order[second], order[first]
    swapped = tuple(tokens[place] for place in order)

    def outputs(config: Config) -> tuple[Array, Array]:
        with turned(inquiry.own, config, inquiry.changing) as model:
            plain, other = (first_stack(model, inquiry.ids(row))[0] for row in (tokens, swapped))
        return frozen(plain), frozen(other[order])  # The same exchange once more puts the rows back.

    with torch.inference_mode():
        usual = outputs(inquiry.config)
        without = outputs(inquiry.config.changed(position="none"))
    return Swap(first, second, swapped, *usual, *without)


MAKE = swap
