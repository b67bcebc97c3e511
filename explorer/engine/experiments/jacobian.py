"""The Jacobian lens: the stream of a layer, carried to where the last layer leaves it, and only then read.

J_l is the mean, over many sentences and places, of how the last stream (before the final norm) answers to the stream of layer
l. The lens reads unembed(J_l·h) instead of unembed(h). Gurnee, Sofroniew, Lindsey et al. 2026, "Verbalizable Representations
Form a Global Workspace in Language Models", describe it; as there, the answers of a place and of all later ones are summed,
and the sums are averaged over places. Behind the last addition J is the identity, so there the lens is the output itself.
"""

from collections.abc import Mapping

import attrs
from torch import Tensor

from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.lens_file import fitted_for
from explorer.engine.experiments.output_weights import lens_of
from explorer.errors import ExplorerError, NoFittedLens
from explorer.foreign.model import Foreign
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.trace.found.findings import NotMade
from explorer.trace.found.lens import Agreement, Lens
from explorer.trace.trace import Trace


def jacobian(inquiry: Inquiry) -> Lens | NotMade:
    """What each layer would say through the matrices that were fitted for this very model. Raises Superseded."""
    preset = inquiry.wish.preset
    if isinstance(inquiry.model, Foreign):
        return NotMade(NoFittedLens(preset=preset))
    try:
        fitted = fitted_for(inquiry.own, inquiry.config, preset)
    except ExplorerError as error:  # The lens without matrices is there all the same.
        return NotMade(error)
    return jacobian_lens(inquiry.own, inquiry.trace, fitted.matrices, fitted.agreement, inquiry.stop)


def carried(stream: Tensor, matrices: Mapping[str, Tensor], tap: str) -> Tensor:
    """[…, feature] J·h: the stream of a tap in the place of the last one's; behind the last addition it is there already."""
    # h' = J·h
    return stream @ matrices[tap].T if tap in matrices else stream


def jacobian_lens(
    model: Transformer, trace: Trace, matrices: Mapping[str, Tensor], agreement: Agreement | None, stop: Stop
) -> Lens:
    """What each layer would say, carried by the matrices first. Raises Superseded."""
    found = lens_of(model, trace, stop, lambda tap, stream: carried(stream, matrices, tap))
    return attrs.evolve(found, agreement=agreement)


MAKE = jacobian
