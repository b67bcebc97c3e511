"""What leads to the logits: the weights with which a logit, or a number of Q, K or V, is taken apart; and the logit lens.

The lens applies the final norm and the generator to the stream after each addition of the decoder (nostalgebraist 2020,
"interpreting GPT: the logit lens"). It is exact for the last layer, and a heuristic before: no layer was trained to be read so.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby

import numpy as np
import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.engine.experiments.bench import fetched
from explorer.model.attention import Attention
from explorer.model.layers import Sublayer
from explorer.model.norm import TUTORIAL_EPS, StdEpsNorm
from explorer.model.transformer import Stack, Transformer
from explorer.stops import Stop, Superseded
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.lens import Lens
from explorer.trace.found.projections import MADE, AttentionWeights
from explorer.trace.found.weights import Matrix, NormWeights, OutputWeights, ReadingWeights, own_turn
from explorer.trace.found.why import symbol_text, written_ids
from explorer.trace.trace import Trace

_TOP = 10  # symbols that the lens names at each place


def output_weights(model: Transformer, config: Config) -> OutputWeights:
    """The weights behind heads and networks of the decoder, as copies: the model may be given new numbers later."""
    assert model.decoder is not None  # A model without a decoder writes no words.
    return OutputWeights(*_written(model.decoder, "decoder"), _matrix(model.generator.project), _dropout(config))


def reading_weights(model: Transformer, config: Config) -> ReadingWeights:
    """The weights with which attentions read the streams of all sides, and those of what was added there, as copies."""
    stacks = {"encoder": model.encoder, "decoder": model.decoder}
    there = {side: stack for side, stack in stacks.items() if stack is not None}
    queries, keys, values = {}, {}, {}
    for side, stack in there.items():
        for prefix, _sublayer, module in _sublayers(stack, side):
            if prefix.endswith("_attn"):
                queries[prefix] = _matrix(module.project_query)
                keys[prefix] = _matrix(module.project_key)
                values[prefix] = _matrix(module.project_value)
    written = [_written(stack, side) for side, stack in there.items()]
    return ReadingWeights(
        queries=queries,
        keys=keys,
        values=values,
        projections={name: each for side in written for name, each in side[0].items()},
        networks={name: each for side in written for name, each in side[1].items()},
        norms={name: each for side in written for name, each in side[2].items()},
        dropout=_dropout(config),
    )


def attention_weights(model: Transformer, config: Config, block: str, n: int) -> AttentionWeights:
    """The weights of one attention, as copies, for `n` tokens."""
    module = model.get_submodule(block)
    assert isinstance(module, Attention)  # Its taps have the name of the module.
    projects = (module.project_query, module.project_key, module.project_value, module.project_output)
    turns = module.position == "rotary"
    return AttentionWeights(
        block,
        dict(zip(MADE, map(_matrix, projects), strict=True)),
        turn=own_turn(np.arange(n), config.d_head, config.position_base) if turns else None,
    )


def _dropout(config: Config) -> float:
    return config.dropout if config.dropout_active else 0.0


def _written(stack: Stack, side: str) -> tuple[dict[str, Matrix], dict[str, Matrix], dict[str, NormWeights]]:
    """The weights through which a side's blocks reach its stream: projections, networks and norms."""
    projections, networks, norms = {}, {}, {}
    for prefix, sublayer, module in _sublayers(stack, side):
        if prefix.endswith("_attn"):
            projections[prefix] = _matrix(module.project_output)
        else:
            networks[prefix] = _matrix(module.contract)
        _, residual = sublayer.taps
        norms[residual.name] = _norm(sublayer.normalize)
    norms[f"{side}.norm"] = _norm(stack.normalize)
    return projections, networks, norms


def _sublayers(stack: Stack, side: str) -> Iterator[tuple[str, Sublayer, nn.Module]]:
    """The sublayers in the order of computation: the beginning of their taps' names, what is around them, the module."""
    for number, layer in enumerate(stack.layers):
        for part, around in (("self_attn", "self"), ("cross_attn", "cross"), ("feed_forward", "feed")):
            if hasattr(layer, part):
                yield f"{side}.layers.{number}.{part}", getattr(layer, f"around_{around}"), getattr(layer, part)


def _matrix(linear: object) -> Matrix:
    assert isinstance(linear, nn.Linear)  # torch's types call it Tensor or Module.
    return Matrix(_copied(linear.weight), None if linear.bias is None else _copied(linear.bias))


def _norm(norm: nn.Module) -> NormWeights:
    tutorial = isinstance(norm, StdEpsNorm)
    eps = TUTORIAL_EPS if tutorial else float(norm.eps)  # type: ignore[arg-type]  # nn.LayerNorm has a number here.
    return NormWeights(_copied(norm.weight), _copied(norm.bias), eps, tutorial)


def _copied(tensor: object) -> Array:
    assert isinstance(tensor, Tensor)  # A parameter that torch's types call Tensor or Module.
    return frozen_array(fetched(tensor).numpy().copy())


Carry = Callable[[str, Tensor], Tensor]
"""Takes the stream [position, feature] of a tap to where the last addition leaves it."""
Readings = Iterable[tuple[str, Callable[[Tensor], Tensor]]]
"""The taps of a stream, each with what makes logits [position, vocab] of the stream [position, feature]."""


def lens_of(model: Transformer, trace: Trace, stop: Stop, carry: Carry | None = None) -> Lens:
    """What the output would be after each addition of the decoder. Raises Superseded.

    With `carry`, every stream is taken to the last place first, and read as what the last addition leaves.
    """
    return read_lens(_own_readings(model, carry), trace, stop)


def _own_readings(model: Transformer, carry: Carry | None) -> Readings:
    assert model.decoder is not None  # A model without a decoder writes no words.
    final = final_reading(model.decoder)
    for tap, normalized in stream_readings(model.decoder):
        if carry is None:
            yield tap, partial(_logits, model, normalized)
        else:
            yield tap, partial(_carried_logits, model, final, carry, tap)


def _carried_logits(model: Transformer, final: Callable[[Tensor], Tensor], carry: Carry, tap: str, stream: Tensor) -> Tensor:
    return _logits(model, final, carry(tap, stream))


def read_lens(readings: Readings, trace: Trace, stop: Stop) -> Lens:
    """The Lens of a Trace whose streams these readings read. Raises Superseded."""
    written = written_ids(trace)
    index = torch.tensor(written)
    n_best = min(_TOP, trace.shape("generator.logits")[-1])
    taps, ids, likeliest, of_written, ranks = [], [], [], [], []
    with torch.inference_mode():
        for tap, read in readings:
            if stop():
                raise Superseded
            logits = fetched(read(torch.from_numpy(np.array(trace[tap])))).float()  # [position, vocab]
            p = logits.softmax(dim=-1)
            best = p.topk(n_best, dim=-1)
            own = logits.gather(1, index[:, None])  # [position, 1]
            taps.append(tap)
            ids.append(best.indices.numpy())
            likeliest.append(best.values.numpy())
            of_written.append(p.gather(1, index[:, None])[:, 0].numpy())
            ranks.append(1 + (logits > own).sum(dim=-1).numpy())
    found = np.stack(ids).astype(np.int64)
    symbols = {*map(int, np.unique(found)), *written}
    return Lens(
        taps=tuple(taps),
        ids=found,
        probabilities=frozen_array(np.stack(likeliest)),
        written=written,
        written_p=frozen_array(np.stack(of_written)),
        ranks=np.stack(ranks).astype(np.int64),
        tokens=tuple(token.text for token in trace.tokens.target),
        names={each: symbol_text(trace, each) for each in sorted(symbols)},
    )


def stream_readings(stack: Stack) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    """The taps of the stream, each with the norm through which it is read.

    Pre-norm: the final norm. Post-norm: the norm of that very addition, behind which the stream goes on; the input has none.
    """
    pre = stack.config.norm_placement == "pre"
    yield "decoder.embedding.output", stack.normalize if pre else nn.Identity()
    for layer, sublayers in groupby(_sublayers(stack, "decoder"), key=lambda found: found[0].rpartition(".")[0]):
        for number, (_prefix, sublayer, _module) in enumerate(sublayers, 1):
            yield f"{layer}.residual{number}", stack.normalize if pre else sublayer.normalize


def stream_taps(stack: Stack) -> tuple[str, ...]:
    """The taps of a stack's stream, from what goes in to what the last addition leaves."""
    return tuple(tap for tap, _normalized in stream_readings(stack))


def final_reading(stack: Stack) -> Callable[[Tensor], Tensor]:
    """The norm through which the stream is read behind the last addition."""
    *_, (_tap, normalized) = stream_readings(stack)
    return normalized


def _logits(model: Transformer, normalized: Callable[[Tensor], Tensor], stream: Tensor) -> Tensor:
    """[position, vocab] what the generator makes of a stream [position, feature]."""
    generator = model.generator.project
    x = stream[None].to(generator.weight.device)  # [batch 1, position, feature]
    logits: Tensor = generator(normalized(x))[0]
    return logits
