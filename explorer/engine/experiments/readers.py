"""The weights with which the numbers of Q, K and V of the pass are taken apart."""

from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.output_weights import reading_weights
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.trace.found.weights import ReadingWeights


def readers(inquiry: Inquiry) -> ReadingWeights:
    """The weights with which the numbers of Q, K and V of this pass are taken apart. Raises LacksTap."""
    model, trace = inquiry.model, inquiry.trace
    if isinstance(model, Foreign):
        return foreign_weights.reading_weights(model, max(len(inquiry.tokens.source), len(inquiry.tokens.target)))
    assert trace.config is not None  # The Trace of our own model has one.
    return reading_weights(model, trace.config)


MAKE = readers
