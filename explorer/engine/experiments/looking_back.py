"""The weights behind a pass, and its lens: of our model, or of somebody's."""

import torch

from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.lacking import check_has
from explorer.engine.experiments.output_weights import lens_of, output_weights, read_lens, reading_weights
from explorer.errors import LacksTap
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.trace.found.findings import Lens, OutputWeights, ReadingWeights
from explorer.trace.trace import Trace

_SAME = 1e-3  # The last row of a lens may differ from the logits by this share of the largest.


def output_weights_of(bench: Bench) -> OutputWeights:
    """The weights with which a logit of this pass can be taken apart. Raises LacksTap."""
    model, trace = bench.model, _trace(bench)
    if isinstance(model, Foreign):
        check_has(bench.card, "why", "generator.logits", "self_attn.mixed", "residual2")
        _read_as_known(model, trace, "why")
        return foreign_weights.output_weights(model)
    assert trace.config is not None  # The Trace of our own model has one.
    return output_weights(model, trace.config)


def reading_weights_of(bench: Bench) -> ReadingWeights:
    """The weights with which the numbers of Q, K and V of this pass are taken apart. Raises LacksTap."""
    model, trace = bench.model, _trace(bench)
    if isinstance(model, Foreign):
        check_has(bench.card, "readers", "self_attn.query", "residual2")
        return foreign_weights.reading_weights(model, max(len(bench.tokens.source), len(bench.tokens.target)))
    assert trace.config is not None  # The Trace of our own model has one.
    return reading_weights(model, trace.config)


def lens_of_pass(bench: Bench) -> Lens:
    """What the output would be after each addition of the decoder. Raises Superseded, LacksTap."""
    model, trace = bench.model, _trace(bench)
    if not isinstance(model, Foreign):
        return lens_of(model, trace, bench.stop)
    check_has(bench.card, "lens", "generator.logits", "residual2")
    _read_as_known(model, trace, "lens")
    return read_lens(foreign_weights.stream_readings(model), trace, bench.stop)


def _read_as_known(model: Foreign, trace: Trace, name: str) -> None:
    """Raises LacksTap where the last stream, read as the family's row says, does not give the recorded logits."""
    *_, (tap, read) = foreign_weights.stream_readings(model)
    with torch.inference_mode():
        made, logits = read(torch.tensor(trace[tap])), torch.tensor(trace["generator.logits"])
    if not trace.changes and (made.cpu() - logits).abs().max() > _SAME * logits.abs().max():
        raise LacksTap(name=name, tap="generator.logits", why="absent.reads_otherwise")


def _trace(bench: Bench) -> Trace:
    assert bench.trace is not None  # `findings` gives it.
    return bench.trace
