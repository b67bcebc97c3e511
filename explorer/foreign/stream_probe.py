"""The residual streams of a model, found by one pass that is watched: no table says where a family keeps its parts.

What counts is numbers: a layer is followed if what it gives out is what it reads plus what some of its modules give out, and a
side if each layer reads what the one before gave out. A model of another kind has no StreamMap, and the taps of its attention
alone.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import attrs
import torch
from torch import Tensor, nn

from explorer.foreign.additions import FoundAddition, additions
from explorer.foreign.layer_parts import experts_router, inner_layers, is_matrix
from explorer.foreign.norms import is_norm, norm_weights
from explorer.foreign.stream_map import BlockPaths, Kind, LayerPaths, LogitReading, SidePaths, StreamMap
from explorer.foreign.thin import weight_of
from explorer.foreign.watching import Call, LayerCall, Watched

_CLOSE = 1e-4  # Logits that are read off the last stream may differ by this share of the largest.


@attrs.frozen(eq=False)
class FollowedLayer:
    """What was found in one call of a layer: whether its blocks run in parallel, have norms behind, and overwrite tensors.

    Each block stands with the time when it was added, and with the last row [feature] that the module of its output read.
    """

    blocks: tuple[tuple[BlockPaths, int, Tensor | None], ...]
    parallel: bool
    post: bool
    overwrites: bool


_Calls = Sequence[LayerCall[FollowedLayer | None]]


def followed(layer: Call, inside: Sequence[Call]) -> FollowedLayer | None:
    """The blocks of a layer in the order of computation; None where its output is no sum of its input and what they give."""
    found = additions(layer, inside)
    if not found:
        return None
    parallel = any(len(each.added) > 1 for each in found)
    post = [each.norm is not None for each in found]
    if any(post) != all(post) or (parallel and len(found) > 1):
        return None
    prefix = f"{layer.path}."
    blocks = [
        (*_block(each, call, inside, prefix), call.left)
        for each in found
        for call in sorted(each.added, key=lambda call: call.left)
    ]
    overwrites = not all(call.is_kept for call in inside)
    in_turn = tuple((block, left, read) for block, read, left in blocks)
    return FollowedLayer(in_turn, parallel, all(post), overwrites)


def _block(addition: FoundAddition, added: Call, inside: Sequence[Call], prefix: str) -> tuple[BlockPaths, Tensor | None]:
    """The block whose output is added, without its kind, and the last row that its module read."""
    same = [call for call in inside if _equal(call.made, added.made)]
    after = next((call for call in same if call.read is not None and is_norm(call.module, call.read, _made(call))), None)
    if after is not None:
        same = [call for call in inside if _equal(call.made, after.read)]
    # Behind a linear layer there may be a dropout, and around it the whole block: they give out the same.
    output = next((call for call in same if is_matrix(call.module)), None) or min(same, key=lambda call: call.entered)
    mine = _of_block(output, addition, inside, prefix)
    norm = addition.norm or _read_through(addition, output, mine, inside)
    parts = inner_layers(output, mine)
    block = BlockPaths(
        kind="feed_forward",
        output=output.path.removeprefix(prefix),
        norm="" if norm is None else norm.path.removeprefix(prefix),
        after="" if after is None else after.path.removeprefix(prefix),
        factor=addition.factor,
        is_matrix=is_matrix(output.module),
        hidden=parts.hidden.removeprefix(prefix),
        gate=parts.gate.removeprefix(prefix),
        gate_first=parts.gate_first,
        router=experts_router(mine).removeprefix(prefix),
    )
    return block, None if output.read is None else output.read[-1]


def _of_block(output: Call, addition: FoundAddition, inside: Sequence[Call], prefix: str) -> list[Call]:
    """The calls that belong to a block: those since its stream, of parallel blocks those under the same name in the layer."""
    mine = [call for call in inside if addition.since < call.left and call.entered <= output.left]
    if len(addition.added) == 1:
        return mine
    first = output.path.removeprefix(prefix).partition(".")[0]
    return [call for call in mine if call.path.removeprefix(prefix).partition(".")[0] == first]


def _read_through(addition: FoundAddition, output: Call, mine: Sequence[Call], inside: Sequence[Call]) -> Call | None:
    """The call of the norm through which a block reads the stream; None where it reads the stream itself.

    In a layer in which a family leaves the norm out, an identity stands in its place.
    """
    earlier = [call for call in inside if call.left <= output.left and _equal(call.read, addition.before)]
    norms = [call for call in earlier if call.made is not None and is_norm(call.module, _read(call), call.made)]
    nothing = [call for call in earlier if type(call.module) is nn.Identity]
    those = [each for each in (norms or nothing) if any(_equal(call.read, each.made) for call in mine if call is not each)]
    return max(those, key=lambda call: call.entered, default=None)


def stream_map(
    model: Any,
    watched: Watched[FollowedLayer | None],
    attentions: Mapping[str, nn.Module],
    joined: Mapping[nn.Module, Tensor | None],
    logits: Tensor,
) -> StreamMap | None:
    """The StreamMap of a model with these attentions by name, "decoder.layers.0.self_attn"; None where it has none.

    `joined` has of each attention the last row [head · feature] of what its heads mixed, where that was seen; `logits` are what
    the pass gave out.
    """
    sides: dict[str, SidePaths] = {}
    ends: list[Tensor] = []
    for name in dict.fromkeys(each.partition(".")[0] for each in attentions):
        calls = _layers_of(name, watched, attentions)
        layers = _layers(name, calls, watched.entered, attentions, joined)
        found = None if layers is None else _side(calls, layers, watched)
        if found is None:
            return None
        sides[name] = found[0]
        ends.append(found[1])
    last = next(reversed(sides.values()))
    return StreamMap(
        sides=sides,
        norm_kind="rms" if _subtracts_no_mean(model, last, ends[-1].shape[1]) else "layer",
        overwrites=any(each.found.overwrites for each in watched.layers if each.found is not None),
        reading=_reading(model, watched.outside, ends[-1], logits),
        rotary=any("rotary" in type(module).__name__.lower() for module in watched.entered),
    )


def _layers_of(side: str, watched: Watched[FollowedLayer | None], attentions: Mapping[str, nn.Module]) -> _Calls:
    """The calls of a side's layers: those of the list in which its first attention is."""
    entered = watched.entered[next(module for name, module in attentions.items() if name.startswith(f"{side}."))]
    lists = [each.layers for each in watched.layers if each.call.entered < entered < each.call.left]
    return [each for each in watched.layers if each.layers in lists]


def _layers(
    side: str,
    calls: _Calls,
    entered: Mapping[nn.Module, int],
    attentions: Mapping[str, nn.Module],
    joined: Mapping[nn.Module, Tensor | None],
) -> tuple[LayerPaths, ...] | None:
    """The layers of a side with the kinds of their blocks; None where one of them cannot be followed, or they do not join."""
    found = [each.found for each in calls if each.found is not None]
    in_order = [each.number for each in calls] == list(range(len(calls)))
    chained = all(_equal(one.call.made, other.call.read) for one, other in pairwise(calls))
    if not calls or not in_order or not chained or len(found) < len(calls) or len({(e.post, e.parallel) for e in found}) > 1:
        return None
    n_kinds = len({name.rpartition(".")[2] for name in attentions if name.startswith(f"{side}.")})
    layers: list[LayerPaths] = []
    for number, each in enumerate(found):
        at = f"{side}.layers.{number}"
        here = {kind: attentions[f"{at}.{kind}"] for kind in _ORDER if f"{at}.{kind}" in attentions}
        layer = _named(each, {kind: entered[module] for kind, module in here.items()}, n_kinds)
        if layer is None:
            return None
        layers.append(_with_gates(layer, each, {kind: joined.get(module) for kind, module in here.items()}))
    return tuple(layers)


def _with_gates(layer: LayerPaths, found: FollowedLayer, joined: Mapping[Kind, Tensor | None]) -> LayerPaths:
    """The layer whose attentions are gated where W_O reads anything else than what the heads have mixed."""
    reads = {block.output: read for block, _left, read in found.blocks}

    def one(block: BlockPaths) -> BlockPaths:
        mixed, read = joined.get(block.kind), reads[block.output]
        alike = mixed is None or (read is not None and read.shape == mixed.shape and torch.allclose(read, mixed, rtol=1e-4))
        return block if alike else attrs.evolve(block, gated=True)

    return attrs.evolve(layer, blocks=tuple(map(one, layer.blocks)))


_ORDER: tuple[Kind, ...] = ("self_attn", "other", "cross_attn", "feed_forward")


def _named(found: FollowedLayer, attentions: Mapping[Kind, int], n_kinds: int) -> LayerPaths | None:
    """A layer whose blocks have kinds: an attention's is the first one that is added after the attention was entered.

    In a layer without attention, the first block stands in its place. Each layer has one feed-forward network.
    """
    left = list(range(len(found.blocks)))
    kinds: dict[int, Kind] = {}
    for kind, entered in sorted(attentions.items(), key=lambda each: each[1]):
        place = next((n for n in left if found.blocks[n][1] > entered), None)
        if place is None:
            return None
        kinds[place] = kind
        left.remove(place)
    if not attentions and len(left) == 2:
        kinds[left.pop(0)] = "other"
    if len(left) != 1 or (attentions and len(kinds) != n_kinds):
        return None
    kinds[left[0]] = "feed_forward"
    order = sorted(kinds, key=lambda place: _ORDER.index(kinds[place]))
    if not found.parallel and order != sorted(order):
        return None  # The taps of a layer are named for another order.
    blocks = tuple(_of_kind(found.blocks[place][0], kinds[place]) for place in order)
    return LayerPaths(blocks=blocks, parallel=found.parallel, last=order.index(max(order)))


def _of_kind(block: BlockPaths, kind: Kind) -> BlockPaths:
    if kind == "feed_forward":
        return attrs.evolve(block, kind=kind)
    return attrs.evolve(block, kind=kind, hidden="", gate="", router="")


def _side(
    calls: _Calls, layers: tuple[LayerPaths, ...], watched: Watched[FollowedLayer | None]
) -> tuple[SidePaths, Tensor] | None:
    """A side, and what it gives out; None where its table of tokens is not found, or its stream has other rows than tokens."""
    first, last = calls[0].call, calls[-1].call
    begun = max((each.call.left for each in watched.layers if each.call.left < first.entered), default=0)
    before = [call for call in watched.outside if begun < call.entered and call.left < first.entered]
    tables = [call for call in before if _looks_up(call)]
    tokens = max(tables, key=lambda call: _n_rows(call.module), default=None)
    if tokens is None or len(_made(tokens)) != len(_read(first)):  # ProphetNet's decoder has several rows for each token.
        return None
    others = [
        call for call in tables if call is not tokens and call.made is not None and _read_shape(call) == _read_shape(tokens)
    ]
    alike = [call for call in others if _is_one_row(_made(call))]
    positions = next((call for call in others if call not in alike), None)
    norms = [call for call in before if call.entered > tokens.entered and _is_norm_call(call)]
    final = next(
        (call for call in watched.outside if call.entered > last.left and _equal(call.read, last.made) and _is_norm_call(call)),
        None,
    )
    side = SidePaths(
        layers=calls[0].layers,
        each=layers,
        tokens=tokens.path,
        positions="" if positions is None else positions.path,
        first_position=0 if positions is None else _first_row(positions),
        segments=alike[0].path if alike else "",
        embedding_norm=norms[-1].path if norms else "",
        final_norm="" if final is None else final.path,
        post=calls[0].found is not None and calls[0].found.post,
    )
    return side, _made(last if final is None else final)


def _looks_up(call: Call) -> bool:
    """Whether a module is a table that is asked for rows: of some families it makes the waves of positions itself."""
    plain = isinstance(call.module, nn.Embedding) or isinstance(getattr(call.module, "weights", None), Tensor)
    return plain and call.made is not None


def _n_rows(table: nn.Module) -> int:
    return int(getattr(table, "num_embeddings", 0))


def _read_shape(call: Call) -> torch.Size:
    return _made(call).shape[-1:]


def _first_row(positions: Call) -> int:
    """The row of a table of positions that it gave out first; 0 where it did not give out the rows that it was asked for."""
    rows, table = None if positions.ids is None else positions.ids.flatten(), positions.module
    if rows is None or len(rows) < 2 or not isinstance(table, nn.Embedding) or not bool((rows.diff() == 1).all()):
        return 0
    # Some families ask with the ids of the tokens, which count for nothing but how many there are.
    return int(rows[0]) if _equal(positions.made, nn.functional.embedding(rows, weight_of(table).cpu())) else 0


def _is_one_row(made: Tensor) -> bool:
    """Whether all rows are the same, as those of a table that tells one text from another."""
    return len(made) > 1 and bool((made == made[0]).all())


def _is_norm_call(call: Call) -> bool:
    return call.read is not None and call.made is not None and is_norm(call.module, call.read, call.made)


def _subtracts_no_mean(model: nn.Module, side: SidePaths, width: int) -> bool:
    layer = model.get_submodule(side.layers)[0]  # type: ignore[index]  # a list
    paths = [path for block in side.each[0].blocks for path in (block.norm, block.after) if path]
    norms = [layer.get_submodule(path) for path in paths]
    first = next((norm for norm in norms if type(norm) is not nn.Identity), None)
    return first is not None and not norm_weights(first, width).centred


def _reading(model: Any, outside: Sequence[Call], end: Tensor, logits: Tensor) -> LogitReading | None:
    """How the last stream [row, feature] became the logits; None where it is not known."""
    head = model.get_output_embeddings()
    call = next((each for each in reversed(outside) if head is not None and each.module is head), None)
    if call is None or call.read is None or call.made is None or call.read.shape != end.shape:
        return None
    said = logits.reshape(-1, logits.shape[-1]) if logits.dim() == 3 else logits
    made = call.made
    if said.shape != made.shape:
        return None
    before = _times(call.read, end)
    added = getattr(model, "final_logits_bias", None)
    cap = getattr(model.config.get_text_config(), "final_logit_softcapping", None)
    if cap:
        behind = _times(said, torch.tanh(made / cap) * cap)
        return None if before is None or behind != 1.0 else LogitReading(before=before, cap=float(cap))
    behind = _times(said, made if added is None else made + added)
    return None if before is None or behind is None else LogitReading(before=before, behind=behind)


def _times(one: Tensor, other: Tensor) -> float | None:
    """c of one = c·other; None where it is anything else."""
    a, b = one.double(), other.double()
    c = float((a * b).sum() / (b * b).sum().clamp(min=1e-300))
    for factor in (1.0, c):
        if bool(((a - factor * b).abs() <= _CLOSE * a.abs().max()).all()):
            return factor
    return None


def _equal(one: Tensor | None, other: Tensor | None) -> bool:
    return one is not None and other is not None and one.shape == other.shape and torch.equal(one, other)


def _made(call: Call) -> Tensor:
    assert call.made is not None
    return call.made


def _read(call: Call) -> Tensor:
    assert call.read is not None
    return call.read
