"""The weights of a decoder as quick steps read them: Q, K and V as one matrix.

They are put together once for each model, and noticed when they change, as those of a packed layer are.

Decision: the output's weights alone have a turned copy for one exact row. Rejected: a second copy of all weights, because only
the first sentence after a change of weights would use it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from weakref import WeakKeyDictionary

import attrs
import torch
from torch import Tensor, nn

from explorer.engine.speed.packed import turned
from explorer.engine.speed.packed_linear import PackedLinear
from explorer.model.layers import DecoderLayer
from explorer.model.linear import Linear
from explorer.model.transformer import Transformer

Product = Callable[[Tensor], Tensor]
"""[row, in] to [row, out]."""
State = tuple[tuple[int, int, int], ...]
"""What `state_of` tells."""
N_OF_LAYER = 6  # products of each layer; behind those of all layers stands the generator's


@attrs.define(eq=False)
class QuickWeights:
    """The products of a decoder in the order in which a step comes through them, and `across`, which makes the keys and values
    of the source for all layers at once.
    """

    state: object
    exact: list[PackedLinear]
    across: PackedLinear
    _of_one_row: Product | None = None

    def of_one_row(self) -> Product:
        """The generator's exact product with one row, which is the largest of a step. Its weights are copied for it once."""
        if self._of_one_row is None:
            layer = self.exact[-1]
            copy = turned(layer.weight)
            self._of_one_row = layer if copy is None else partial(copy.product, bias=layer.bias)
        return self._of_one_row


_known: "WeakKeyDictionary[Transformer, QuickWeights]" = WeakKeyDictionary()
"""What was made of each model, for as long as it lives."""


def quick_weights(model: Transformer, state: State | None = None) -> QuickWeights:
    """The weights of an encoder-decoder model whose `state_of` is not None; it is asked for where it is not given."""
    found, state = _known.get(model), state or state_of(model)
    if found is None or found.state != state:
        attentions = [layer.cross_attn for layer in layers_of(model)]
        across = together(*(each for own in attentions for each in (own.project_key, own.project_value)))
        found = _known[model] = QuickWeights(state, [together(*group) for group in _groups(model)], across)
    return found


def together(*layers: Linear) -> PackedLinear:
    """One layer that gives what several layers give of the same x, side by side. It is packed if that is worth it."""
    if len(layers) == 1:
        return layers[0] if isinstance(layers[0], PackedLinear) else PackedLinear.of(layers[0])
    with torch.device("meta"):
        made = PackedLinear(layers[0].in_features, sum(each.out_features for each in layers), bias=layers[0].bias is not None)
    with torch.inference_mode(False):  # Weights made in this mode could not be packed.
        made.weight = nn.Parameter(torch.cat([each.weight.detach() for each in layers]), requires_grad=False)
        if made.bias is not None:
            made.bias = nn.Parameter(torch.cat([each.bias.detach() for each in layers]), requires_grad=False)
    made.pack()
    return made


def state_of(model: Transformer) -> State | None:
    """What tells whether the weights of a decoder were edited or replaced: each one's identity, place in memory and version.

    None where a layer has weights that may change at any time, or that are no plain numbers of four bytes on the processor.
    """
    state = []
    for layer in _linears(model):
        for weight in (layer._parameters.get("weight"), layer._parameters["bias"]):
            if weight is not None and _is_settled(weight):
                state.append((id(weight), weight.data_ptr(), weight._version))
            elif weight is not None or "weight" not in layer._parameters:
                return None  # Pruned and parametrized layers compute their weights for each pass.
    return tuple(state)


def layers_of(model: Transformer) -> list[DecoderLayer]:
    """The decoder's layers."""
    assert model.decoder is not None  # Only encoder-decoder models have quick steps.
    return list(model.decoder.layers)  # type: ignore[arg-type]  # a ModuleList holds Modules


def _is_settled(weight: Tensor) -> bool:
    on_processor = weight.dtype == torch.float32 and weight.device.type == "cpu"
    return on_processor and not weight.requires_grad and not weight.is_inference()


def _linears(model: Transformer) -> Iterator[Linear]:
    """The linear layers that a step comes through, and those of the source's keys and values."""
    for group in _groups(model):
        yield from group
    for layer in layers_of(model):
        yield from (layer.cross_attn.project_key, layer.cross_attn.project_value)


def _groups(model: Transformer) -> Iterator[tuple[Linear, ...]]:
    """The linear layers that a step comes through, in order; those that read the same x are together."""
    for layer in layers_of(model):
        own, cross, feed = layer.self_attn, layer.cross_attn, layer.feed_forward
        yield own.project_query, own.project_key, own.project_value
        yield (own.project_output,)
        yield (cross.project_query,)
        yield (cross.project_output,)
        yield (feed.expand,)
        yield (feed.contract,)
    yield (model.generator.project,)
