"""Mean and deviation of what every norm of the pass read: computed from the record."""

from explorer.engine.experiments.inquiry import Inquiry
from explorer.trace.found.norm_figures import Norms, norms


def norm_figures(inquiry: Inquiry) -> Norms:
    """The figures of all norms. Raises Superseded."""
    return norms(inquiry.trace, inquiry.stop)


MAKE = norm_figures
