"""Passes over many prompts, of which only some taps are kept.

Each tensor goes straight to its prompts' places in one array for all; what is longer in other prompts stays NaN.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from typing import Any

import attrs
import numpy as np
import psutil
import torch
from torch import Tensor

from explorer.engine.devices import dropout_seeded
from explorer.engine.errand import AblateEach
from explorer.engine.experiments.bench import fetched
from explorer.engine.experiments.runs import runs_of
from explorer.engine.many.metric_sweeps import ablated, patched, paths_patched
from explorer.engine.many.metrics import Metric
from explorer.engine.many.prompts import Prompts, prepared
from explorer.engine.passes.lender import Lender
from explorer.engine.sources.source import silent
from explorer.engine.sources.sources import Sources
from explorer.errors import ExplorerError, NotEnoughMemory, bare
from explorer.foreign.model import Foreign
from explorer.model.hooks import hooked
from explorer.model.tap import Tap, first_of, taps
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop, stop_at
from explorer.trace.arrays import Array
from explorer.trace.found.over_prompts import MetricEffects, MetricPatching
from explorer.trace.many import Many, sizes_at
from explorer.trace.recorded_pass import unknown_tap

Pairs = Sequence[tuple[str, str]]
_SPARE = 0.9  # Use at most 90 % of the free memory.


class ManyPasses:
    """Makes the passes over many prompts, with the sources and the lender of one Computer."""

    def __init__(self, sources: Sources, lender: Lender) -> None:
        self._sources, self._lender = sources, lender

    def prompts(self, wish: Wish, texts: Sequence[str], stop: Stop) -> Prompts:
        """The prompts, ready to be passed. Raises like `prepared`."""
        return prepared(self._sources, self._lender, wish, texts, stop)

    def ablated(self, wish: Wish, texts: Sequence[str], metric: Metric, stop: Stop, progress: Progress) -> MetricEffects:
        """What ablating each part adds to a metric. Raises like `prepared`, NotAMetric, Superseded."""
        return ablated(self.prompts(wish, texts, stop), metric, stop, progress)

    def piece(self, errand: AblateEach, number: int, stop: Stop) -> MetricEffects | ExplorerError:
        """The effects on one prompt of an errand; an ExplorerError as a value where it cannot be used. Raises Superseded."""
        assert errand.wish is not None  # An errand with pieces has it.
        try:
            return self.ablated(errand.wish, errand.prompts[number : number + 1], errand.metric, stop, silent)
        except ExplorerError as error:
            return bare(error)

    def patched(self, wish: Wish, pairs: Pairs, metric: Metric, stop: Stop, progress: Progress) -> MetricPatching:
        """The metric after patches of each first text's pass with numbers of the second's, which is made without the changes.

        Raises like `prepared`, LacksTap, CannotAlign, NotAMetric, Superseded.
        """
        return patched(*self._both(wish, pairs, stop), metric, stop, progress)

    def paths_patched(
        self, wish: Wish, pairs: Pairs, receiver: str, metric: Metric, stop: Stop, progress: Progress, *, freezes_networks: bool
    ) -> MetricPatching:
        """The same of the ways from each head to one receiver. Raises NoSuchPart, and like `patched`."""
        both = self._both(wish, pairs, stop)
        return paths_patched(*both, receiver, metric, stop, progress, freezes_networks=freezes_networks)

    def _both(self, wish: Wish, pairs: Pairs, stop: Stop) -> tuple[Prompts, Prompts]:
        firsts, seconds = zip(*pairs, strict=True)
        return self.prompts(wish, firsts, stop), self.prompts(attrs.evolve(wish, changes=(), target=None), seconds, stop)

    def __call__(self, wish: Wish, texts: Sequence[str], kept: Iterable[str], stop: Stop, progress: Progress) -> Many:
        """What the model makes of the texts; `kept` are names of taps, in which * stands for anything.

        Raises UnknownTap for one that fits no tap, NotEnoughMemory, Superseded, and like `prepared`.
        """
        return passed(self.prompts(wish, texts, stop), kept, stop, progress)


def passed(prompts: Prompts, kept: Iterable[str], stop: Stop, progress: Progress) -> Many:
    """What the model makes of the prompts. Raises UnknownTap, NotEnoughMemory, Superseded."""
    known = taps(prompts.model)
    room, n_done = _Room(prompts, _wanted(kept, known), stop), 0
    for batch in prompts.batches():
        room.batch = batch
        room.pass_over()
        n_done += len(batch)
        progress(n_done / len(prompts.texts))
    prompts.changing.check_reached()
    return Many(
        prompts=prompts.texts,
        made_with=prompts.made_with,
        tokens=tuple(each.tokens for each in prompts.sentences),
        arrays={name: _locked(room.arrays[name]) for name in known if name in room.arrays},
        axis_names={name: known[name].axes[1:] for name in known if name in room.arrays},
        card=prompts.card,
        preset=prompts.wish.preset,
        symbols=prompts.symbols,
        logits=None if room.last is None else _locked(room.last),
    )


def _wanted(patterns: Iterable[str], known: dict[str, Tap]) -> frozenset[str]:
    """The taps that names with stars mean. Raises UnknownTap for one that means none."""
    found: set[str] = set()
    for pattern in patterns:
        fits = [name for name in known if fnmatchcase(name, pattern)]
        if not fits:
            raise unknown_tap(pattern, known)
        found.update(fits)
    return frozenset(found)


class _Room:
    """The arrays of all prompts [prompt, …] by tap, and the `last` logits [prompt, vocab], filled `batch` by `batch`."""

    def __init__(self, prompts: Prompts, wanted: frozenset[str], stop: Stop) -> None:
        self._prompts, self._wanted, self._stop = prompts, wanted, stop
        self.arrays: dict[str, Array] = {}
        self.last: Array | None = None
        self.batch: list[int] = []

    def pass_over(self) -> None:
        """Make the passes of the batch. Raises Superseded, NotEnoughMemory."""
        prompts = self._prompts
        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode())
            stack.enter_context(dropout_seeded(prompts.wish.config))
            stack.enter_context(prompts.changing.inside(prompts.model))
            stack.enter_context(hooked(prompts.model, self._hook, at=self._wanted))
            logits = self._logits()
        if logits is not None:
            last = fetched(logits)[:, -1].float().numpy()  # [prompt, vocab]
            if self.last is None:
                self.last = self._empty(last.shape[1:])
            self.last[self.batch] = last

    def _logits(self) -> Tensor | None:
        """[prompt, position, vocab], perhaps of the last position alone; None of a model without an output."""
        model, tokens = self._prompts.model, [self._prompts.sentences[n].tokens for n in self.batch]
        runs = runs_of(model, *tokens)
        gives_out = not isinstance(model, Foreign) or model.has_output or model.classes is not None
        if gives_out and not any(name.startswith(("generator.", "classifier.")) for name in self._wanted):
            return runs.logits(len(tokens), places=[-1])
        found = runs.whole()  # The taps behind the logits are reached as well.
        if not gives_out:
            return None
        return found[:, None] if found.dim() == 2 else found  # A classifier of texts gives [prompt, class].

    def _hook(self, tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> None:
        """Put the tensor of a tap, or a block of its rows, to the places of the batch."""
        stop_at(self._stop)
        begin, values = first_of(args) or 0, fetched(tensor).float().numpy()  # [prompt, …]
        if tap.name not in self.arrays:
            self.arrays[tap.name] = self._empty(self._longest(tap, values.shape[1:]))
        cut: list[slice] = []
        for axis, size in zip(tap.axes[1:], values.shape[1:], strict=True):
            first = begin if axis in ("position", "query") else 0
            cut.append(slice(first, first + size))
        own = self.arrays[tap.name][(slice(None), *cut)]  # [prompt, …] a view of the places that this tensor has
        own[self.batch] = values

    def _longest(self, tap: Tap, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the tap's array that has room for every prompt."""
        of_all = [tuple(sizes_at(tap.name, tap.axes[1:], each.tokens)) for each in self._prompts.sentences]
        most = [max((size for size in sizes if size is not None), default=None) for sizes in zip(*of_all, strict=True)]
        return tuple(own if size is None else size for own, size in zip(shape, most, strict=True))

    def _empty(self, shape: tuple[int, ...]) -> Array:
        """[prompt, …] NaN. Raises NotEnoughMemory."""
        shape = (len(self._prompts.texts), *shape)
        n_bytes = 4 * int(np.prod(shape))
        if n_bytes > _SPARE * psutil.virtual_memory().available:
            raise NotEnoughMemory(need_mb=round(n_bytes / 2**20))
        return np.full(shape, np.nan, np.float32)


def _locked(array: Array) -> Array:
    array.setflags(write=False)
    return array
