"""The weights of a foreign model that write to its residual streams and read from them.

They are copies, made once for each state of a weight, because an adapter may be put on later. Weights too large for a second
copy are shown in the model's own memory: an adapter then shows up in an older attribution as a remainder. Lent weights are read
anew.
"""

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any

import attrs
import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from explorer.foreign.model import Foreign
from explorer.foreign.norms import norm_weights
from explorer.foreign.stream_map import BlockPaths, LogitReading
from explorer.foreign.thin import check_room, plainly, weight_of
from explorer.trace.arrays import Array
from explorer.trace.found.projections import AttentionWeights, Made
from explorer.trace.found.weights import WHICH, Circuits, Matrix, NormWeights, OutputWeights, ReadingWeights, Turn

_READERS = (("q_proj", "k_proj", "v_proj"), ("query", "key", "value"), ("q", "k", "v"), ("Wqkv",) * 3)
"""What the layers are called where a pass shows none of Q, K and V; rows of one for the three come in this order."""
_MOST_COPIED = 2**26  # numbers of one weight
_copied: MutableMapping[Tensor, tuple[int, Array]] = WeakTensorKeyDictionary()
"""By weight the copy of its numbers, and the state that was copied."""
_Written = tuple[dict[str, Matrix], dict[str, Matrix], dict[str, NormWeights]]


def output_weights(foreign: Foreign) -> OutputWeights:
    """The output weights of the decoder's heads and networks. Raises NotEnoughMemory."""
    check_room(foreign.model)
    reading = _reading(foreign)
    projections, networks, norms = _written(foreign, "decoder")
    scale = reading.before * reading.behind
    return OutputWeights(projections, networks, norms, _generator(foreign), scale=scale, cap=reading.cap)


def reading_weights(foreign: Foreign, n: int) -> ReadingWeights:
    """The weights with which attentions read the residual streams of all sides, and those that write to them, for `n` tokens.

    A matrix that is not found is left out. Raises NotEnoughMemory.
    """
    check_room(foreign.model)
    found: dict[str, dict[str, Matrix]] = {"query": {}, "key": {}, "value": {}}
    head_norms: dict[str, NormWeights] = {}
    for block in foreign.attentions:
        for part, matrix in _read_by(foreign, block):
            found[part][block] = matrix
        head_norms |= {f"{block}.{part}": norm for part, norm in _head_norms(foreign, block)}
    written = [_written(foreign, side) for side in foreign.sides]
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
    known = foreign.block(block) if block in foreign.attentions else None
    if known is None:
        return AttentionWeights(block, {})
    found = dict(_read_by(foreign, block))
    if known.is_matrix:
        found["output"] = _projected(foreign, block)
    known_rows = foreign.rows.get(block, {})
    lacking: dict[Made, str] = {made: "absent.made_in_steps" for made in WHICH if made in known_rows and made not in found}
    return AttentionWeights(block, found, dict(_head_norms(foreign, block)), _turns(foreign, n).get(block), lacking)


def attention_circuits(foreign: Foreign, block: str, n_heads: int) -> Circuits:
    """The four matrices of an attention that has `circuit_shapes`. Raises BadWeights."""
    read = dict(_read_by(foreign, block))
    return Circuits(read["query"], read["key"], read["value"], _projected(foreign, block), n_heads)


def circuit_shapes(foreign: Foreign) -> dict[str, dict[str, tuple[int, int]]]:
    """By attention the shapes of its heads' circuits; of one whose matrices are not known, none.

    Where each head's queries or keys are normalized, their scores are no product of two weights, and there is no QK circuit;
    where something else stands in front of W_O, there is none of OV.
    """
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for block in foreign.attentions:
        layers, known = {part: linear for part, linear, _rows in _readers(foreign, block)}, foreign.block(block)
        if len(layers) < len(WHICH) or known is None or not known.is_matrix:
            continue
        reads = [_widths(layers[part])[1] for part in WHICH]
        found[block] = {} if known.gated else {"ov_circuit": (reads[2], _widths(_projection(foreign, block))[0])}
        if not any(rows.norm for rows in foreign.rows.get(block, {}).values()):
            found[block] = {"qk_circuit": (reads[0], reads[1]), **found[block]}
    return found


def _projection(foreign: Foreign, block: str) -> nn.Module:
    """The layer of an attention's W_O."""
    found = foreign.block(block)
    assert found is not None  # Callers have asked.
    return foreign.layers()[block.rpartition(".")[0]].get_submodule(found.output)


def _projected(foreign: Foreign, block: str) -> Matrix:
    """W_O of an attention, times the factor with which it is added."""
    found = foreign.block(block)
    assert found is not None  # Callers have asked.
    return _times(_matrix(_projection(foreign, block)), found.factor)


def _times(matrix: Matrix, factor: float) -> Matrix:
    if factor == 1:
        return matrix
    return Matrix(matrix.weight * np.float32(factor), None if matrix.bias is None else matrix.bias * np.float32(factor))


def _readers(foreign: Foreign, block: str) -> Iterator[tuple[Made, nn.Module, Sequence[int]]]:
    """What makes Q, K and V of an attention, those that are known: of each a layer that reads the stream, and its rows."""
    known, rows = foreign.block(block), foreign.rows.get(block, {})
    if known is None:
        return
    width = _width(foreign)
    for part in WHICH:
        if part in rows:
            linear = foreign.model.get_submodule(rows[part].path)
            if _widths(linear)[1] == width:
                yield part, linear, [row for start in rows[part].starts for row in range(start, start + rows[part].width)]
    if foreign.by_softmax and known.is_matrix:
        yield from _named_readers(foreign, block)


def _named_readers(foreign: Foreign, block: str) -> Iterator[tuple[Made, nn.Module, Sequence[int]]]:
    """The same by their names. Q has as many features as W_O reads."""
    parts = dict(foreign.attentions[block].named_children())
    names = next((each for each in _READERS if set(each) <= parts.keys()), None)
    if names is None:
        return
    n_read, n_rows = _widths(_projection(foreign, block))[1], _widths(parts[names[0]])[0]
    together = len(set(names)) == 1
    if together or n_rows == n_read:
        ends = (0, n_read, n_read + (n_rows - n_read) // 2, n_rows)
        for number, (part, name) in enumerate(zip(WHICH, names, strict=True)):
            own = range(*ends[number : number + 2]) if together else range(_widths(parts[name])[0])
            yield part, parts[name], own


def _widths(linear: nn.Module) -> tuple[int, int]:
    """How many features a linear layer makes, and of how many; GPT-2 stores its matrix transposed."""
    shape = linear._parameters["weight"].shape  # type: ignore[union-attr]  # It has one.
    return (shape[0], shape[1]) if isinstance(linear, nn.Linear) else (shape[1], shape[0])


def stream_readings(foreign: Foreign) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    """The taps of the decoder's residual stream, each with the weights that turn it into logits [position, vocab].

    Pre-norm: through the final norm. Post-norm: through the norm of that very addition; the input has none.
    """
    side = foreign.sides["decoder"]
    final = None if side.post or not side.final_norm else foreign.model.get_submodule(side.final_norm)
    yield "decoder.embedding.output", _read_through(foreign, final)
    for (at, module), layer in zip(_layers(foreign, "decoder"), side.each, strict=True):
        for count, block in enumerate(layer.blocks, start=1):
            if not layer.parallel or count == len(layer.blocks):  # Parallel blocks are added at once.
                norm = module.get_submodule(block.norm) if side.post else final
                yield f"{at}.residual{count}", _read_through(foreign, norm)


def _read_through(foreign: Foreign, norm: nn.Module | None) -> Callable[[Tensor], Tensor]:
    head, reading, added = foreign.model.get_output_embeddings(), _reading(foreign), _added(foreign)

    def read(stream: Tensor) -> Tensor:
        x = stream[None].to(head.weight)  # [batch 1, position, feature]
        x = x if norm is None else plainly(norm, x)
        logits = (plainly(head, x * reading.before) + added) * reading.behind
        return (torch.tanh(logits / reading.cap) * reading.cap if reading.cap else logits)[0].float()

    return read


def _reading(foreign: Foreign) -> LogitReading:
    """How the logits are read off the last stream; as usual where that is not known, which its user finds by the numbers."""
    found = None if foreign.streams is None else foreign.streams.reading
    return LogitReading() if found is None else found


def _written(foreign: Foreign, side: str) -> _Written:
    """The weights with which a side's blocks write to its residual stream: projections, networks and norms."""
    known, model, width = foreign.sides[side], foreign.model, _width(foreign)
    projections: dict[str, Matrix] = {}
    networks: dict[str, Matrix] = {}
    norms: dict[str, NormWeights] = {}
    for (at, module), layer in zip(_layers(foreign, side), known.each, strict=True):
        for count, block in enumerate(layer.blocks, start=1):
            output = module.get_submodule(block.output)
            if block.is_matrix and block.kind != "other":  # There is no single matrix for several experts.
                to = networks if block.kind == "feed_forward" else projections
                to[f"{at}.{block.kind}"] = _times(_matrix(output), 1.0 if block.after else block.factor)
            norms |= _norms_of(module, block, at, count, width)
    for tap, path in ((f"{side}.norm", known.final_norm), (f"{side}.embedding.output", known.embedding_norm)):
        if path:
            norms[tap] = norm_weights(model.get_submodule(path), width)
    return projections, networks, norms


def _width(foreign: Foreign) -> int:
    """The number of features of the residual streams."""
    return int(foreign.model.config.get_text_config().hidden_size)


def _scaled(norm: NormWeights, factor: float) -> NormWeights:
    return norm if factor == 1 else attrs.evolve(norm, weight=norm.weight * factor, bias=norm.bias * factor)


def _norms_of(module: nn.Module, block: BlockPaths, at: str, count: int, width: int) -> Iterator[tuple[str, NormWeights]]:
    """The norms of a block by the names that `StreamWeights` has for them."""
    norm = module.get_submodule(block.norm) if block.norm else nn.Identity()
    if type(norm) is not nn.Identity:
        yield f"{at}.residual{count}", norm_weights(norm, width)
    if block.after:
        found = norm_weights(module.get_submodule(block.after), width)
        yield f"{at}.{block.kind}.normed", _scaled(found, block.factor)


def _layers(foreign: Foreign, side: str) -> Iterator[tuple[str, nn.Module]]:
    return ((name, layer) for name, layer in foreign.layers().items() if name.startswith(f"{side}."))


def _generator(foreign: Foreign) -> Matrix:
    head, behind = foreign.model.get_output_embeddings(), _reading(foreign).behind
    bias = _added(foreign) if head.bias is None else weight_of(head, "bias") + _added(foreign)
    none = head.bias is None and not isinstance(bias, Tensor)
    return Matrix(_array(weight_of(head)), None if none else _array(bias * behind))


def _added(foreign: Foreign) -> Any:
    """[vocab] the bias that some families add to the logits; 0 where there is none."""
    found = getattr(foreign.model, "final_logits_bias", None)
    return 0 if found is None else found[0]


def _read_by(foreign: Foreign, block: str) -> Iterator[tuple[Made, Matrix]]:
    """W_Q, W_K and W_V of an attention, each with the name of what it makes."""
    for part, linear, rows in _readers(foreign, block):
        whole = _matrix(linear)
        first, end = rows[0], rows[0] + len(rows)
        which = slice(first, end) if list(rows) == list(range(first, end)) else np.array(rows)
        yield part, Matrix(whole.weight[which], None if whole.bias is None else whole.bias[which])


def _head_norms(foreign: Foreign, block: str) -> Iterator[tuple[Made, NormWeights]]:
    """The norms that Q and K go through, with the name of what they make."""
    for part, rows in foreign.rows.get(block, {}).items():
        norm = foreign.model.get_submodule(rows.norm) if rows.norm else None
        if norm is not None and all(own.dim() == 1 for own in norm.parameters()):
            yield part, norm_weights(norm, 1)  # type: ignore[misc]  # "query" or "key"


def _matrix(linear: nn.Module) -> Matrix:
    """The weights of a linear layer; GPT-2 stores its matrix transposed."""
    weight, bias = weight_of(linear), None if linear.bias is None else weight_of(linear, "bias")
    array = _array(weight)
    return Matrix(array if isinstance(linear, nn.Linear) else array.T, None if bias is None else _array(bias))


def _turns(foreign: Foreign, n: int) -> dict[str, Turn]:
    """The rotary angles of the queries and keys of `n` tokens, by self-attention: the first of those that are possible."""
    turns = possible_turns(foreign, n)
    return {
        block: turns[0]
        for block, module in foreign.attentions.items()
        if turns and block.endswith(".self_attn") and getattr(module, "use_rope", True)
    }


def possible_turns(foreign: Foreign, n: int) -> tuple[Turn, ...]:
    """The ways in which the positions of `n` tokens may turn features, which the numbers of a pass tell apart.

    A module gives out cosines and sines, or both as complex numbers. Neighbouring features may be turned together, or those of
    two halves, and some families have other angles in some of their layers.
    """
    rotary = next((module for path, module in foreign.model.named_modules() if _turns_all_layers(path)), None)
    if rotary is None:
        return ()
    kinds = tuple(dict.fromkeys(getattr(foreign.model.config.get_text_config(), "layer_types", None) or ()))
    turns: list[Turn] = []
    for given in ({}, *({"layer_type": kind} for kind in kinds)):
        try:
            with torch.inference_mode():
                found = rotary(torch.zeros(1, n, 1), position_ids=torch.arange(n)[None], **given)
        except (TypeError, AttributeError):  # It wants, or knows, no kinds of layers.
            continue
        if isinstance(found, tuple) and len(found) == 2:
            turns += _in_order(*(each[0].float() for each in found))  # each [position, feature]
        elif isinstance(found, Tensor) and found.is_complex():
            turns.append(_of_last(found[0], foreign))
    return tuple(turns)


def _turns_all_layers(path: str) -> bool:
    return path.rpartition(".")[2] in ("rotary_emb", "rotary_embedding", "pos_emb") and not any(
        part.isdecimal() for part in path.split(".")
    )


def _of_last(turns: Tensor, foreign: Foreign) -> Turn:
    """The Turn of complex numbers [position, pair]: of a head's features the last ones are turned, in pairs of neighbours."""
    widths = [rows["query"].width for rows in foreign.rows.values() if "query" in rows]
    stays = max(widths, default=0) // 2 - turns.shape[1]  # pairs in front, as of DeepSeek V2
    whole = nn.functional.pad(torch.view_as_real(turns), (0, 0, max(stays, 0), 0))  # [position, pair, cosine and sine]
    whole[:, : max(stays, 0), 0] = 1
    cos, sin = whole.repeat_interleave(2, dim=1).float().unbind(dim=-1)
    return Turn(_array(cos), _array(sin), paired=True)


def _in_order(one: Tensor, other: Tensor) -> Iterator[Turn]:
    """The Turns of cosines and sines [position, feature] in any order: at position 0, a cosine is 1."""
    cos, sin = (one, other) if float(one[0].sum()) > float(other[0].sum()) else (other, one)
    half = cos.shape[1] // 2
    if torch.equal(cos[:, ::2], cos[:, 1::2]) and len(cos) > 1:  # Each angle stands for two neighbours,
        yield Turn(_array(cos), _array(sin), paired=True)
        return
    if torch.equal(cos[:, :half], cos[:, half:]):  # or for one feature of either half,
        cos, sin = cos[:, :half], sin[:, :half]
    # or it does not say for which.
    yield Turn(_array(torch.cat([cos, cos], dim=-1)), _array(torch.cat([sin, sin], dim=-1)))
    yield Turn(_array(cos.repeat_interleave(2, dim=-1)), _array(sin.repeat_interleave(2, dim=-1)), paired=True)


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
