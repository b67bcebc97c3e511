"""Causes of a model's output, found by extra passes or by gradients."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from explorer.api.asking import as_text, request_of
from explorer.api.lending import alone
from explorer.api.passes import explore
from explorer.api.prompting import GivenPrompts, check_out, prompts_in, shared_request, write_out
from explorer.api.waiting import watched
from explorer.presets import DEFAULT
from explorer.trace.found.experiments import PATCHING, SALIENCY

if TYPE_CHECKING:
    from typing import Unpack

    from torch import nn

    from explorer.config import KnobValues
    from explorer.engine.many.metrics import Metric
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
    text: "str | Iterable[str] | Iterable[Sequence[int]]",
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
    text: "str | Iterable[str] | Iterable[Sequence[int]]",
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
    to it, [prompt, …], with mean and 95 % interval; see MetricEffects. A prompt may be a row of ids. The metric gets the
    logits, numpy [position, vocab], and the Tokens of a pass, and returns a number:

        found = explorer.ablate(prompts, metric=lambda logits, tokens: logits[-1, 262] - logits[-1, 284])
        found.spread("heads").mean                       # [attention, layer, head]

    Or it is a name: "log-p", the mean log p of the prompt's own words; "next", log p of the likeliest token behind it; or
    "difference", by how much that token's logit exceeds the second one's.

    With `out` the result is also written to a file that the window opens: all of it to .npz, or the effects of heads to .json
    or .parquet as the table of a scan.
    """
    request, live = shared_request(preset, trained, changes, dict(knobs), model)
    request = request.wishing(target=None if target is None else as_text(target))
    if metric is not None:
        _nothing_beside(word=word, edges=edges)
        given = prompts_in([text] if isinstance(text, str) else text)
        request = request.wishing(by_ids=given.by_ids)
        return _ablated(request, live, given.texts, metric, out)
    _only_beside_metric(out=out)
    request = request.wishing(text=as_text(text))
    if edges is not None:
        from explorer.state.focus import Focus

        request = request.asking(focus=Focus.on_head(as_text(edges)))
    # torch takes a second to load, so the checks come first.
    from explorer.engine.experiments.effects_exact import asking_effects, effects_in

    with watched() as (stop, progress), alone(live) as computer:
        found = effects_in(computer(asking_effects(request), stop, progress).trace, request.detail.focus)
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
    text: "str | Path | Sequence[int] | Iterable[tuple[str, str]]",
    other: "str | Sequence[int] | None" = None,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: "Metric",
    out: str | Path | None = None,
    receiver: str | None = None,
    freeze_networks: bool = True,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "MetricPatching": ...


def patching(
    text: "str | Path | Sequence[int] | Iterable[tuple[str, str]]",
    other: "str | Sequence[int] | None" = None,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    metric: "Metric | None" = None,
    out: str | Path | None = None,
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
    and 95 % interval; see MetricPatching. The metric always gets the tokens of the text that is patched. By name it is
    "difference", the logit of the likeliest token behind the text minus that of the likeliest one behind the other, or "next",
    log p of the latter. A text may be a row of ids. With `out`, an .npz file, the result is also written for the window.

    With a `receiver` it is path patching: each head's output is taken from the other text, but only what of it reaches the
    receiver through the residual stream counts, since all other heads and the feed-forward networks stay as they are. The
    receiver is Q, K or V of one head, "decoder.self_attn.9.6.query" for layer 9, head 6, or "logits". With `freeze_networks`
    False the networks compute anew on the way, as in Wang et al. 2022. The result is [prompt, tap, head].
    """
    request, live = shared_request(preset, trained, changes, dict(knobs), model)
    request = request.wishing(target=None if target is None else as_text(target))
    if metric is not None:
        given = _pairs(text, other)
        request, pairs = request.wishing(by_ids=given.by_ids), list(zip(given.texts, given.others, strict=True))
        check_out(out, has_table=False)
        with watched() as (stop, progress), alone(live) as computer:
            many, wish = computer.many, request.wish
            if receiver is None:
                found = many.patched(wish, pairs, metric, stop, progress)
            else:
                to = as_text(receiver)
                found = many.paths_patched(wish, pairs, to, metric, stop, progress, freezes_networks=freeze_networks)
        if out is not None:
            write_out(out, found)
        return found
    _only_beside_metric(receiver=receiver, out=out)
    request = request.wishing(text=as_text(text), other=as_text(other))
    from explorer.engine.experiments.asking import ask  # torch takes a second to load, so the checks come first.
    from explorer.trace.found.patching import Patching

    with watched() as (stop, progress), alone(live) as computer:
        return ask(computer, request, PATCHING.key, Patching, stop, progress)


def _ablated(
    request: "Request", live: "nn.Module | None", texts: tuple[str, ...], metric: "Metric", out: str | Path | None
) -> "MetricEffects":
    check_out(out)
    with watched() as (stop, progress), alone(live) as computer:
        found = computer.many.ablated(request.wish, texts, metric, stop, progress)
    if out is not None:
        write_out(out, found, found.scan_table)
    return found


def _only_beside_metric(**given: object) -> None:
    """Raises NeedsMetric for an argument that needs one."""
    from explorer.errors import NeedsMetric

    for name, value in given.items():
        if value is not None:
            raise NeedsMetric(name=name)


def _pairs(text: object, other: object) -> GivenPrompts:
    """The pairs that patching is asked for. Raises NotPrompts, NoPrompts, NotText, BadPrompt."""
    given = prompts_in([(text, other)]) if other is not None else prompts_in(text)
    if not given.others:
        from explorer.errors import NotPrompts

        raise NotPrompts(number=0)
    return given


def _nothing_beside(**given: object) -> None:
    """Raises FlagsExclude for an argument that a metric leaves nothing to do."""
    from explorer.errors import FlagsExclude

    for name, value in given.items():
        if value is not None:
            raise FlagsExclude(first="metric", second=name)


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

    with watched() as (stop, progress), alone() as computer:
        return ask(computer, request, SALIENCY.key, Saliency, stop, progress)


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
