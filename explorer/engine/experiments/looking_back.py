"""The weights behind the words of a pass, which several experiments read: of our model, or of a foreign one."""

import torch

from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.output_weights import output_weights
from explorer.errors import LacksTap
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.trace.found.weights import OutputWeights

_SAME = 1e-3  # The last row of a lens may differ from the logits by this share of the largest.


def output_weights_of(inquiry: Inquiry) -> OutputWeights:
    """The weights with which a logit of this pass can be taken apart. Raises LacksTap."""
    model, trace = inquiry.model, inquiry.trace
    if isinstance(model, Foreign):
        check_read_as_known(model, inquiry)
        return foreign_weights.output_weights(model)
    assert trace.config is not None  # The Trace of our own model has one.
    return output_weights(model, trace.config)


def check_read_as_known(model: Foreign, inquiry: Inquiry) -> None:
    """Raises LacksTap where the last stream, read as the family's row says, does not give the recorded logits."""
    trace = inquiry.trace
    *_, (tap, read) = foreign_weights.stream_readings(model)
    with torch.inference_mode():
        made, logits = read(torch.tensor(trace[tap])), torch.tensor(trace["generator.logits"])
    other = made.shape != logits.shape or (made.cpu() - logits).abs().max() > _SAME * logits.abs().max()
    if other and not trace.changes:
        raise LacksTap(name=inquiry.key, tap="generator.logits", why="absent.reads_otherwise")
