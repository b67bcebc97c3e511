"""Runs the experiments that a page shows, with the same model that made the Trace."""

import attrs

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.experiment import changed, experiment, focused, running, without_dropout
from explorer.engine.experiments.jacobian import jacobian_lens
from explorer.engine.experiments.kept import Kept
from explorer.engine.experiments.lacking import check_has
from explorer.engine.experiments.lens_file import fitted_for
from explorer.engine.experiments.patching import Bed, Reading, patching
from explorer.engine.experiments.runs import AnyModel
from explorer.engine.experiments.saliency import saliency
from explorer.engine.experiments.segmentations import segmentations
from explorer.engine.experiments.vectors import vectors
from explorer.engine.model_version import model_version
from explorer.engine.request import Request
from explorer.engine.sources.source import ModelSource, Row
from explorer.engine.token_limits import numbered
from explorer.errors import BadText, ExplorerError, LacksTap, NoFittedLens, NoOtherText, NotForThisModel
from explorer.foreign.model import Foreign
from explorer.state.focus import FOCUSED, Focus
from explorer.state.other_sentences import suggested_for
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.found.effects import Effects
from explorer.trace.found.findings import EXPERIMENTS, OF_DECODERS, OF_OUR_OWN, Experiment, Lens, NotMade
from explorer.trace.found.jacobian import NotFitted
from explorer.trace.found.norm_figures import norms
from explorer.trace.found.patching import NotPatched, Patching
from explorer.trace.found.saliency import Saliency
from explorer.trace.found.segmentations import Segmentations
from explorer.trace.recorded_pass import Tokens, written
from explorer.trace.trace import Trace

_MISSED_QUIETLY = frozenset({"segmentations"})
"""What a page asks for beside other pictures, which a model of others still shows."""


def findings(
    source: ModelSource, model: AnyModel, request: Request, trace: Trace, changing: Changing, stop: Stop, kept: Kept
) -> dict[str, Experiment]:
    """The experiments that a Request asks for, by name; those that are `kept` of this pass are taken from there.

    Raises BadText, Superseded.
    """
    asked = request.experiments
    if not asked or not trace.whole:
        return {}  # Experiments make many passes with whole maps, which is too much for a long text.
    if trace.config is None:
        asked -= _MISSED_QUIETLY
    if trace.config is None and asked & OF_OUR_OWN:
        raise NotForThisModel(name=min(asked & OF_OUR_OWN))
    others = _others(source, request.wish, trace) if "batch" in asked else ()
    card = None if trace.config is not None else trace.card
    bench = Bench(model, trace.tokens, trace.expected, others, stop, trace.symbols, changing, trace, card)
    possible = [name for name in EXPERIMENTS if name in asked and (trace.card.has("decoder") or name not in OF_DECODERS)]
    there = kept.of(request.wish, trace.tokens, model_version(model))
    for name in possible:
        place = (name, request.detail.focus.place(name))
        if _looks_at_a_place(name, request):
            before = there.get(place) or (there.get(("effects", None)) if name == "effects_exact" else None)
            found = _focused(name, bench, request.detail.focus, before)
            if found is not None:
                there[place] = found
        elif place in there and not _half_done(there[place]):
            continue
        elif name == "patching":
            there[place] = _patching(source, model, request, trace, changing, stop)
        elif name == "saliency":
            there[place] = _saliency(bench, trace)
        elif name == "vectors":
            symbols = source.symbols(request.wish.config, trace.tokens, of_source=True)
            there[place] = vectors(bench, symbols)
        elif name == "segmentations":
            there[place] = _segmentations(source, bench, request.wish)
        elif name == "norms":
            there[place] = norms(trace, stop)
        elif name == "jacobian":
            there[place] = _jacobian(bench, request.wish.preset, trace)
        else:
            there[place] = _made(name, bench)
    places = {name: (name, request.detail.focus.place(name)) for name in possible}
    return {name: there[place] for name, place in places.items() if place in there}


def _made(name: str, bench: Bench) -> Experiment:
    """An experiment, or why this model can have none. Raises Superseded."""
    try:
        return experiment(name, bench)
    except LacksTap as error:
        return NotMade(error)


def _looks_at_a_place(name: str, request: Request) -> bool:
    """Whether an experiment depends on the Focus; exact effects of all heads at once do not."""
    return name in FOCUSED and (name != "effects_exact" or request.detail.focus.head_rows > 0)


def _focused(name: str, bench: Bench, focus: Focus, before: Experiment | None) -> Experiment | None:
    """An experiment about the place in focus, or why this model can have none. Raises Superseded."""
    try:
        return focused(name, bench, focus, before)
    except LacksTap as error:
        return NotMade(error)


def _half_done(found: Experiment) -> bool:
    """Whether a sweep was broken off on its way through the layers."""
    return isinstance(found, Effects) and found.exact_rows > 0 and not found.exact


def _saliency(bench: Bench, trace: Trace) -> Saliency | NotMade:
    """What each token's input vector does for each word, in the pass with its changes. Raises Superseded."""
    try:
        check_has(trace.card, "saliency", "generator.logits", "embedding.output")
    except LacksTap as error:
        return NotMade(error)
    rows = {"encoder": trace.tokens.source, "decoder": trace.tokens.target}
    tokens = {side.name: rows[side.name] for side in trace.card.sides}
    ids = (bench.source(), bench.target())
    with running("saliency", bench) as bench:
        return saliency(bench.model, tokens, ids, trace.expected, trace.symbols, bench.stop, bench.card)


def _jacobian(bench: Bench, preset: str, trace: Trace) -> Lens | NotFitted:
    """What each layer would say through the matrices that were fitted for this very model. Raises Superseded."""
    if isinstance(bench.model, Foreign):
        return NotFitted(NoFittedLens(preset=preset))
    with changed(bench.own, bench.config.changed(dropout_active=False)) as quiet:
        try:
            fitted = fitted_for(quiet, bench.config, preset)
        except ExplorerError as error:  # The lens without matrices is there all the same.
            return NotFitted(error)
        return jacobian_lens(quiet, trace, fitted.matrices, fitted.agreement, bench.stop)


def _segmentations(source: ModelSource, bench: Bench, wish: Wish) -> Segmentations:
    """The sentence cut in other ways, each with a pass of its own. Raises Superseded."""
    with running("segmentations", bench) as bench:
        return segmentations(source, bench.own, wish, bench.stop)


def _patching(
    source: ModelSource, model: AnyModel, request: Request, trace: Trace, changing: Changing, stop: Stop
) -> Patching | NotPatched:
    """What of the other sentence's pass brings back its answer. Raises Superseded."""
    suggested = suggested_for(trace)
    wish = request.wish.of_text(request.wish.other.strip() or next(iter(suggested), ""))
    if not wish.text:
        return NotPatched(NoOtherText())
    try:
        sentence = source.decode(wish, source.cut(wish), request.beam, Changing(), stop)
    except BadText as error:  # The sentence on screen is answered all the same.
        return NotPatched(error)
    own = wish.target is None  # Of a typed target, both passes would be asked for the same words.
    first = Reading(trace.source, trace.tokens, trace.expected if own else (), trace.symbols, trace.target)
    symbols = source.symbols(wish.config, sentence.tokens)
    second = Reading(
        wish.text,
        sentence.tokens,
        written(sentence.tokens, trace.card.begin, trace.card.end) if own else (),
        symbols,
        sentence.target,
    )
    try:
        check_has(trace.card, "patching", "generator.logits", "residual2")
    except LacksTap as error:
        return NotPatched(error)
    with without_dropout(model) as quiet:
        return patching(Bed(quiet, first, second, changing, stop, trace.card))


def _others(source: ModelSource, wish: Wish, trace: Trace) -> tuple[Row, ...]:
    """The tokens of the further sentences of a batch. Raises BadText."""
    found = [source.further(wish, text) for text in wish.batch if text.strip()]
    if wish.config.vocabulary == "sentence":  # The batch has one vocabulary, which begins with that of the first sentence.
        every = tuple(token for row in (trace.tokens.source, trace.tokens.target, *found) for token in row)
        known = {token.text: token for token in numbered(Tokens(every), wish.config).source}
        found = [tuple(attrs.evolve(token, id=known[token.text].id, known=True) for token in row) for row in found]
    return tuple(found)
