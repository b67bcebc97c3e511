"""Makes the experiments that a Request asks for, with the same model that made the Trace.

Each is made by the file that bears its key, whose last line is `MAKE`, a Make. The table in `trace/found/experiments.py` says
what it needs, and how the model runs meanwhile.
"""

import importlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

import attrs

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import stopping_between_layers
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.other_knobs import without_dropout
from explorer.engine.model_version import model_version
from explorer.errors import ExplorerError, LacksTap, NotComputed, NotForThisModel
from explorer.stops import Superseded
from explorer.trace.found.experiments import Experiment, asked_for
from explorer.trace.found.findings import NotMade
from explorer.trace.model_card import PROBABILITIES
from explorer.trace.trace import Trace

Make = Callable[[Inquiry], object]
"""Makes an experiment: what it found, as frozen data, or None where there is no such thing. Raises LacksTap, Superseded."""


def findings(inquiry: Inquiry) -> tuple[dict[str, object], dict[str, Exception]]:
    """What the experiments found that the Request asks for, by key, and the bugs by which some of them could not be made.

    What is kept of this pass is not made again. A bug in an experiment is no reason for a window to withhold the pass and the
    others; for a script or a notebook it is raised. Raises UnknownExperiment, NotForThisModel, BadText, Superseded.
    """
    request, kept = inquiry.request, inquiry.kept
    if not any(row.second_model for row in asked_for(request.detail.experiments)):
        inquiry.second.forget()
    made: dict[str, object] = {}
    broken: dict[str, Exception] = {}
    rows = possible(asked_for(request.experiments), inquiry.trace)
    if rows:  # A key asks for none at first, and need not wait for the version of all weights.
        kept.turn_to(request.wish, inquiry.tokens, model_version(inquiry.model))
    for row in rows:
        place = row.place_in(inquiry.focus)
        found = kept.found(row.key, place)
        if found is None or (row.grows and not isinstance(found, NotMade)):
            before = kept.found(row.begins_with, place) if found is None else found
            found = _tried(row, attrs.evolve(inquiry, key=row.key, before=before), broken)
            if row.key not in broken and not row.second_model:  # That would keep two further passes.
                kept.keep(row.key, place, found)
        if found is not None:
            made[row.key] = found
    return made, broken


def possible(asked: Iterable[Experiment], trace: Trace) -> list[Experiment]:
    """Those of the experiments that can be made about this pass. Raises NotForThisModel."""
    rows = [row for row in asked if trace.whole or not row.whole_maps]
    refused = [row.key for row in rows if row.own and trace.of_others and not row.quietly]
    if refused:
        raise NotForThisModel(name=min(refused))
    writes = trace.card.has("decoder")
    return [row for row in rows if (writes or not row.decoder) and not (row.own and trace.of_others)]


def _tried(row: Experiment, inquiry: Inquiry, broken: dict[str, Exception]) -> object:
    """What an experiment finds. A bug is put into `broken` if a window asks. Raises ExplorerError, Superseded."""
    try:
        return _made(row, inquiry)
    except (ExplorerError, Superseded):
        raise
    except Exception as error:
        if not inquiry.request.detail.leaves_out:
            raise
        traceback.clear_frames(error.__traceback__)  # They would keep every tensor that those calls knew.
        broken[row.key] = error
        return NotMade(NotComputed(name=row.key, reason=f"{type(error).__name__}: {error}"))


def _made(row: Experiment, inquiry: Inquiry) -> object:
    """What an experiment finds, or why this model can have none. Raises Superseded."""
    make: Make = importlib.import_module(f"{__package__}.{row.key}").MAKE
    try:
        for needed in row.taps:
            tap, why = needed, inquiry.card.why_absent(needed)
            if tap == "generator.logits" and inquiry.card.classes is not None and not row.decoder:
                tap, why = PROBABILITIES, inquiry.card.classes.why_not_asked
            if why:
                raise LacksTap(name=row.called, tap=tap, why=why)
        with _running(row, inquiry) as ready:
            return make(ready)
    except LacksTap as error:
        return NotMade(error)


@contextmanager
def _running(row: Experiment, inquiry: Inquiry) -> Iterator[Inquiry]:
    """Inside the block, an Inquiry whose model runs as this experiment's row says, and asks between layers whether to stop."""
    if row.by_itself:
        yield inquiry
        return
    changing = inquiry.changing if row.changes else Changing()
    with ExitStack() as stack:
        model = stack.enter_context(without_dropout(inquiry.model)) if row.passes else inquiry.model
        stack.enter_context(changing.inside(model))
        stack.enter_context(stopping_between_layers(model, inquiry.stop))
        yield attrs.evolve(inquiry, model=model, changing=changing)
