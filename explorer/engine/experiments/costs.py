"""What the largest parts of an attribution really cost: each is ablated in a pass of its own."""

import torch

from explorer.engine.experiments.bench import frozen
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.looking_back import output_weights_of
from explorer.engine.experiments.trials import Trial, Trials
from explorer.trace.changes import Change
from explorer.trace.found.costs import Costs, removable
from explorer.trace.found.part import Part
from explorer.trace.found.why import parts_of
from explorer.trace.measures.measures import most_uncertain_step


def costs(inquiry: Inquiry) -> Costs | None:
    """The costs of the nine largest heads and feed-forwards at the step in focus; None where there is no such step.

    A Focus without a step means the one where the model was least sure. Raises Superseded.
    """
    trace, focus = inquiry.trace, inquiry.focus
    n_steps, n_symbols = trace.shape("generator.logits")
    position = max(0, most_uncertain_step(trace)) if focus.position < 0 else focus.position
    if position >= n_steps or focus.rival >= n_symbols:
        return None
    rival = None if focus.rival < 0 else focus.rival
    parts = parts_of(trace, position, rival, weights=output_weights_of(inquiry))
    largest = tuple(each.part for each in removable(parts.parts, parts.values))
    asked = ((parts.position, parts.word), (parts.position, parts.rival))
    with torch.inference_mode():
        found = Trials(inquiry, asked).effects([_off(part) for part in largest])  # [part, word rival]
    return Costs(position=parts.position, word=parts.word, rival=parts.rival, parts=largest, effects=frozen(found))


def _off(part: Part) -> Trial:
    """A head gives out zeros, or a feed-forward adds zeros."""
    return (Change(part.tap, "scale", head=part.head if part.kind == "head" else None, value=0.0),)


MAKE = costs
