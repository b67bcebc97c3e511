"""How much the layers of the first stack differ: of layers that are copies of one, every weight is the same."""

import torch
from torch import nn

from explorer.engine.experiments.bench import frozen, number_of, stop_if
from explorer.engine.experiments.inquiry import Inquiry
from explorer.trace.found.findings import Copies


def copies(inquiry: Inquiry) -> Copies:
    """How much the layers of the first stack differ from one another."""
    stack = inquiry.own.encoder or inquiry.own.decoder
    assert stack is not None  # A model has an encoder, a decoder or both.
    first = dict(stack.layers[0].named_parameters())

    def apart(layer: nn.Module) -> float:
        stop_if(inquiry.stop)
        return max(number_of((weight - first[name]).abs().max()) for name, weight in layer.named_parameters())

    return Copies(frozen(torch.tensor([apart(layer) for layer in stack.layers])))


MAKE = copies
