"""Steps of decoding with few operations: what `Incremental` gives, for a decoder into which nobody looks.

A step of one token has little to compute, so half of its time went to some two hundred calls. Here Q, K and V come from one
product, keys and values are written into one tensor that all layers share, the maps are never made, and all taps but those of
the embedding and the norms are left out. With `rounded` weights a step is a guess and takes half of that time again.

The weights are put together once for each model and noticed when they change, as those of a packed layer are.
"""

from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.engine.decoding.incremental import Incremental
from explorer.model import masks, positions
from explorer.model.hooks import is_seen_anywhere
from explorer.model.layers import DecoderLayer
from explorer.model.linear import Linear
from explorer.model.rounded import CannotRoundError, Rounded
from explorer.model.transformer import Transformer

_Product = Callable[[Tensor], Tensor]
_ROOM = 32  # So many tokens have room in the kept keys and values at first; it doubles.


def steps_of(model: Transformer, memory: Tensor, real: Tensor | None = None, *, whole: bool = False) -> "Steps":
    """The quick steps of a model where they are possible, else `Incremental`. See there for what they are given."""
    if not whole and real is None and can_be_quick(model):
        return QuickSteps(model, memory)
    return Incremental(model, memory, real, whole=whole)


def can_be_quick(model: Transformer) -> bool:
    """Whether nobody looks into the decoder, its weights are settled, and each token sees the usual ones."""
    config = model.config
    if not config.causal_mask or config.masking != "usual" or config.causal_mask_cross or config.position == "alibi":
        return False
    if config.architecture != "encoder-decoder" or model.training or is_seen_anywhere(model):
        return False
    drops = (part.drop for layer in _layers(model) for part in (layer.self_attn, layer.cross_attn, layer.feed_forward))
    return not any(drop.training for drop in drops) and _state(model) is not None


class QuickSteps:
    """The decoder over a batch of sentences, each of which is given further ids at each step.

    `memory` [batch, key, feature] is the encoder's output. `can_be_quick` must be True. With `rounded` the logits are a guess.
    """

    def __init__(self, model: Transformer, memory: Tensor, *, rounded: bool = False) -> None:
        assert model.decoder is not None  # `can_be_quick` says so.
        self._decoder, self._config = model.decoder, model.config
        self._weights, self.device = _weights_of(model, rounded=rounded), memory.device
        batch, n_keys = memory.shape[:2]
        sizes = self._config.n_layers, 2, self._config.n_heads, self._config.d_head
        across = self._weights.across(memory.reshape(batch * n_keys, -1))  # [row, layer · (key, value) · feature]
        # [layer, key or value, batch, head, key, feature]
        self._across = across.view(batch, n_keys, *sizes).permute(2, 3, 0, 4, 1, 5)
        self._kept = memory.new_empty((*sizes[:2], batch, sizes[2], _ROOM, sizes[3]))  # the same axes
        self._n = 0

    def step(self, ids: Tensor) -> Tensor:
        """The next id of each sentence [batch] to the logits of the id after it [batch, vocab]."""
        return self.extend(ids[:, None])[:, -1]

    def extend(self, ids: Tensor) -> Tensor:
        """The next ids of each sentence [batch, position] to the logits of the id after each of them [batch, position, vocab].

        Several ids may be given at once when they are guesses, because under a causal mask no logits depend on later ids.
        """
        batch, n_new = ids.shape
        first, end = self._n, self._n + n_new
        self._make_room(end)
        x = self._decoder.embedding(ids, first).view(batch * n_new, -1)  # [row, feature]
        seen = masks.causal(n_new, end, first).to(ids.device) if n_new > 1 else None
        new = self._kept[..., first:end, :].unbind(0)
        kept = self._kept[..., :end, :].unbind(0)
        across = self._across.unbind(0)
        for number, layer in enumerate(self._weights.layers):
            # Rows that go on from one sentence have one source, so its keys and values are there once.
            others = across[number].expand(-1, batch, -1, -1, -1)
            x = layer.step(x, self._config, batch, first, new[number], kept[number], others, seen)
        self._n = end
        return self._weights.generator(self._decoder.normalized(x)).view(batch, n_new, -1)

    def back_to(self, n: int) -> None:
        """Forget all ids after the first `n`."""
        self._n = n

    def select(self, rows: Tensor) -> None:
        """Go on with these rows [batch] of the batch, in this order; a row may occur several times."""
        self._kept = self._kept.index_select(2, rows)
        if self._across.shape[2] > 1:
            self._across = self._across.index_select(2, rows)

    def _make_room(self, n: int) -> None:
        """Room for the keys and values of `n` tokens."""
        kept = self._kept
        if n > kept.shape[-2]:
            self._kept = kept.new_empty((*kept.shape[:-2], max(n, 2 * kept.shape[-2]), kept.shape[-1]))
            self._kept[..., : self._n, :] = kept[..., : self._n, :]


Steps = Incremental | QuickSteps
"""What decoding goes on with."""


class _Layer:
    """One decoder layer: its norms and additions as they are, and its products."""

    def __init__(self, layer: DecoderLayer, product: Callable[[Linear], _Product]) -> None:
        own, cross, feed = layer.self_attn, layer.cross_attn, layer.feed_forward
        self._around = layer.around_self, layer.around_cross, layer.around_feed
        self._three = product(together(own.project_query, own.project_key, own.project_value))
        self._own_output, self._cross_output = product(own.project_output), product(cross.project_output)
        self._query = product(cross.project_query)
        self._expand, self._activate, self._contract = product(feed.expand), feed.activate, product(feed.contract)

    def step(
        self, x: Tensor, config: Config, batch: int, first: int, new: Tensor, kept: Tensor, across: Tensor, seen: Tensor | None
    ) -> Tensor:
        """The stream [row, feature] through this layer. Keys and values [key or value, batch, head, key, feature] are written
        into `new`, which is the end of `kept`; those of the source are `across`. `seen` [query, key] is the causal mask.
        """
        around_self, around_cross, around_feed = self._around
        three = self._three(around_self.before(x)).view(batch, -1, 3, config.n_heads, config.d_head).permute(2, 0, 3, 1, 4)
        query, key, value = three.unbind(0)  # [batch, head, position, feature]
        if config.position == "rotary":
            query, key = (positions.rotate(each, config.position_base, first) for each in (query, key))
        new[0].copy_(key)
        new[1].copy_(value)
        x = around_self(x, self._own_output(_mixed(query, kept, seen, config)))
        query = self._query(around_cross.before(x)).view(batch, -1, config.n_heads, config.d_head).transpose(1, 2)
        x = around_cross(x, self._cross_output(_mixed(query, across, None, config)))
        return around_feed(x, self._contract(self._activate(self._expand(around_feed.before(x)))))  # type: ignore[no-any-return]


def _mixed(query: Tensor, both: Tensor, seen: Tensor | None, config: Config) -> Tensor:
    """[row, feature] what the queries take from the values, by torch's fused attention."""
    # O = softmax(Q·Kᵀ / (√d_head · temperature))·V
    key, value = both.unbind(0)
    mixed = nn.functional.scaled_dot_product_attention(query, key, value, seen, scale=1 / config.score_divisor)
    return mixed.transpose(1, 2).reshape(-1, config.d_model)


class _Weights:
    """The products of a decoder, as they are or rounded. Raises CannotRoundError."""

    def __init__(self, model: Transformer, *, rounded: bool) -> None:
        layers = _layers(model)
        product: Callable[[Linear], _Product] = Rounded if rounded else _same
        self.layers = [_Layer(layer, product) for layer in layers]
        attentions = [layer.cross_attn for layer in layers]
        # A guess is made of the same keys and values: they are few, and every word depends on them.
        self.across = together(*(each for own in attentions for each in (own.project_key, own.project_value)))
        self.generator = product(model.generator.project)
        self.state = _state(model)


def together(*layers: Linear) -> Linear:
    """One layer that gives what several layers give of the same x, side by side. It is packed if that is worth it."""
    with torch.device("meta"):
        made = Linear(layers[0].in_features, sum(each.out_features for each in layers), bias=layers[0].bias is not None)
    with torch.inference_mode(False):  # Weights made in this mode could not be packed.
        made.weight = nn.Parameter(torch.cat([each.weight.detach() for each in layers]), requires_grad=False)
        if made.bias is not None:
            made.bias = nn.Parameter(torch.cat([each.bias.detach() for each in layers]), requires_grad=False)
    made.pack()
    return made


def _same(layer: Linear) -> _Product:
    return layer


_known: "WeakKeyDictionary[Transformer, dict[bool, _Weights | None]]" = WeakKeyDictionary()
"""The weights of each model, as they are and rounded, for as long as the model lives; None: they cannot be rounded."""


def _weights_of(model: Transformer, *, rounded: bool) -> _Weights:
    known, state = _known.setdefault(model, {}), _state(model)
    found = known.get(rounded)
    if rounded not in known or (found is not None and found.state != state):
        try:
            found = _Weights(model, rounded=rounded)
        except CannotRoundError:
            found = None
        known[rounded] = found
    return _weights_of(model, rounded=False) if found is None else found


def _state(model: Transformer) -> tuple[tuple[int, int, int], ...] | None:
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


def _is_settled(weight: Tensor) -> bool:
    on_processor = weight.dtype == torch.float32 and weight.device.type == "cpu"
    return on_processor and not weight.requires_grad and not weight.is_inference()


def _linears(model: Transformer) -> Iterator[Linear]:
    """The linear layers that a step comes through."""
    for layer in _layers(model):
        for attention in (layer.self_attn, layer.cross_attn):
            yield attention.project_query
            yield attention.project_key
            yield attention.project_value
            yield attention.project_output
        yield layer.feed_forward.expand
        yield layer.feed_forward.contract
    yield model.generator.project


def _layers(model: Transformer) -> list[DecoderLayer]:
    assert model.decoder is not None  # `can_be_quick` says so.
    return list(model.decoder.layers)  # type: ignore[arg-type]  # a ModuleList holds Modules
