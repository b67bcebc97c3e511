"""The weights with which the numbers of Q, K and V of the pass are taken apart."""

import attrs

from explorer.engine.experiments.checked_weights import checked
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.output_weights import reading_weights
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.stops import stop_at
from explorer.trace.found.projections import AttentionWeights, Made
from explorer.trace.found.weights import WHICH, Matrix, NormWeights, ReadingWeights


def readers(inquiry: Inquiry) -> ReadingWeights:
    """The weights with which the numbers of Q, K and V of this pass are taken apart. Raises LacksTap, Superseded."""
    model, trace = inquiry.model, inquiry.trace
    if isinstance(model, Foreign):
        return _checked(model, inquiry)
    assert trace.config is not None  # The Trace of our own model has one.
    return reading_weights(model, trace.config)


def _checked(model: Foreign, inquiry: Inquiry) -> ReadingWeights:
    """The weights of somebody's model without the matrices that do not make the numbers of the pass."""
    n = max(len(inquiry.tokens.source), len(inquiry.tokens.target))
    found, possible = foreign_weights.reading_weights(model, n), foreign_weights.possible_turns(model, n)
    kept: dict[Made, dict[str, Matrix]] = {"query": {}, "key": {}, "value": {}}
    turns = dict(found.turns)
    for block in dict.fromkeys((*found.queries, *found.keys, *found.values)):
        stop_at(inquiry.stop)
        matrices: dict[Made, Matrix] = {made: found.matrices(made)[block] for made in WHICH if block in found.matrices(made)}
        norms: dict[Made, NormWeights] = {
            made: found.head_norms[f"{block}.{made}"] for made in WHICH if f"{block}.{made}" in found.head_norms
        }
        right = checked(AttentionWeights(block, matrices, norms, turns.pop(block, None)), possible, inquiry.trace)
        for made in WHICH:
            if made in right.matrices:
                kept[made][block] = right.matrices[made]
        if right.turn is not None:
            turns[block] = right.turn
    return attrs.evolve(found, queries=kept["query"], keys=kept["key"], values=kept["value"], turns=turns)


MAKE = readers
