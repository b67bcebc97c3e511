"""The parameters of the attention in focus: the matrices that make its Q, K, V and output."""

from collections.abc import Sequence

import attrs

from explorer.engine.experiments import output_weights
from explorer.engine.experiments.inquiry import Inquiry
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.trace.found.projections import MADE, AttentionWeights, Made, agrees
from explorer.trace.found.weights import Matrix, Turn
from explorer.trace.trace import Trace


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


def checked(found: AttentionWeights, turns: Sequence[Turn], trace: Trace) -> AttentionWeights:
    """The weights without those that make other numbers than the pass recorded; inside changes that is not asked.

    Of the ways in which positions may turn features, the one is taken that makes the recorded numbers.
    """
    there: dict[Made, Matrix] = {}
    lacking: dict[Made, str] = {}
    if not trace.changes and "query" in found.matrices and f"{found.block}.query" in trace:
        ways = [attrs.evolve(found, turn=turn) for turn in (turns if found.turn is not None else ())]
        ways += [attrs.evolve(found, turn=None)]  # Some families turn nothing in some of their layers.
        found = next((way for way in ways if agrees(trace, way, "query")), found)
    for made in MADE:
        if made not in found.matrices or (
            not trace.changes and f"{found.block}.{made}" in trace and not agrees(trace, found, made)
        ):
            lacking[made] = "absent.made_otherwise"
        else:
            there[made] = found.matrices[made]
    return attrs.evolve(found, matrices=there, lacking=lacking)


MAKE = attention_weights
