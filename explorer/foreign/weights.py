"""The weights of a foreign model that write to its residual streams and read from them.

They are copies, made once for each state of a weight, because an adapter may be put on later. Weights too large for a second
copy are shown in the model's own memory: an adapter then shows up in an older attribution as a remainder. Lent weights are read
anew.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from explorer.foreign.experts import router_of
from explorer.foreign.families import SidePaths
from explorer.foreign.model import Foreign
from explorer.foreign.parts import norm_of
from explorer.foreign.thin import check_room, plainly, weight_of
from explorer.trace.arrays import Array
from explorer.trace.found.projections import AttentionWeights, Made
from explorer.trace.found.weights import WHICH, Circuits, Matrix, NormWeights, OutputWeights, ReadingWeights, Turn

_READERS = (("q_proj", "k_proj", "v_proj"), ("query", "key", "value"), ("q", "k", "v"), ("q_lin", "k_lin", "v_lin"))
_TOGETHER = "c_attn"  # One matrix for Q, K and V.
_BY_HEAD = "query_key_value"  # One matrix, with the three of one head after those of another.
_HEAD_NORMS: Mapping[Made, str] = {"query": "q_norm", "key": "k_norm"}
_MOST_COPIED = 2**26  # numbers of one weight
_copied: MutableMapping[Tensor, tuple[int, Array]] = WeakTensorKeyDictionary()
"""By weight the copy of its numbers, and the state that was copied."""
_Written = tuple[dict[str, Matrix], dict[str, Matrix], dict[str, NormWeights]]


def output_weights(foreign: Foreign) -> OutputWeights:
    """The output weights of the decoder's heads and networks. Raises NotEnoughMemory."""
    check_room(foreign.model)
    return OutputWeights(*_written(foreign, "decoder"), _generator(foreign), scale=_scale(foreign), cap=_cap(foreign) or 0.0)


def reading_weights(foreign: Foreign, n: int) -> ReadingWeights:
    """The weights with which attentions read the residual streams of all sides, and those that write to them, for `n` tokens.

    A matrix that is not found is left out. Raises NotEnoughMemory.
    """
    check_room(foreign.model)
    found: dict[str, dict[str, Matrix]] = {"query": {}, "key": {}, "value": {}}
    head_norms: dict[str, NormWeights] = {}
    for block, module in foreign.attentions.items():
        for part, matrix in _read_by(module):
            found[part][block] = matrix
        head_norms |= {f"{block}.{part}": norm for part, norm in _head_norms(module)}
    written = [_written(foreign, side) for side in foreign.rows]
    return ReadingWeights(
        queries=found["query"],
        keys=found["key"],
        values=found["value"],
        projections={name: each for side in written for name, each in side[0].items()},
        networks={name: each for side in written for name, each in side[1].items()},
        norms={name: each for side in written for name, each in side[2].items()},
        turns=_turns(foreign, n),
        head_norms=head_norms,
    )


def attention_weights(foreign: Foreign, block: str, n: int) -> AttentionWeights:
    """The weights of one attention, for `n` tokens. A matrix that is not found is left out. Raises NotEnoughMemory."""
    check_room(foreign.model)
    module = foreign.attentions.get(block)
    if module is None or block.split(".")[0] not in foreign.rows:
        return AttentionWeights(block, {})
    found = dict(_read_by(module)) | {"output": _matrix(_projection(foreign, block))}
    return AttentionWeights(block, found, dict(_head_norms(module)), _turns(foreign, n).get(block))


def attention_circuits(foreign: Foreign, block: str, n_heads: int) -> Circuits:
    """The four matrices of an attention that has `circuit_shapes`. Raises BadWeights."""
    read = dict(_read_by(foreign.attentions[block]))
    return Circuits(read["query"], read["key"], read["value"], _matrix(_projection(foreign, block)), n_heads)


def circuit_shapes(foreign: Foreign) -> dict[str, dict[str, tuple[int, int]]]:
    """By attention the shapes of its heads' circuits; of one whose matrices are not known, none.

    Where each head's queries or keys are normalized, their scores are no product of two weights, and there is no QK circuit.
    """
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for block, module in foreign.attentions.items():
        names, parts = _readers(module), dict(module.named_children())
        if not names or block.split(".")[0] not in foreign.rows:
            continue
        reads = [_widths(parts[name])[1] for name in names]
        found[block] = {"ov_circuit": (reads[2], _widths(_projection(foreign, block))[0])}
        if not set(_HEAD_NORMS.values()) & parts.keys():
            found[block] = {"qk_circuit": (reads[0], reads[1]), **found[block]}
    return found


def _projection(foreign: Foreign, block: str) -> nn.Module:
    """The layer of an attention's W_O."""
    side, _, number, kind = block.split(".")
    row = foreign.rows[side]
    layer: nn.Module = _layers(foreign, row)[int(number)]
    return layer.get_submodule(dict(row.sublayers)[kind].output)


def _readers(attention: nn.Module) -> tuple[str, ...]:
    """The names of the layers that make Q, K and V, which may be the same one; () where they are not known."""
    parts = dict(attention.named_children())
    if _TOGETHER in parts:
        return (_TOGETHER,) * 3
    if _BY_HEAD in parts:
        return (_BY_HEAD,) * 3 if isinstance(getattr(attention, "head_size", None), int) else ()
    return next((each for each in _READERS if set(each) <= parts.keys()), ())


def _widths(linear: nn.Module) -> tuple[int, int]:
    """How many features a linear layer makes, and of how many; GPT-2 stores its matrix transposed."""
    shape = linear._parameters["weight"].shape  # type: ignore[union-attr]  # It has one.
    return (shape[0], shape[1]) if isinstance(linear, nn.Linear) else (shape[1], shape[0])


def stream_readings(foreign: Foreign) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    """The taps of the decoder's residual stream, each with the weights that turn it into logits [position, vocab].

    Pre-norm: through the final norm. Post-norm: through the norm of that very addition; the input has none.
    """
    row = foreign.rows["decoder"]
    final = None if row.post or not row.final_norm else foreign.model.base_model.get_submodule(row.final_norm)
    yield "decoder.embedding.output", _reading(foreign, final)
    for number, layer in enumerate(_layers(foreign, row)):
        for count, (_kind, sublayer) in enumerate(row.sublayers, start=1):
            if not row.parallel or count == len(row.sublayers):  # Parallel sublayers are added at once.
                norm = norm_of(layer, sublayer) if row.post else final
                yield f"decoder.layers.{number}.residual{count}", _reading(foreign, norm)


def _reading(foreign: Foreign, norm: nn.Module | None) -> Callable[[Tensor], Tensor]:
    head, scale = foreign.model.get_output_embeddings(), _scale(foreign)
    added, cap = _added(foreign), _cap(foreign)

    def read(stream: Tensor) -> Tensor:
        x = stream[None].to(head.weight)  # [batch 1, position, feature]
        x = x if norm is None else plainly(norm, x)
        logits = plainly(head, x * scale) + added
        return (logits if cap is None else torch.tanh(logits / cap) * cap)[0].float()

    return read


def _cap(foreign: Foreign) -> float | None:
    """The softcap of the logits, or None."""
    cap: float | None = getattr(foreign.model.config.get_text_config(), "final_logit_softcapping", None)
    return cap


def _written(foreign: Foreign, side: str) -> _Written:
    """The weights with which a side's blocks write to its residual stream: projections, networks and norms."""
    row, base = foreign.rows[side], foreign.model.base_model
    projections: dict[str, Matrix] = {}
    networks: dict[str, Matrix] = {}
    norms: dict[str, NormWeights] = {}
    for number, layer in enumerate(_layers(foreign, row)):
        for count, (kind, sublayer) in enumerate(row.sublayers, start=1):
            to = networks if kind == "feed_forward" else projections
            if kind != "feed_forward" or router_of(layer, row) is None:  # There is no single matrix for several experts.
                to[f"{side}.layers.{number}.{kind}"] = _matrix(layer.get_submodule(sublayer.output))
            norms[f"{side}.layers.{number}.residual{count}"] = norm_weights(norm_of(layer, sublayer))
            if sublayer.after:
                norms[f"{side}.layers.{number}.{kind}.normed"] = norm_weights(layer.get_submodule(sublayer.after))
    for tap, path in ((f"{side}.norm", row.final_norm), (f"{side}.embedding.output", row.embedding_norm)):
        if path:
            norms[tap] = norm_weights(base.get_submodule(path))
    return projections, networks, norms


def _layers(foreign: Foreign, row: SidePaths) -> Any:
    return foreign.model.base_model.get_submodule(row.layers)


def norm_weights(norm: nn.Module) -> NormWeights:
    """One norm: LayerNorm, or one that subtracts no mean (Zhang and Sennrich 2019, RMSNorm)."""
    if isinstance(norm, nn.LayerNorm):
        return NormWeights(_array(norm.weight), _array(_or_zeros(norm.bias, norm.weight)), float(norm.eps), False)
    eps = float(getattr(norm, "variance_epsilon", getattr(norm, "eps", 0.0)))
    # Some families keep γ and others γ - 1: of ones, each norm makes γ/√(1 + eps).
    with torch.inference_mode():
        weight = plainly(norm, torch.ones_like(norm.weight)) * (1 + eps) ** 0.5  # type: ignore[arg-type]  # a parameter
    return NormWeights(_array(weight), np.zeros(len(weight), np.float32), eps, False, centred=False)


def _or_zeros(bias: Tensor | None, like: Tensor) -> Tensor:
    return torch.zeros_like(like) if bias is None else bias


def _generator(foreign: Foreign) -> Matrix:
    head = foreign.model.get_output_embeddings()
    bias = _added(foreign) if head.bias is None else weight_of(head, "bias") + _added(foreign)
    none = head.bias is None and not isinstance(bias, Tensor)
    return Matrix(_array(weight_of(head)), None if none else _array(bias))


def _added(foreign: Foreign) -> Any:
    """[vocab] the bias that some families add to the logits; 0 where there is none."""
    found = getattr(foreign.model, "final_logits_bias", None)
    return 0 if found is None else found[0]


def _scale(foreign: Foreign) -> float:
    """The factor of the decoder's output before the output layer: T5 divides by √d_model."""
    config = foreign.model.config
    return float(config.d_model**-0.5) if getattr(config, "scale_decoder_outputs", False) else 1.0


def _read_by(attention: nn.Module) -> Iterator[tuple[Made, Matrix]]:
    """W_Q, W_K and W_V of an attention, each with the name of what it makes."""
    parts = dict(attention.named_children())
    if _TOGETHER in parts:
        both = _matrix(parts[_TOGETHER])
        biases = (None,) * 3 if both.bias is None else np.split(both.bias, 3)
        for part, weight, bias in zip(WHICH, np.split(both.weight, 3), biases, strict=True):
            yield part, Matrix(weight, bias)
        return
    if _BY_HEAD in parts:
        both, width = _matrix(parts[_BY_HEAD]), int(attention.head_size)  # type: ignore[arg-type]  # a number
        rows = both.weight.reshape(-1, 3, width, both.weight.shape[1])  # [head, part, feature, read]
        biased = None if both.bias is None else both.bias.reshape(-1, 3, width)
        for number, part in enumerate(WHICH):
            bias = None if biased is None else biased[:, number].reshape(-1)
            yield part, Matrix(rows[:, number].reshape(-1, rows.shape[-1]), bias)
        return
    names = next((each for each in _READERS if set(each) <= parts.keys()), ())
    for part, name in zip(WHICH, names, strict=False):
        yield part, _matrix(parts[name])


def _head_norms(attention: nn.Module) -> Iterator[tuple[Made, NormWeights]]:
    """The norms that each head's Q and K go through, with the name of what they make."""
    for part, name in _HEAD_NORMS.items():
        if isinstance(getattr(attention, name, None), nn.Module):
            yield part, norm_weights(attention.get_submodule(name))


def _matrix(linear: nn.Module) -> Matrix:
    """The weights of a linear layer; GPT-2 stores its matrix transposed."""
    weight, bias = weight_of(linear), None if linear.bias is None else weight_of(linear, "bias")
    array = _array(weight)
    return Matrix(array if isinstance(linear, nn.Linear) else array.T, None if bias is None else _array(bias))


def _turns(foreign: Foreign, n: int) -> dict[str, Turn]:
    """The rotary angles of the queries and keys of `n` tokens, by self-attention."""
    made = {}
    paired = foreign.known is not None and foreign.known.turns_pairs
    for side in foreign.rows:
        base = foreign.model.base_model
        rotary = getattr(base, "rotary_emb", None)
        if rotary is None:
            continue
        with torch.inference_mode():
            found = rotary(torch.zeros(1, n, 1), position_ids=torch.arange(n)[None])  # each [batch 1, position, feature]
        cos, sin = (each[0].repeat_interleave(2, dim=-1) for each in reversed(found)) if paired else (each[0] for each in found)
        turn = Turn(_array(cos), _array(sin), paired=paired)
        for block, module in foreign.attentions.items():
            if block.startswith(f"{side}.") and block.endswith(".self_attn") and getattr(module, "use_rope", True):
                made[block] = turn
    return made


def _array(tensor: Any) -> Array:
    """The numbers of a tensor as a read-only array."""
    weight = isinstance(tensor, nn.Parameter)
    known = _copied.get(tensor) if weight else None
    if known is not None and known[0] == tensor._version:
        return known[1]
    array: Array = tensor.detach().float().cpu().numpy().view()
    if weight and tensor.numel() <= _MOST_COPIED:
        array = array.copy()
        _copied[tensor] = tensor._version, array
    array.setflags(write=False)
    return array
