"""Recording any torch module: our Taps in it, its attentions, and what else one names.

    trace = explorer.record(module, x, src_mask=mask)
    trace["encoder.layers.0.self_attn.weights"]     # numpy [head, query, key]

The weights of an nn.MultiheadAttention are computed once more by the attention itself, with `need_weights`, per head and
before dropout. Its result goes on untouched. Other attentions are seen where they call a function: `functional_attention`.

All of it is seen by torch's forward hooks, which are removed behind the pass.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.engine.recording.functional_attention import attention_calls
from explorer.errors import BadAxes, NoTaps, SeveralSentences
from explorer.model.hooks import hooked
from explorer.model.tap import BATCH, Tap, first_of
from explorer.model.transformer import Transformer
from explorer.trace.arrays import Arrays, frozen_array
from explorer.trace.files.seen_card import card_of_seen, numbered_tokens
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens, unknown_tap
from explorer.trace.trace import Trace

_MAP = (BATCH, "head", "query", "key")
_ACROSS = re.compile(r"cross|enc_?dec|encoder_att")
_ATTENTION = re.compile(r"^(?:encoder|decoder)\.layers\.\d+\.(?:self|cross)_attn$")
_DECODING = (nn.TransformerDecoder, nn.TransformerDecoderLayer)
Named = Mapping[str, str]


def record_module(module: nn.Module, inputs: tuple[Any, ...], named: Mapping[str, Any], axes: Named | None) -> Trace:
    """Run `module(*inputs, **named)` once, without gradients, and return what was recorded; see `explorer.record`.

    Raises NoTaps, UnknownTap, BadAxes, SeveralSentences, and whatever the module raises.
    """
    asked = {path: tuple(names.split()) for path, names in (axes or {}).items()}
    known = dict(module.named_modules())
    for path in asked:
        if path not in known:
            raise unknown_tap(path, tuple(name for name in known if name))
    seen, names = _Seen(), _AttentionNames(module)
    attentions = {path: each for path, each in known.items() if isinstance(each, nn.MultiheadAttention)}
    homes = {path: names.of(path, each.num_heads) for path, each in attentions.items()}

    def note(tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> None:
        seen.note(tap.name or "tap", asked.get(tap.name, tap.axes), tensor, first_of(args))

    def note_call(path: str, masked: Tensor, weights: Tensor) -> None:
        name = names.of(path, weights.shape[1], causal=_is_causal(weights))
        seen.note(f"{name}.masked", _MAP, masked)
        seen.note(f"{name}.weights", _MAP, weights)

    with torch.no_grad(), _slow_path(), hooked(module, note), attention_calls(module, note_call), ExitStack() as stack:
        for path, name in homes.items():
            stack.callback(known[path].register_forward_hook(_attention(name, seen), with_kwargs=True).remove)
        for path, axis_names in asked.items():
            if not isinstance(known[path], Tap):
                stack.callback(known[path].register_forward_hook(_output(path, axis_names, seen)).remove)
        module(*inputs, **named)
    if not seen.parts:
        raise NoTaps(module=type(module).__name__)
    return _trace(module, seen)


@attrs.define
class _Seen:
    """What was seen, by tap name in the order of the pass: the axes without the batch, and copies of the tensors.

    A tensor that comes in blocks of queries is joined. A module that is called again gets a further name: "….call_2.weights".
    """

    axes: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    parts: dict[str, list[Tensor]] = attrs.field(factory=dict)

    def note(self, name: str, axes: tuple[str, ...], tensor: object, first: int | None = None) -> None:
        """Keep a copy. Raises BadAxes where the axes are not those of the tensor, SeveralSentences for a batch of more."""
        if not isinstance(tensor, Tensor) or tensor.dim() not in (len(axes), len(axes) - (BATCH in axes)):
            shape = list(tensor.shape) if isinstance(tensor, Tensor) else type(tensor).__name__
            raise BadAxes(tap=name, axes=" ".join(axes), shape=str(shape))
        if tensor.dim() == len(axes) and BATCH in axes:
            along = axes.index(BATCH)
            if tensor.shape[along] != 1:
                raise SeveralSentences(got=tensor.shape[along])
            tensor = tensor.select(along, 0)
        if not first:  # Further blocks of one call belong to it.
            name = self._free(name)
        self.axes[name] = tuple(axis for axis in axes if axis != BATCH)
        self.parts.setdefault(name, []).append(tensor.detach().clone())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """[batch 1, …] by tap name."""
        joined = {name: parts[0] if len(parts) == 1 else torch.cat(parts, dim=-2) for name, parts in self.parts.items()}
        return {name: tensor.float().cpu().numpy()[None] for name, tensor in joined.items()}

    def _free(self, name: str) -> str:
        home, _, stage = name.rpartition(".")
        call, free = 1, name
        while free in self.parts:
            call += 1
            free = f"{home}.call_{call}.{stage}" if home else f"call_{call}.{stage}"
        return free


@contextmanager
def _slow_path() -> Iterator[None]:
    """Inside the block, torch's encoder layers call their parts; their fast path is one kernel that hides them."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def _attention(name: str, seen: _Seen) -> Callable[..., None]:
    """The hook of an attention: it notes its weights and its output."""

    def note(attention: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> None:
        seen.note(f"{name}.weights", _MAP, _weights(attention, args, kwargs))
        first = getattr(attention, "batch_first", False)
        seen.note(f"{name}.output", (BATCH, "query", "feature") if first else ("query", BATCH, "feature"), result[0])

    return note


def _weights(attention: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Tensor:
    """[batch, head, query, key] the weights of a call, computed once more and before dropout."""
    call = inspect.signature(attention.forward).bind(*args, **kwargs)
    call.arguments |= {"need_weights": True, "average_attn_weights": False}
    learns, attention.training = attention.training, False  # In training, torch hands out the weights after dropout.
    try:
        weights: Tensor = attention.forward(*call.args, **call.kwargs)[1]
    finally:
        attention.training = learns
    return weights


def _output(path: str, axes: tuple[str, ...], seen: _Seen) -> Callable[..., None]:
    """The hook of a module that is asked for: it notes what the module computes, of several values the first."""

    def note(_module: nn.Module, _args: tuple[Any, ...], result: Any) -> None:
        seen.note(path or "output", axes, result[0] if isinstance(result, tuple) else result)

    return note


def _trace(module: nn.Module, seen: _Seen) -> Trace:
    """The Trace of what was seen. Our own model brings its Config; of any other, the card says what was there."""
    arrays, name = Arrays(seen.arrays()), type(module).__name__
    shapes = {tap: arrays.shape(tap) for tap in arrays}
    config = module.config if isinstance(module, Transformer) else None
    n_numbers = sum(parameter.numel() for parameter in module.parameters())
    card = card_of_seen(name, seen.axes, shapes, parameters=n_numbers) if config is None else card_of(config, name)
    return Trace(
        arrays=arrays,
        axis_names=seen.axes,
        tokens=Tokens(**numbered_tokens(seen.axes, shapes)),
        config=config,
        card=card,
        places=frozen_array(np.zeros((0, card.d_model))),
        preset=name,
    )


class _AttentionNames:
    """The names of attentions by their paths. Their taps are a name with a stage, such as ".weights".

    A name is made from the path as ours are, "encoder.layers.3.self_attn": the side is the one that the path or torch's
    own classes say, else the decoder for causal weights that a function computed, else the encoder; the layer is the path's
    first number; an attention that looks across is "cross_attn". So "blocks.3.attn" is "encoder.layers.3.self_attn". Where two
    would have one name, or an attention has another number of heads than the first of its side, it is named by its path alone.
    """

    def __init__(self, module: nn.Module) -> None:
        self._decoding = frozenset(path for path, each in module.named_modules() if isinstance(each, _DECODING))
        self._found: dict[str, str] = {}
        self._heads: dict[str, int] = {}

    def of(self, path: str, n_heads: int, *, causal: bool = False) -> str:
        """The name of the attention at a path; it stays the same."""
        if path not in self._found:
            name = _name(path, self._decoding, causal=causal)
            fits = name not in self._found.values() and self._heads.setdefault(name.partition(".")[0], n_heads) == n_heads
            self._found[path] = name if fits else path
        return self._found[path]


def _is_causal(weights: Tensor) -> bool:
    """Whether no query [batch, head, query, key] looks at a later key, of which there are some."""
    n_queries, n_keys = weights.shape[-2:]
    return n_queries == n_keys > 1 and not bool(weights.triu(1).any())


def _name(path: str, decoding: frozenset[str], *, causal: bool) -> str:
    if _ATTENTION.match(path):
        return path
    words = path.split(".")
    inside = any(home == "" or path.startswith(f"{home}.") for home in decoding)
    across = bool(_ACROSS.search(words[-1])) or (inside and words[-1] == "multihead_attn")
    told = next((side for word in words[:-1] for side in ("decoder", "encoder") if side in word.lower()), "")
    side = told or ("decoder" if inside or across or causal else "encoder")
    layer = next((word for word in words if word.isdecimal()), "0")
    kind = "cross_attn" if across and side == "decoder" else "self_attn"
    return f"{side}.layers.{int(layer)}.{kind}"
