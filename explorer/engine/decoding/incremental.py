"""Incremental decoding: keys and values of all earlier tokens are kept, so that each further token costs about the same.

Under the causal mask, a token's key and value depend on no later token. If that mask is off or read wrongly, a further token
changes all earlier ones and nothing can be kept: then each step makes the whole pass again. So it does under a knob that is not
known here (`explorer.fast_ways`).

A step calls the parts of layers and attentions one by one. Hooks of taps, linear layers, norms and dropouts fire; hooks of
whole layers, attentions, the decoder and the generator do not, and all are shown the new rows alone. Who has hooks that need
more asks for `whole` passes, in which all hooks fire at each step. A step of a model without any hook never makes the attention
maps, by torch's fused attention: a step of eight tokens takes 2.6 ms instead of 3.1.
"""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from explorer.fast_ways import OF_WHOLE_PASSES, understands
from explorer.model import masks
from explorer.model.attention import Attention
from explorer.model.hooks import is_hooked
from explorer.model.layers import DecoderLayer
from explorer.model.transformer import Transformer


class Incremental:
    """The decoder over a batch of sentences, each of which is given further ids at each step.

    `memory` [batch, key, feature] is the encoder's output, None in a decoder-only model; `real` is its padding mask as
    `Transformer.encode` takes it. With `whole` nothing is kept, and each step is a whole pass.
    """

    def __init__(self, model: Transformer, memory: Tensor | None, real: Tensor | None = None, *, whole: bool = False) -> None:
        assert model.decoder is not None  # An encoder alone writes nothing.
        self.device = next(model.parameters()).device
        config = model.config
        self._keeps = not whole and config.causal_mask and config.masking == "usual" and understands(config, OF_WHOLE_PASSES)
        self._model, self._decoder = model, model.decoder
        self._memory, self._real = memory, real
        self._given: Tensor | None = None  # [batch, position] all ids so far, in whole passes only
        layers: list[DecoderLayer] = list(model.decoder.layers)  # type: ignore[arg-type]  # a ModuleList holds Modules
        self._layers = layers
        self._across: list[tuple[Tensor, Tensor]] = []
        if self._keeps and memory is not None:
            self._across = [layer.cross_attn.keys_and_values(memory) for layer in layers]
        self._kept: list[tuple[Tensor, Tensor]] = []
        self._n = 0
        drops = any(layer.self_attn.drop.training for layer in layers)
        self._fused = config.position != "alibi" and not drops and not is_hooked(model)

    def step(self, ids: Tensor) -> Tensor:
        """The next id of each sentence [batch] to the logits of the id after it [batch, vocab]."""
        return self.extend(ids[:, None])[:, -1]

    def extend(self, ids: Tensor) -> Tensor:
        """The next ids of each sentence [batch, position] to the logits of the id after each of them [batch, position, vocab].

        Several ids may be given at once when they are guesses, because under a causal mask no logits depend on later ids.
        """
        return self._extended(ids) if self._keeps else self._whole(ids)

    def _extended(self, ids: Tensor) -> Tensor:
        n_new = ids.shape[1]
        x = self._decoder.embedding(ids, self._n)  # [batch, position, feature]
        before = masks.causal(n_new, self._n + n_new, self._n).to(ids.device) if n_new > 1 else None
        across = self._seen_across(n_new)
        for number, layer in enumerate(self._layers):
            h = layer.around_self.before(x)
            x = layer.around_self(x, self._attend(layer.self_attn, number, before, h))
            if self._across:
                h = layer.around_cross.before(x)
                query = layer.cross_attn.queries(h)
                x = layer.around_cross(x, self._mixed(layer.cross_attn, query, *self._across[number], across))
            x = layer.around_feed(x, layer.feed_forward(layer.around_feed.before(x)))
        self._n += n_new
        return self._model.generator.logits_of(self._decoder.normalized(x))

    def back_to(self, n: int) -> None:
        """Forget all ids after the first `n`."""
        self._n = n
        self._given = None if self._given is None else self._given[:, :n]
        self._kept = [(key[..., :n, :], value[..., :n, :]) for key, value in self._kept]

    def select(self, rows: Tensor) -> None:
        """Go on with these rows [batch] of the batch, in this order; a row may occur several times."""
        self._kept = [(key[rows], value[rows]) for key, value in self._kept]
        self._across = [(key[rows], value[rows]) for key, value in self._across]
        self._memory = None if self._memory is None else self._memory[rows]
        self._real = None if self._real is None else self._real[rows]
        self._given = None if self._given is None else self._given[rows]

    def _attend(self, attention: Attention, number: int, may_look: Tensor | None, h: Tensor) -> Tensor:
        key, value = attention.keys_and_values(h, self._n)  # [batch, head, key, feature], of the new ids alone
        if number < len(self._kept):
            before = self._kept[number]
            key, value = torch.cat((before[0], key), dim=-2), torch.cat((before[1], value), dim=-2)
            self._kept[number] = key, value
        else:
            self._kept.append((key, value))
        return self._mixed(attention, attention.queries(h, self._n), key, value, may_look)

    def _mixed(self, attention: Attention, query: Tensor, key: Tensor, value: Tensor, may_look: Tensor | None) -> Tensor:
        return _fused(attention, query, key, value, may_look) if self._fused else attention.attend(query, key, value, may_look)

    def _seen_across(self, n_new: int) -> Tensor | None:
        if self._memory is None or not self._model.config.causal_mask_cross:
            return self._real
        earlier = masks.causal(n_new, self._memory.shape[1], self._n).to(self._memory.device)  # [query, key]
        return earlier if self._real is None else earlier & self._real

    def _whole(self, ids: Tensor) -> Tensor:
        self._given = ids if self._given is None else torch.cat((self._given, ids), dim=1)
        x = self._model.decode(self._given, self._memory, self._real)
        logits: Tensor = self._model.generator(x)
        return logits[:, -ids.shape[1] :]


def _fused(attention: Attention, query: Tensor, key: Tensor, value: Tensor, may_look: Tensor | None) -> Tensor:
    """As `Attention.attend`, by torch's fused attention, which never has the weight matrix."""
    # O = softmax(Q·Kᵀ / (√d_head · temperature))·V
    mixed = scaled_dot_product_attention(query, key, value, may_look, scale=1 / attention.config.score_divisor)
    output: Tensor = attention.output(attention.project_output(attention.merge_heads(mixed)))
    return output
