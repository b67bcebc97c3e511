"""The parameters of the attention in focus: the matrices that make its Q, K, V and output."""

from explorer.engine.experiments import output_weights
from explorer.engine.experiments.checked_weights import checked
from explorer.engine.experiments.inquiry import Inquiry
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.trace.found.projections import AttentionWeights


def attention_weights(inquiry: Inquiry) -> AttentionWeights | None:
    """The parameters of the attention in focus; None where the model has none there.

    A Focus without an attention means the first one. A foreign model's matrix is left out where it does not give the recorded
    numbers. Raises NotEnoughMemory.
    """
    card, focus, trace = inquiry.card, inquiry.focus, inquiry.trace
    attention = focus.attention or card.attentions[0]
    if attention not in card.attentions or focus.layer >= card.side(attention).n_layers:
        return None
    side, _, kind = attention.partition(".")
    block, n = f"{side}.layers.{focus.layer}.{kind}", max(len(inquiry.tokens.source), len(inquiry.tokens.target))
    model = inquiry.model
    if not isinstance(model, Foreign):
        assert trace.config is not None  # The Trace of our own model has one.
        return output_weights.attention_weights(model, trace.config, block, n)
    return checked(foreign_weights.attention_weights(model, block, n), foreign_weights.possible_turns(model, n), trace)


MAKE = attention_weights
