"""Journeys go through all pages with the same few sentences: what takes seconds to find out is found out once by a process.

Whether it is right, is asked in `tests/engine/experiments`; a journey asks whether it is shown. What is kept is frozen and told
apart by all that it follows from: the Wish, the width of the search, the tokens, and every weight of the model.
"""

from collections.abc import Hashable

from explorer.engine.changing import Changing
from explorer.engine.experiments.findings import findings
from explorer.engine.request import Request
from explorer.engine.sources.source import ModelSource
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.trace.findings import EXPERIMENTS, Experiment
from explorer.trace.trace import Trace

SLOW = frozenset({"patching", "effects", "effects_exact", "saliency"})


class Remembered:
    """`findings` that keeps the slow ones."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, dict[str, Experiment]] = {}

    def findings(
        self, source: ModelSource, model: Transformer, request: Request, trace: Trace, changing: Changing, stop: Stop
    ) -> dict[str, Experiment]:
        """What `explorer.engine.experiments.findings` finds, in its order. Raises as it does."""
        found: dict[str, Experiment] = {}
        for name in SLOW & request.experiments:
            key = (name, request.wish, request.beam, trace.whole, trace.tokens, trace.expected, _weights(model))
            if key not in self._kept:
                self._kept[key] = findings(source, model, request.asking(experiments=frozenset({name})), trace, changing, stop)
            found |= self._kept[key]
        rest = request.experiments - SLOW
        found |= findings(source, model, request.asking(experiments=rest), trace, changing, stop)
        return {name: found[name] for name in EXPERIMENTS if name in found}


def _weights(model: Transformer) -> tuple[float, ...]:
    """The sum of each of them; other weights have other sums."""
    return tuple(float(weight.detach().sum()) for weight in model.parameters())
