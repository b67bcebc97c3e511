"""What each layer would say at each place of the pass: the logit lens."""

from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.looking_back import check_read_as_known
from explorer.engine.experiments.output_weights import lens_of, read_lens
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.trace.found.lens import Lens


def lens(inquiry: Inquiry) -> Lens:
    """What the output would be after each addition of the decoder. Raises Superseded, LacksTap."""
    model, trace = inquiry.model, inquiry.trace
    if not isinstance(model, Foreign):
        return lens_of(model, trace, inquiry.stop)
    check_read_as_known(model, inquiry)
    return read_lens(foreign_weights.stream_readings(model), trace, inquiry.stop)


MAKE = lens
