"""What each part of the model does for each word: heads, attentions, feed-forwards and tokens are ablated in turn."""

from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.sweep import swept, takes_long
from explorer.trace.found.effects import Effects


def effects(inquiry: Inquiry) -> Effects:
    """Switch off each part of the model alone; where that takes long, heads are estimated. Raises Superseded."""
    return swept(inquiry, exact=not takes_long(inquiry.card, inquiry.tokens))


MAKE = effects
