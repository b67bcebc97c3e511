"""Runs the experiments that a page shows, with the same model that made the Trace."""

import attrs

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.experiment import experiment
from explorer.engine.request import Request
from explorer.engine.sources.source import ModelSource, Row
from explorer.engine.token_limits import numbered
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.findings import EXPERIMENTS, OF_DECODERS, Experiment
from explorer.trace.trace import Tokens, Trace


def findings(
    source: ModelSource, model: Transformer, request: Request, trace: Trace, changing: Changing, stop: Stop
) -> dict[str, Experiment]:
    """The experiments that a Request asks for, by name. Raises BadText, Superseded."""
    asked = request.experiments
    if not asked or not trace.whole:
        return {}  # Experiments make many passes with whole maps, which is too much for a long text.
    others = _others(source, request.wish, trace) if "batch" in asked else ()
    bench = Bench(model, trace.tokens, trace.expected, others, stop, trace.symbols, changing, trace)
    possible = [name for name in EXPERIMENTS if name in asked and (bench.model.decoder is not None or name not in OF_DECODERS)]
    return {name: experiment(name, bench) for name in possible}


def _others(source: ModelSource, wish: Wish, trace: Trace) -> tuple[Row, ...]:
    """The tokens of the further sentences of a batch. Raises BadText."""
    found = [source.further(wish, text) for text in wish.batch if text.strip()]
    if wish.config.vocabulary == "sentence":  # The batch has one vocabulary, which begins with that of the first sentence.
        every = tuple(token for row in (trace.tokens.source, trace.tokens.target, *found) for token in row)
        known = {token.text: token for token in numbered(Tokens(every), wish.config).source}
        found = [tuple(attrs.evolve(token, id=known[token.text].id, known=True) for token in row) for row in found]
    return tuple(found)
