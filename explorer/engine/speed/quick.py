"""Steps of decoding with few operations: the logits of `Incremental`, for a decoder without hooks.

A step of one token has little to compute, so half of its time went to some two hundred calls. Here Q, K and V come from one
product, keys and values are written into one tensor that all layers share, the maps are never made, and all taps but those of
the norms are left out.
"""

from collections.abc import Sequence

from torch import Tensor, nn

from explorer.config import Config
from explorer.engine.decoding.incremental import Incremental, Steps
from explorer.engine.speed.quick_weights import N_OF_LAYER, Product, State, layers_of, quick_weights, state_of
from explorer.fast_ways import OF_WHOLE_PASSES, understands
from explorer.model import masks, positions
from explorer.model.hooks import is_hooked
from explorer.model.layers import DecoderLayer
from explorer.model.transformer import Transformer

_ROOM = 32  # tokens that have room in the KV cache at first; it doubles


def steps_of(model: Transformer, memory: Tensor, real: Tensor | None = None, *, whole: bool = False) -> Steps:
    """The quick steps of a model where they are possible, else `Incremental`. See there for what they are given."""
    state = quick_state(model) if not whole and real is None else None
    if state is not None:
        return QuickSteps(model, memory, state=state)
    return Incremental(model, memory, real, whole=whole)


def can_be_quick(model: Transformer) -> bool:
    """Whether the decoder has no hooks, its weights are settled, and each token sees the usual ones."""
    return quick_state(model) is not None


def quick_state(model: Transformer) -> State | None:
    """The state of the weights of a model that `can_be_quick`, else None."""
    config = model.config
    if not config.causal_mask or config.masking != "usual" or config.causal_mask_cross or config.position == "alibi":
        return None
    if config.architecture != "encoder-decoder" or model.training:
        return None
    if not understands(config, OF_WHOLE_PASSES) or is_hooked(model):
        return None
    assert model.decoder is not None  # The architecture says so.
    parts = (part for layer in layers_of(model) for part in (layer.self_attn, layer.cross_attn, layer.feed_forward))
    return None if any(part.drop.training for part in (model.decoder.embedding, *parts)) else state_of(model)


class QuickSteps:
    """The decoder over a batch of sentences, each of which is given further ids at each step.

    `memory` [batch, key, feature] is the encoder's output. `can_be_quick` must be True. `state` is what `quick_state` says, if
    it is known.
    """

    def __init__(self, model: Transformer, memory: Tensor, *, state: State | None = None) -> None:
        assert model.decoder is not None  # `can_be_quick` says so.
        self._decoder, self.config, self.device = model.decoder, model.config, memory.device
        weights = self.weights = quick_weights(model, state)
        products = weights.exact
        starts = range(0, len(products) - 1, N_OF_LAYER)
        self._layers = list(zip(layers_of(model), (products[n : n + N_OF_LAYER] for n in starts), strict=True))
        self._generator = products[-1]
        batch, n_keys = memory.shape[:2]
        sizes = self.config.n_layers, 2, self.config.n_heads, self.config.d_head
        across = weights.across(memory.reshape(batch * n_keys, -1))  # [row, layer · (key, value) · feature]
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
        new, kept = self._kept[..., first:end, :], self._kept[..., :end, :]
        seen = masks.causal(n_new, end, first).to(ids.device) if n_new > 1 else None
        for number, (layer, products) in enumerate(self._layers):
            # Rows that go on from one sentence have one source, so its keys and values are there once.
            across = self._across[number].expand(-1, batch, -1, -1, -1)
            x = _through(layer, products, x, self.config, first, new[number], kept[number], across, seen)
        self._n = end
        return self._logits(x).view(batch, n_new, -1)

    def _logits(self, x: Tensor) -> Tensor:
        """[row, vocab] the logits of the rows [row, feature] behind all layers."""
        generator = self.weights.of_one_row() if len(x) == 1 else self._generator
        return generator(self._decoder.normalized(x))

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


def _through(
    layer: DecoderLayer,
    products: Sequence[Product],
    x: Tensor,
    config: Config,
    first: int,
    new: Tensor,
    kept: Tensor,
    across: Tensor,
    seen: Tensor | None,
) -> Tensor:
    """The stream [row, feature] through one layer.

    Its keys and values [key or value, batch, head, key, feature] are written into `new`, which is the end of `kept`; those of
    the source are `across`. `seen` [query, key] is the causal mask, and the first row stands at position `first`.
    """
    scale = 1 / config.score_divisor  # 1 / (√d_head · temperature)
    three, own_output, cross_query, cross_output, expand, contract = products
    around_self, around_cross, around_feed = layer.around_self, layer.around_cross, layer.around_feed
    heads = new.shape[1], -1, config.n_heads, config.d_head  # [batch, position, head, feature]
    query, *both = three(around_self.before(x)).view(*heads[:2], 3, *heads[2:]).permute(2, 0, 3, 1, 4).unbind(0)
    if config.position == "rotary":
        query, both[0] = (positions.rotate(each, config.position_base, first) for each in (query, both[0]))
    for place, made in zip(new.unbind(0), both, strict=True):
        place.copy_(made)
    x = around_self(x, own_output(_mixed(query, kept, seen, scale)))
    query = cross_query(around_cross.before(x)).view(heads).transpose(1, 2)
    x = around_cross(x, cross_output(_mixed(query, across, None, scale)))
    hidden = expand(around_feed.before(x))
    return around_feed(x, contract(layer.feed_forward.activate(hidden)))  # type: ignore[no-any-return]


def _mixed(query: Tensor, both: Tensor, seen: Tensor | None, scale: float) -> Tensor:
    """[row, feature] what the queries take from the values, by torch's fused attention."""
    # O = softmax((Q · scale)·Kᵀ)·V
    key, value = both.unbind(0)
    mixed = nn.functional.scaled_dot_product_attention(query * scale, key, value, seen, scale=1.0)
    return mixed.transpose(1, 2).flatten(2).flatten(0, 1)
