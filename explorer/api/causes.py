"""Causes of a model's output, found by extra passes or by gradients."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, overload

from explorer.api.asking import as_text, request_of
from explorer.api.lending import alone
from explorer.api.passes import explore
from explorer.api.prompting import prompts_in, shared_request, watched
from explorer.presets import DEFAULT
from explorer.trace.found.experiments import PATCHING, SALIENCY

if TYPE_CHECKING:
    from typing import Unpack

    from torch import nn

    from explorer.config import KnobValues
    from explorer.engine.many.metric_sweeps import Metric
    from explorer.engine.request import Request
    from explorer.trace.arrays import Array
    from explorer.trace.changes import Change
    from explorer.trace.found.effects import Effects
    from explorer.trace.found.over_prompts import MetricEffects, MetricPatching
    from explorer.trace.found.patching import Patching
    from explorer.trace.found.saliency import Saliency


@overload
def ablate(
    text: str,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: None = None,
    word: str | int | None = None,
    edges: str | None = None,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "Effects": ...


@overload
def ablate(
    text: "str | Iterable[str]",
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: "Metric",
    out: str | Path | None = None,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "MetricEffects": ...


def ablate(
    text: "str | Iterable[str]",
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: "Metric | None" = None,
    out: str | Path | None = None,
    word: str | int | None = None,
    edges: str | None = None,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "Effects | MetricEffects":
    """Ablate each head, attention, feed-forward network and source word in turn: how does that change each word?

    Returns Δ log p (nats) of every word of the translation, or of every next token of a decoder-only model; see Effects. `word`
    keeps only one word: its text, or its place from 0. `edges` names a head, such as "decoder.cross_attn.1.4" for layer 1, head
    4; then `.edges` holds the effect of masking each of its cells, [query, key, word]. The other arguments are those of
    `explore`, and the ablations are made inside its `changes`. Raises explorer.errors.ExplorerError for anything a caller can
    correct, such as UnknownWord and NoSuchPart.

    With a `metric`, `text` is one prompt or many, and the result holds what each head, attention and feed-forward network adds
    to it, [prompt, …], with mean and 95 % interval; see MetricEffects. The metric gets the logits, numpy [position, vocab], and
    the Tokens of a pass, and returns a number:

        found = explorer.ablate(prompts, metric=lambda logits, tokens: logits[-1, 262] - logits[-1, 284])
        found.spread("heads").mean                       # [attention, layer, head]

    With `out`, a .json or .parquet file, the effects of heads are also written as the table of a scan, which the window opens.
    """
    request, live = shared_request(preset, trained, changes, dict(knobs), model)
    request = request.wishing(target=None if target is None else as_text(target))
    if metric is not None:
        _nothing_beside(word=word, edges=edges)
        texts = (text,) if isinstance(text, str) else prompts_in(text)[0]
        return _ablated(request, live, texts, metric, None if out is None else Path(out))
    _only_beside_metric(out=out)
    request = request.wishing(text=as_text(text))
    if edges is not None:
        from explorer.state.focus import Focus

        request = request.asking(focus=Focus.on_head(as_text(edges)))
    # torch takes a second to load, so the checks come first.
    from explorer.engine.experiments.effects_exact import asking_effects, effects_in

    with alone(live) as computer:
        found = effects_in(computer(asking_effects(request)).trace, request.detail.focus)
    return found if word is None else found.of(word)


@overload
def patching(
    text: str,
    other: str,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: None = None,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "Patching": ...


@overload
def patching(
    text: "str | Path | Iterable[tuple[str, str]]",
    other: str | None = None,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: "Metric",
    receiver: str | None = None,
    freeze_networks: bool = True,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "MetricPatching": ...


def patching(
    text: "str | Path | Iterable[tuple[str, str]]",
    other: str | None = None,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: "Metric | None" = None,
    receiver: str | None = None,
    freeze_networks: bool = True,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "Patching | MetricPatching":
    """Activation patching: how far each position of each layer, patched in from the pass over `other`, restores its answer.

    `.map(side, kind).recovered` is [tap, position, step], of heads [tap, head, position, step]: 0 if the answer stays that of
    `text`, 1 if it becomes that of `other`. The other arguments are those of `explore`. Raises explorer.errors.ExplorerError
    for anything a caller can correct; its `str()` is the sentence.

    With a `metric` as in `ablate`, instead of the two texts one may give many pairs of them, or a TSV file of pairs. The result
    holds the metric after each patch, [prompt, tap, head, position], and how far it recovers that of the other text, with mean
    and 95 % interval; see MetricPatching. The metric always gets the tokens of the text that is patched.

    With a `receiver` it is path patching: each head's output is taken from the other text, but only what of it reaches the
    receiver through the residual stream counts, since all other heads and the feed-forward networks stay as they are. The
    receiver is Q, K or V of one head, "decoder.self_attn.9.6.query" for layer 9, head 6, or "logits". With `freeze_networks`
    False the networks compute anew on the way, as in Wang et al. 2022. The result is [prompt, tap, head].
    """
    request, live = shared_request(preset, trained, changes, dict(knobs), model)
    request = request.wishing(target=None if target is None else as_text(target))
    if metric is not None:
        pairs = _pairs(text, other)
        with watched() as (stop, progress), alone(live) as computer:
            if receiver is None:
                return computer.many.patched(request.wish, pairs, metric, stop, progress)
            return computer.many.paths_patched(
                request.wish, pairs, as_text(receiver), metric, stop, progress, freezes_networks=freeze_networks
            )
    _only_beside_metric(receiver=receiver)
    request = request.wishing(text=as_text(text), other=as_text(other))
    from explorer.engine.experiments.asking import ask  # torch takes a second to load, so the checks come first.
    from explorer.trace.found.patching import Patching

    with alone(live) as computer:
        return ask(computer, request, PATCHING.key, Patching)


def _ablated(
    request: "Request", live: "nn.Module | None", texts: tuple[str, ...], metric: "Metric", out: Path | None
) -> "MetricEffects":
    from explorer.scanning.table_file import check_suffix, write_table

    if out is not None:
        check_suffix(out)
    with watched() as (stop, progress), alone(live) as computer:
        found = computer.many.ablated(request.wish, texts, metric, stop, progress)
    if out is not None:
        write_table(out, found.scan_table())
    return found


def _only_beside_metric(**given: object) -> None:
    """Raises NeedsMetric for an argument that needs one."""
    from explorer.errors import NeedsMetric

    for name, value in given.items():
        if value is not None:
            raise NeedsMetric(name=name)


def _pairs(text: object, other: str | None) -> list[tuple[str, str]]:
    """The pairs of texts that patching is asked for. Raises NotPrompts, NoPrompts, NotText."""
    firsts, seconds = prompts_in([(text, other)]) if other is not None else prompts_in(text)
    if not seconds:
        from explorer.errors import NotPrompts

        raise NotPrompts(number=0)
    return list(zip(firsts, seconds, strict=True))


def _nothing_beside(**given: object) -> None:
    """Raises KnobDoesNothing for an argument that a metric leaves nothing to do."""
    from explorer.errors import KnobDoesNothing

    for name, value in given.items():
        if value is not None:
            raise KnobDoesNothing(name=name)


def saliency(
    text: str,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> "Saliency":
    """How much each token's input vector contributes to each word, estimated by gradients. The arguments are those of
    `explore`.

    `.gradient[side]` (gradient × input) and `.integrated[side]` (integrated gradients) are [word, token] in nats; `.errors`
    [word] is the difference between the sum of the latter and what it should be. Raises explorer.errors.ExplorerError for
    anything a caller can correct.
    """
    request = request_of(text, target, preset, trained, changes, knobs)
    from explorer.engine.experiments.asking import ask  # torch takes a second to load, so the checks come first.
    from explorer.trace.found.saliency import Saliency

    with alone() as computer:
        return ask(computer, request, SALIENCY.key, Saliency)


def steering(
    texts: "Iterable[str]", others: "Iterable[str]", tap: str, preset: str | Path = DEFAULT, **knobs: "Unpack[KnobValues]"
) -> "Array":
    """[feature] the steering vector between two sets of sentences at a tap: the mean over all tokens of `texts` minus `others`.

    Adding it to the residual stream steers: `Change(tap, "add", value=2 * explorer.steering(glad, sad, tap))`. The tap is one
    of [position, feature], such as "encoder.layers.1.residual2". Raises explorer.errors.ExplorerError for anything a caller can
    correct.
    """
    from explorer.errors import EmptyText
    from explorer.trace.found.steering import mean_difference

    first, second = ([explore(text, preset=preset, **knobs) for text in some] for some in (texts, others))
    if not first or not second:
        raise EmptyText
    return mean_difference(first, second, tap)
