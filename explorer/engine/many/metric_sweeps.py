"""Sweeps with a metric of one's own: each part ablated, or patched, in the passes of one prompt or many."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import attrs
import numpy as np
import torch

from explorer.engine.experiments.ablations import Ablated, feed_forwards_of, heads_of, layers_of
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.other_knobs import without_dropout
from explorer.engine.experiments.patched_passes import Bed, PatchedPasses, PatchText
from explorer.engine.experiments.patching import paired, plans_of
from explorer.engine.experiments.runs import AnyModel
from explorer.engine.experiments.sweep import places_of
from explorer.engine.experiments.trials import Trials
from explorer.engine.many.metrics import Metric, check_metric, name_of, of_logits
from explorer.engine.many.paths import PathValues, each_sender
from explorer.engine.many.prompts import Prompts
from explorer.errors import LacksTap, NoSuchPart
from explorer.mathematics import Numbers
from explorer.model.tap import taps
from explorer.stops import Progress, Stop
from explorer.trace.arrays import Array
from explorer.trace.found.experiments import PATCHING
from explorer.trace.found.metric_map import MetricMap, stacked_rows
from explorer.trace.found.over_prompts import MetricEffects, MetricPatching
from explorer.trace.tap_names import Receiver

LOGITS = "logits"
"""The receiver of paths that end in the logits."""


def ablated(prompts: Prompts, metric: Metric, stop: Stop, progress: Progress) -> MetricEffects:
    """What ablating each head, attention and feed-forward network adds to the metric.

    Raises Superseded, NotAMetric, KnobNotAChoice.
    """
    check_metric(metric)
    card = prompts.card
    kinds = {"heads": heads_of(card), "layers": layers_of(card), "feed_forwards": feed_forwards_of(card)}
    parts = [part for some in kinds.values() for part in some]
    plain: list[float] = []
    found: list[Numbers] = []
    for n, tokens in enumerate(each.tokens for each in prompts.sentences):
        with torch.inference_mode(), _quiet(prompts) as model:
            bench = Bench(model, tokens, (), stop, prompts.symbols, prompts.changing, card)
            trials = Trials(bench, asked=((0, 0),))
            logits = trials.logits()
            own = of_logits(metric, tokens, card, logits)
            plain.append(own(logits))
            found.append(trials.metrics([part.trial for part in parts], own).numpy() - plain[-1])
        progress((n + 1) / len(prompts.texts))
    sides = tuple(side.name for side in card.sides)
    axes: dict[str, dict[str, tuple[str, ...] | None]] = {
        "heads": {"attention": card.attentions, "layer": None, "head": None},
        "layers": {"attention": card.attentions, "layer": None},
        "feed_forwards": {"side": sides, "layer": None},
    }
    begins = np.cumsum([len(some) for some in kinds.values()])[:-1]
    by_kind = dict(zip(kinds, np.split(np.stack(found), begins, axis=1), strict=True))
    maps = {kind: MetricMap(_placed(by_kind[kind], kinds[kind]), axes[kind]) for kind in kinds if kinds[kind]}
    return MetricEffects(plain=np.array(plain, np.float32), maps=maps, metric=name_of(metric), **prompts.about)


def _placed(values: Numbers, parts: Sequence[Ablated]) -> Array:
    """[prompt, …] the values [prompt, part] at the places of their parts; NaN where the model has none."""
    places = places_of(parts)
    made = np.full((len(values), *(max(axis) + 1 for axis in places)), np.nan, np.float32)
    np.moveaxis(made, 0, -1)[places] = values.T
    made.setflags(write=False)
    return made


@contextmanager
def _quiet(prompts: Prompts) -> Iterator[AnyModel]:
    """Inside the block, the model inside the changes of its passes and without dropout."""
    with without_dropout(prompts.model) as model, prompts.changing.inside(model):
        yield model


def patched(prompts: Prompts, others: Prompts, metric: Metric, stop: Stop, progress: Progress) -> MetricPatching:
    """The metric after a patch of each position, head and layer with the other text's numbers.

    The metric is given the tokens of the patched text, also for the other's logits. Raises LacksTap, CannotAlign, Superseded,
    NotAMetric, KnobNotAChoice.
    """
    check_metric(metric, pairs=True)
    rows: list[_Patched] = []
    with without_dropout(prompts.model) as model:
        for bed in beds(prompts, others, model, stop):
            with torch.inference_mode():
                rows.append(_each_place(bed, metric))
            progress(len(rows) / len(prompts.texts))
    maps = {name: MetricMap(stacked_rows([row.values[name] for row in rows]), axes) for name, axes in rows[0].axes.items()}
    plain, other = np.array([row.metrics for row in rows], np.float32).T
    return _patching(prompts, others, plain, other, maps, metric)


def _patching(
    prompts: Prompts, others: Prompts, plain: Array, other: Array, maps: Mapping[str, MetricMap], metric: Metric
) -> MetricPatching:
    return MetricPatching(others=others.texts, plain=plain, other=other, maps=maps, metric=name_of(metric), **prompts.about)


@attrs.frozen(eq=False)
class _Patched:
    """Of one pair of texts the metric of both passes, and by kind the values and axes of a map."""

    metrics: tuple[float, float]
    values: dict[str, Array]
    axes: dict[str, dict[str, tuple[str, ...] | None]]


def _each_place(bed: Bed, metric: Metric) -> _Patched:
    known, pairs = set(taps(bed.model)), paired(bed.card, bed.first.tokens, bed.second.tokens)
    plans = [each for each in plans_of(bed.card, bed.first.tokens, pairs) if each.taps and set(each.taps) <= known]
    if not plans:
        raise LacksTap(name=PATCHING.called, tap="residual", why=bed.card.why_absent("residual2"))
    passes = PatchedPasses(bed, {tap for plan in plans for tap in plan.taps}, pairs)
    own = of_logits(metric, bed.first.tokens, bed.card, *passes.logits)
    found = passes.metrics([trial for plan in plans for trial in plan.trials], own)
    parts = np.split(found, np.cumsum([len(plan.trials) for plan in plans])[:-1])
    names = [f"{plan.side} {plan.kind}" for plan in plans]
    plain, other = map(own, passes.logits)
    return _Patched(
        (plain, other),
        {name: plan.placed(part) for name, plan, part in zip(names, plans, parts, strict=True)},
        {
            name: {"tap": plan.taps, **({"head": None} if plan.n_heads else {}), "position": None}
            for name, plan in zip(names, plans, strict=True)
        },
    )


def paths_patched(
    prompts: Prompts, others: Prompts, receiver: str, metric: Metric, stop: Stop, progress: Progress, *, freezes_networks: bool
) -> MetricPatching:
    """The metric after the way from each head to the receiver alone is patched; see `paths`.

    Raises NoSuchPart for a receiver that is none, LacksTap, CannotAlign, Superseded, NotAMetric, KnobNotAChoice.
    """
    check_metric(metric, pairs=True)
    place = Receiver.named(receiver)
    if place is None and receiver != LOGITS:
        raise NoSuchPart(got=receiver, part=" ".join(prompts.card.attentions))
    rows: list[PathValues] = []
    with without_dropout(prompts.model) as model:
        for bed in beds(prompts, others, model, stop):
            make = partial(of_logits, metric, bed.first.tokens, bed.card)
            with torch.inference_mode():
                rows.append(each_sender(bed, place, make, freezes_networks=freezes_networks))
            progress(len(rows) / len(prompts.texts))
    values = np.stack([row.values for row in rows]).astype(np.float32)
    values.setflags(write=False)
    plain, other = (np.array([getattr(row, name) for row in rows], np.float32) for name in ("plain", "other"))
    maps = {f"paths to {receiver}": MetricMap(values, {"tap": rows[0].taps, "head": None})}
    return _patching(prompts, others, plain, other, maps, metric)


def beds(prompts: Prompts, others: Prompts, model: AnyModel, stop: Stop) -> Iterator[Bed]:
    """What the passes of each pair of texts are made with."""
    for text, first, other, second in zip(prompts.texts, prompts.sentences, others.texts, others.sentences, strict=True):
        one, two = (PatchText(each, own.tokens, symbols=prompts.symbols) for each, own in ((text, first), (other, second)))
        yield Bed(model, one, two, prompts.changing, stop, prompts.card)
