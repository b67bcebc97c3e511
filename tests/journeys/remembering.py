"""Journeys go through all pages with the same few sentences: what takes seconds to find out is found out once by a process.

Whether it is right, is asked in `tests/engine/experiments`; a journey asks whether it is shown. What is kept is frozen and told
apart by all that it follows from: the Wish, the width of the search, the tokens, and every weight of the model.
"""

from collections.abc import Hashable

from explorer.engine.changing import Changing
from explorer.engine.experiments.findings import findings
from explorer.engine.experiments.kept import Kept
from explorer.engine.request import Request
from explorer.engine.sources.source import ModelSource
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.trace.findings import Experiment
from explorer.trace.trace import Trace

SLOW = frozenset({"patching", "effects", "effects_exact", "saliency"})


class Remembered:
    """`findings` that keeps the slow ones."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, dict[str, Experiment]] = {}

    def findings(
        self,
        source: ModelSource,
        model: Transformer,
        request: Request,
        trace: Trace,
        changing: Changing,
        stop: Stop,
        kept: Kept,
    ) -> dict[str, Experiment]:
        """What `explorer.engine.experiments.findings` finds. Raises as it does. What comes layer by layer is not kept."""
        focus = request.detail.focus
        there = kept.of(request.wish, trace.tokens)
        for name in SLOW & request.experiments:
            place = (name, focus.place(name))
            if place in there or (name == "effects_exact" and focus.head_rows > 0):
                continue
            key = (*place, request.wish, request.beam, trace.whole, trace.tokens, trace.expected, _weights(model))
            if key not in self._kept:
                asked = request.asking(experiments=frozenset({name}))
                self._kept[key] = findings(source, model, asked, trace, changing, stop, Kept())
            if name in self._kept[key]:
                there[place] = self._kept[key][name]
        return findings(source, model, request, trace, changing, stop, kept)


def _weights(model: Transformer) -> tuple[float, ...]:
    """The sum of each of them; other weights have other sums."""
    return tuple(float(weight.detach().sum()) for weight in model.parameters())
