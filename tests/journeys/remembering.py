"""Journeys go through all pages with the same few sentences: what takes long to find out is found out once by a process.

Whether it is right, is asked in `tests/engine/experiments`; a journey asks whether it is shown. What is kept is
frozen, or handed out as a copy, and told apart by all that it follows from: the Wish or the tokens with the changes, and every
weight of the model.
"""

import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.decoding import quick_weights, step_graph
from explorer.engine.decoding.quick import QuickSteps, graph_config
from explorer.engine.experiments import findings
from explorer.engine.experiments.bench import Bench
from explorer.engine.request import Request
from explorer.engine.sources import trained
from explorer.engine.sources.source import ModelSource
from explorer.model import packed
from explorer.model.linear import Linear
from explorer.model.rounded import Rounded
from explorer.model.transformer import Transformer
from explorer.model.weights import Weights
from explorer.stops import Stop
from explorer.trace.found.findings import Experiment
from explorer.trace.found.patching import NotPatched, Patching
from explorer.trace.found.saliency import Saliency
from explorer.trace.trace import Trace
from explorer.trace.vectors import Vectors

MOST_PREPARED = 2**26
"""So many numbers of weights are kept as products read them: at most 256 MB, a trained model twice."""
SWEEPS = frozenset({"effects", "effects_exact"})


class Remembered:
    """Patching, gradients, vectors and the sweeps over a model are found out once, and trained weights are read once."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, object] = {}
        self._load = trained.load_weights
        self._patching, self._experiment, self._saliency = findings._patching, findings.experiment, findings._saliency
        self._vectors = findings.vectors
        self._reordered, self._rounded, self._traced = packed.reordered, quick_weights.Rounded, step_graph.traced
        self._prepared: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def put_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Look here first, until the test has ended."""
        monkeypatch.setattr(findings, "_patching", self.patching)
        monkeypatch.setattr(findings, "experiment", self.experiment)
        monkeypatch.setattr(findings, "_saliency", self.saliency)
        monkeypatch.setattr(findings, "vectors", self.vectors)
        monkeypatch.setattr(trained, "load_weights", self.load_weights)
        monkeypatch.setattr(packed, "reordered", self.reordered)
        monkeypatch.setattr(quick_weights, "Rounded", self.rounded)
        monkeypatch.setattr(step_graph, "traced", self.traced)

    def load_weights(self, path: Path, config: Config) -> Weights:
        """A copy of the weights in a file. Raises BadWeights."""
        if not path.is_file():
            return self._load(path, config)
        weights: Weights = self._once((path, path.stat().st_mtime_ns, config), lambda: self._load(path, config))
        copies = {id(each): each.clone() for each in weights.values()}  # Tied parameters are one.
        return {name: copies[id(each)] for name, each in weights.items()}

    def reordered(self, weight: Tensor) -> Tensor:
        """As `reordered` makes it: nothing writes to it."""
        return self._prepare(("reordered", *_content(weight)), weight, lambda: self._reordered(weight))

    def rounded(self, layer: Linear) -> Rounded:
        """The rounded layer, which nothing writes to. Raises CannotRoundError."""
        bias = () if layer.bias is None else _content(layer.bias)
        return self._prepare(("rounded", *_content(layer.weight), *bias), layer.weight, lambda: self._rounded(layer))

    def traced(self, steps: QuickSteps) -> Callable[..., Tensor] | None:
        """The graph of steps with these very products, which are remembered as well."""
        products = tuple(steps.products)
        return self._once(("traced", products, graph_config(steps.config)), lambda: self._traced(steps))

    def _prepare(self, key: Hashable, weight: Tensor, make: Callable[[], Any]) -> Any:
        """What was made of a weight, as the newest; the oldest go."""
        found = self._prepared.pop(key, None) or (make(), weight.numel())
        self._prepared[key] = found
        while sum(numel for _made, numel in self._prepared.values()) > MOST_PREPARED:
            self._prepared.popitem(last=False)
        return found[0]

    def patching(
        self, source: ModelSource, model: Transformer, request: Request, trace: Trace, changing: Changing, stop: Stop
    ) -> Patching | NotPatched:
        """As `findings` finds it. Raises Superseded."""
        if trace.config is None:  # A model of others has its parameters elsewhere.
            return self._patching(source, model, request, trace, changing, stop)
        key = ("patching", request.wish, request.beam, trace.tokens, trace.expected, _weights(model))
        return self._once(key, lambda: self._patching(source, model, request, trace, changing, stop))

    def experiment(self, name: str, bench: Bench) -> Experiment:
        """As `experiment` makes it. Raises Superseded."""
        if name not in SWEEPS or bench.trace is None or bench.trace.config is None:
            return self._experiment(name, bench)
        key = (name, *_of_bench(bench), bench.trace.changes, _weights(bench.model))
        return self._once(key, lambda: self._experiment(name, bench))

    def saliency(self, bench: Bench, trace: Trace) -> Saliency:
        """As `findings` finds it. Raises Superseded."""
        if trace.config is None:
            return self._saliency(bench, trace)
        key = ("saliency", *_of_bench(bench), trace.changes, _weights(bench.model))
        return self._once(key, lambda: self._saliency(bench, trace))

    def vectors(self, bench: Bench, source_symbols: tuple[str, ...]) -> Vectors:
        """As `vectors` finds them. Raises Superseded, BadWeights."""
        if bench.trace is None or bench.trace.config is None:
            return self._vectors(bench, source_symbols)
        key = ("vectors", *_of_bench(bench), source_symbols, bench.trace.changes, _weights(bench.model))
        return self._once(key, lambda: self._vectors(bench, source_symbols))

    def _once(self, key: Hashable, find: Callable[[], Any]) -> Any:
        if key not in self._kept:
            found = find()
            if findings._half_done(found):
                return found
            self._kept[key] = found
        return self._kept[key]


def _of_bench(bench: Bench) -> tuple[Hashable, ...]:
    """All that is asked of a model, but for its weights."""
    return bench.config, bench.tokens, bench.expected, bench.others, bench.symbols


def _content(weight: Tensor) -> tuple[Hashable, ...]:
    """Its shape and the checksum of its numbers."""
    return tuple(weight.shape), zlib.crc32(weight.detach().contiguous().numpy())


def _weights(model: Transformer) -> tuple[float, ...]:
    """The sum of each of them; other weights have other sums."""
    return tuple(float(weight.detach().sum()) for weight in model.parameters())
