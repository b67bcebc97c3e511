"""Tensors that somebody holds already, as a Trace: the attentions of transformers, a cache of TransformerLens, any others.

Each is an array or has `detach`, as torch's tensors do; torch itself is not imported.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from explorer.errors import BadAxes, BadTensor, NotMaps, SeveralSentences
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.files.recorded_file import trace_of
from explorer.trace.files.tensor_file import Tensors
from explorer.trace.recorded_pass import RecordedPass, Tokens

Made = TypeVar("Made", bound=RecordedPass)
_MAP = ("head", "query", "key")
_HOOKS = {
    "attn.hook_q": "self_attn.query",
    "attn.hook_k": "self_attn.key",
    "attn.hook_v": "self_attn.value",
    "attn.hook_attn_scores": "self_attn.masked",
    "attn.hook_pattern": "self_attn.weights",
    "attn.hook_z": "self_attn.mixed",
    "hook_attn_out": "self_attn.output",
    "hook_resid_mid": "residual1",
    "mlp.hook_pre": "feed_forward.hidden",
    "mlp.hook_post": "feed_forward.activated",
    "hook_mlp_out": "feed_forward.output",
    "hook_resid_post": "residual2",
}
"""The activations of TransformerLens that are taps of ours: what they are called in a block, and what in a layer."""
_HEADS_INSIDE = re.compile(r"attn\.hook_[qkvz]$")  # These are [batch, position, head, feature].
_BLOCK = re.compile(r"blocks\.(\d+)\.(.+)")


def held_trace(
    attentions: Any,
    make: Callable[..., Made],
    *,
    encoder: Any = None,
    cross: Any = None,
    tokens: Iterable[str] | None = None,
    source: Iterable[str] | None = None,
    axes: Mapping[str, str] | None = None,
    name: str = "",
) -> Made:
    """What `make` makes of the fields of a Trace of these tensors; see `explorer.view`.

    Raises NotMaps, SeveralSentences, NoAxes, BadAxes, BadTensor, BadCard, DoNotAgree.
    """
    named: dict[str, Array] = {}
    causal: tuple[str, ...] = ()
    if isinstance(attentions, Mapping) or hasattr(attentions, "items"):
        named |= _by_name(dict(attentions.items()))
    elif attentions is not None:
        layers = _layers(attentions)
        of_decoder = cross is not None or encoder is not None or _are_causal(layers.values())
        own = "decoder" if of_decoder else "encoder"
        causal = (f"{own}.self_attn",) if _are_causal(layers.values()) else ()
        named |= {f"{own}.layers.{layer}.self_attn.weights": weights for layer, weights in layers.items()}
    for side, kind, given in (("encoder", "self_attn", encoder), ("decoder", "cross_attn", cross)):
        if given is not None:
            named |= {f"{side}.layers.{layer}.{kind}.weights": weights for layer, weights in _layers(given).items()}
    if not named:
        raise NotMaps(got=type(attentions).__name__)
    has_target = any(tap.startswith("decoder.") for tap in named)
    sides = {"source": source, "target": tokens} if has_target else {"source": tokens}
    told = {side: [str(each) for each in row] for side, row in sides.items() if row is not None}
    card: dict[str, Any] = {"tokens": told, "axes": dict(axes or {}), "recorded_by": "Python", "card": {"causal": causal}}
    card |= {side: "".join(row) for side, row in told.items()}
    tensors = Tensors({tap: array.shape for tap, array in named.items()}, named.__getitem__, None)
    return trace_of(tensors, card, lambda tokens, **fields: make(tokens=Tokens(**tokens), **fields), name=name or "tensors")


def _layers(attentions: Any) -> dict[int, Array]:
    """[head, query, key] the weights of each layer: of a row of tensors, in which None is a layer without, or of one tensor."""
    if not isinstance(attentions, Sequence):
        attentions = list(_array("attentions", attentions))
    found = {layer: _array(f"attentions[{layer}]", each) for layer, each in enumerate(attentions) if each is not None}
    if not found:
        raise NotMaps(got=type(attentions).__name__)
    return {layer: _one_sentence(each, f"attentions[{layer}]") for layer, each in found.items()}


def _one_sentence(weights: Array, name: str) -> Array:
    if weights.ndim == len(_MAP) + 1:
        if weights.shape[0] != 1:
            raise SeveralSentences(got=weights.shape[0])
        weights = weights[0]
    if weights.ndim != len(_MAP):
        raise BadAxes(tap=name, axes=" ".join(_MAP), shape=str(list(weights.shape)))
    return frozen_array(weights)


def _by_name(held: Mapping[str, Any]) -> dict[str, Array]:
    """Tensors by the names of taps. Of a cache of TransformerLens those are taken that are taps of ours."""
    if not any(_BLOCK.fullmatch(str(name)) for name in held):
        return {str(name): _array(str(name), each) for name, each in held.items()}
    named = {}
    for name, each in held.items():
        block = _BLOCK.fullmatch(str(name))
        tap = _HOOKS.get(block[2]) if block else {"hook_embed": "tokens", "hook_pos_embed": "positions"}.get(str(name))
        if tap is not None:
            array = _array(str(name), each)
            array = array if array.ndim < 4 or not _HEADS_INSIDE.search(str(name)) else array.swapaxes(-2, -3)
            named[f"decoder.layers.{block[1]}.{tap}" if block else f"decoder.embedding.{tap}"] = array
    return named


def _array(name: str, held: Any) -> Array:
    """The numbers of a tensor or an array, float32. Raises BadTensor."""
    if hasattr(held, "detach"):
        held = held.detach().float().cpu().numpy()
    try:
        array = np.asarray(held, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise BadTensor(name=name, got=type(held).__name__) from error
    return frozen_array(array)


def _are_causal(layers: Iterable[Array]) -> bool:
    """Whether no query of any layer looks at a later key."""
    return all(each.shape[-2] == each.shape[-1] > 1 and not np.triu(each, 1).any() for each in layers)
