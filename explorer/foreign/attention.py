"""Attention for all families, with every step explicit and tapped: it replaces the model's own function.

transformers asks for functions of its kind by name. A function for masks of the same name must be there too, because without
one no mask is made at all, and a causal model would see the future.

Letters: S are the scores, M the masked scores, A the weights and O a head's output before W_O.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import torch
from torch import Tensor, nn

NAME = "explorer"
_KEY = "explorer_taps"  # An attention's module has its taps under this name.
Step = Callable[[Tensor], Tensor]


Enters = Callable[[nn.Module, str, Tensor], None]
"""Is told of the first row [head, feature] of an attention's "query", "key" or "value", as it enters the attention."""


def _unseen(_factor: float) -> None:
    """Ignore the factor of the scores: the default for an attention without taps."""


def _untold(_module: nn.Module, _part: str, _first: Tensor) -> None:
    """Ignore what enters an attention: the default."""


def _same(tensor: Tensor) -> Tensor:
    return tensor


@attrs.define
class AttentionState:
    """What all attentions of a model share: its knobs, and the last pass's mask, as transformers passed it and as −∞.

    While a pass computes only the last rows of a text, `before` has by attention the queries [batch, head, query, feature] of
    the rows before them: all rows of the maps are made.
    """

    temperature: float = 1.0
    mask: tuple[Tensor | None, Tensor] | None = None
    before: Mapping[nn.Module, Tensor] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class AttentionTaps:
    """The taps of one attention, in the order of computation."""

    query: Step = _same
    key: Step = _same
    value: Step = _same
    scores: Step = _same
    scaled: Step = _same
    masked: Step = _same
    weights: Step = _same
    dropped: Step = _same
    mixed: Step = _same
    factor: Callable[[float], None] = _unseen
    turned: AttentionState = attrs.field(factory=AttentionState)


_NO_TAPS = AttentionTaps()


def register() -> None:
    """Make this function known to transformers, and a function for masks with it."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, eager_mask)


def filled_cache(config: Any, n_layers: int, rows: Sequence[tuple[Tensor, Tensor]] = ()) -> Any:
    """The cache of transformers, with the keys and values [batch, head, position, feature] of each layer.

    None where a layer of the model keeps anything else in it, or looks only some keys back.
    """
    from transformers.cache_utils import DynamicCache, DynamicLayer

    cache = DynamicCache(config=config)
    if any(type(layer) is not DynamicLayer for layer in cache.layers) or len(cache.layers) != n_layers:
        return None
    for number, (keys, values) in enumerate(rows):
        cache.update(keys, values, number)
    return cache


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    *,
    softcap: float | None = None,
    position_bias: Tensor | None = None,
    s_aux: Tensor | None = None,
    **_others: Any,
) -> tuple[Tensor, Tensor]:
    """[batch, query, head, feature] each head's output before W_O, and the weights [batch, head, query, key].

    `query` is [batch, head, query, feature]; `key` and `value` may have fewer heads, each for several heads of queries.
    `softcap` bounds the scores, `position_bias` is added to them, and `s_aux` [head] is the score of a key without a value.
    """
    taps: AttentionTaps = module.__dict__.get(_KEY, _NO_TAPS)
    temperature, n_new = taps.turned.temperature, query.shape[-2]
    if taps.turned.before:
        query = torch.cat([taps.turned.before[module], query], dim=-2)
        attention_mask = _of_all_rows(attention_mask, n_new, key, taps.turned)
    query, key, value = taps.query(query), taps.key(key), taps.value(value)
    shared_by = query.shape[1] // key.shape[1]
    if shared_by > 1:
        key, value = key.repeat_interleave(shared_by, dim=1), value.repeat_interleave(shared_by, dim=1)
    # S[q,k] = Q[q]·K[k]
    scores = taps.scores(query @ key.transpose(-2, -1))  # [batch, head, query, key]
    factor = query.shape[-1] ** -0.5 if scaling is None else scaling
    taps.factor(factor)
    # The temperature divides all scores before softmax, the bias included.
    scaled = taps.scaled(scores * (factor / temperature))
    if softcap is not None:
        cap = softcap / temperature
        scaled = torch.tanh(scaled / cap) * cap
    if position_bias is not None:
        scaled = scaled + position_bias / temperature
    masked = taps.masked(_closed(scaled, attention_mask, taps.turned))
    # A[q,k] = exp(M[q,k]) / Σ_k exp(M[q,k])
    weights = taps.dropped(taps.weights(_softmax(masked, s_aux, temperature).to(value.dtype)))
    # O[q] = Σ_k A[q,k]·V[k]
    mixed = taps.mixed(weights @ value)  # [batch, head, query, feature]
    return mixed[..., -n_new:, :].transpose(1, 2).contiguous(), weights


def _of_all_rows(mask: Tensor | None, n_new: int, key: Tensor, turned: AttentionState) -> Tensor:
    """[batch 1, head 1, query, key] the mask of the last `n_new` rows with those of all rows before them.

    An earlier row saw the keys up to its own. Only models whose layers all do so are gone on with (`Foreign.goes_on`).
    """
    if turned.mask is None or turned.mask[0] is not mask:  # All layers get the same mask object.
        n, device = key.shape[-2], key.device
        new = torch.zeros(1, 1, n_new, n, device=device) if mask is None else mask
        if new.dtype == torch.bool:
            new = torch.zeros(new.shape, device=device).masked_fill(~new, -math.inf)
        earlier = torch.full((n - n_new, n), -math.inf, device=device).triu(1)[None, None]
        turned.mask = mask, torch.cat([earlier, new.masked_fill(new <= torch.finfo(new.dtype).min / 2, -math.inf)], dim=-2)
    return turned.mask[1]


def _closed(scaled: Tensor, mask: Tensor | None, turned: AttentionState) -> Tensor:
    """[batch, head, query, key] -inf in masked cells, where transformers' mask is False or the least number of its type."""
    if mask is None:
        return scaled
    if mask.dtype == torch.bool:
        return scaled.masked_fill(~mask[..., : scaled.shape[-1]], -math.inf)
    if turned.before:  # The mask of all rows already has -inf in its masked cells.
        return scaled + mask
    if turned.mask is None or turned.mask[0] is not mask:  # All layers get the same mask object.
        turned.mask = mask, mask.masked_fill(mask <= torch.finfo(mask.dtype).min / 2, -math.inf)
    return scaled + turned.mask[1][..., : scaled.shape[-1]]


def _softmax(masked: Tensor, sink: Tensor | None, temperature: float) -> Tensor:
    """The weights of each row. A sink takes a share of its own, which the result leaves out."""
    if sink is None:
        return masked.softmax(dim=-1)
    score = (sink / temperature).reshape(1, -1, 1, 1).expand(masked.shape[0], -1, masked.shape[-2], 1)
    return torch.cat([masked, score], dim=-1).softmax(dim=-1)[..., :-1]


@attrs.define
class SeenAttention:
    """What a pass revealed of one attention: its heads, KV heads, head width, and whether no query sees a later key.

    `factor` multiplies its scores. `n_times` counts its calls in one pass: several where layers share their weights. `joined`
    is the last row [head · feature] of what its heads mixed.
    """

    n_times: int = 0
    n_heads: int = 0
    n_kv_heads: int = 0
    d_head: int = 0
    causal: bool = False
    factor: float = 0.0
    joined: Tensor | None = None


def seen_attentions(
    model: nn.Module, make_pass: Callable[[], object], enters: Enters = _untold
) -> dict[nn.Module, SeenAttention]:
    """The attentions of a model in the order of computation, found by one pass."""
    seen: dict[nn.Module, SeenAttention] = {}
    for module in model.modules():
        module.__dict__[_KEY] = _noting(module, seen, enters)
    try:
        make_pass()
    finally:
        for module in model.modules():
            del module.__dict__[_KEY]
    return seen


def _noting(module: nn.Module, seen: dict[nn.Module, SeenAttention], enters: Enters) -> AttentionTaps:
    """Taps that note the tensors that pass through them."""

    def query(tensor: Tensor) -> Tensor:
        noted = seen.setdefault(module, SeenAttention())
        noted.n_times += 1
        noted.n_heads, noted.d_head = tensor.shape[1], tensor.shape[-1]
        enters(module, "query", tensor[0, :, 0])
        return tensor

    def key(tensor: Tensor) -> Tensor:
        seen[module].n_kv_heads = tensor.shape[1]
        enters(module, "key", tensor[0, :, 0])
        return tensor

    def value(tensor: Tensor) -> Tensor:
        enters(module, "value", tensor[0, :, 0])
        return tensor

    def masked(tensor: Tensor) -> Tensor:
        n_queries, n_keys = tensor.shape[-2:]
        later = torch.ones(n_queries, n_keys, dtype=torch.bool, device=tensor.device).triu(1)
        seen[module].causal = n_queries == n_keys and bool(tensor[0, 0][later].isneginf().all())
        return tensor

    def factor(number: float) -> None:
        seen[module].factor = number

    def mixed(tensor: Tensor) -> Tensor:
        seen[module].joined = tensor[0, :, -1].flatten().cpu()
        return tensor

    return AttentionTaps(query=query, key=key, value=value, masked=masked, factor=factor, mixed=mixed)


def give_taps(module: nn.Module, taps: AttentionTaps | None) -> None:
    """Have an attention use these taps, or none."""
    if taps is None:
        module.__dict__.pop(_KEY, None)
    else:
        module.__dict__[_KEY] = taps
