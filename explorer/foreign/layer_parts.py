"""The parts inside of a feed-forward network: its first layer, its gate, and the router of experts, told by what they read."""

from collections.abc import Sequence

import attrs
import torch
from torch import Tensor, nn

from explorer.foreign.watching import Call

_GATES = ("gate", "wi_0", "w1")
"""How families call the layer whose activation is multiplied with another one's output, where no module activates it."""


@attrs.frozen
class InnerLayers:
    """The paths of a network's first layer and of its gate, "" for none; where they are one layer, whose half comes first."""

    hidden: str = ""
    gate: str = ""
    gate_first: bool = True


def is_matrix(module: nn.Module) -> bool:
    """Whether a module is a linear layer, also one that keeps its matrix transposed, as those of GPT-2 do."""
    return isinstance(module, nn.Linear) or type(module).__name__ == "Conv1D"


def inner_layers(output: Call, mine: Sequence[Call]) -> InnerLayers:
    """The parts of the network that ends with the linear layer `output`, among the calls of its block.

    The activation shows which is the gate: it reads what the gate gives out, and nothing else reads it.
    """
    if not is_matrix(output.module) or output.read is None:
        return InnerLayers()
    width = output.read.shape[1]
    layers = [
        call
        for call in mine
        if is_matrix(call.module)
        and call.left < output.entered
        and call.made is not None
        and call.made.shape[1] in (width, 2 * width)
    ]
    activated = [call.read for call in mine if call.read is not None and _activates(call)]
    one = [call for call in layers if call.made is not None and call.made.shape[1] == 2 * width]
    if len(layers) == 1 and one:
        halves = _made(one[0]).chunk(2, dim=-1)
        first = [any(_equal(half, read) for read in activated) for half in halves]
        return InnerLayers(one[0].path, one[0].path, gate_first=first[0]) if any(first) else InnerLayers()
    if len(layers) == 1:
        return InnerLayers(layers[0].path)
    if len(layers) != 2 or one:
        return InnerLayers()
    gates = [call for call in layers if any(_equal(call.made, read) for read in activated)]
    gates = gates or [call for call in layers if call.path.rpartition(".")[2].startswith(_GATES)]
    if len(gates) != 1:
        return InnerLayers()
    other = next(call for call in layers if call is not gates[0])
    return InnerLayers(other.path, gates[0].path)


def experts_router(mine: Sequence[Call]) -> str:
    """The path of a router whose output is (logits, weights of the chosen experts, which they are); "" for none.

    The experts are those with the largest softmax of the logits, and the weights their softmax, of these alone or of all.
    """
    for call in mine:
        said = call.said
        if isinstance(said, tuple) and len(said) == 3 and all(isinstance(each, Tensor) for each in said):
            logits, weights, choice = said
            if _chooses_by_softmax(call.module, logits, weights, choice):
                return call.path
    return ""


def _chooses_by_softmax(router: nn.Module, logits: Tensor, weights: Tensor, choice: Tensor) -> bool:
    if logits.dim() != 2 or weights.shape != choice.shape or choice.is_floating_point():
        return False
    largest, which = logits.softmax(dim=-1, dtype=torch.float).topk(choice.shape[-1], dim=-1)
    if getattr(router, "norm_topk_prob", True):  # As the tap's replacement does.
        largest = largest / largest.sum(dim=-1, keepdim=True)
    return torch.equal(which, choice) and torch.allclose(largest, weights.float(), atol=1e-5)


def _activates(call: Call) -> bool:
    """Whether a module may be an activation: a leaf without a matrix, whose output has the shape of its input."""
    module, plain = call.module, not isinstance(call.module, nn.Dropout | nn.Identity)
    alike = call.read is not None and call.made is not None and call.read.shape == call.made.shape
    return plain and alike and not any(own.dim() > 1 for own in module.parameters()) and not list(module.children())


def _equal(one: Tensor | None, other: Tensor | None) -> bool:
    return one is not None and other is not None and one.shape == other.shape and torch.equal(one, other)


def _made(call: Call) -> Tensor:
    assert call.made is not None
    return call.made
