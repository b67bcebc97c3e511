"""The sentence translated once more by the model without one part: the part that the Focus names.

Each part is taken away by the knob or the Changes with which a reader would do it: the model keeps its weights and was not
trained without the part.
"""

import math
from collections.abc import Mapping

import attrs
import numpy as np

from explorer.engine.experiments.inquiry import Inquiry
from explorer.knobs import Value
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from explorer.trace.found.without import PARTS, Without
from explorer.trace.model_card import ModelCard
from explorer.trace.trace import Trace

_KNOBS: Mapping[str, Mapping[str, Value]] = {
    "position": {"position": "none"},
    "residual": {"residual": False},
    "mask": {"causal_mask": False},
}
_ADDED = {"feed_forward": "feed_forward", "cross": "cross_attn"}  # by part the block whose output is set to 0 in all layers


def without(inquiry: Inquiry) -> Without:
    """What the model translates without the part; not made where it has none to lose. Raises Superseded."""
    wish, part, trace = inquiry.wish, inquiry.focus.without, inquiry.trace
    if part not in PARTS or wish.target is not None or wish.prefix or not trace.expected or not trace.trained:
        return Without(part, made=False)
    wish = attrs.evolve(wish, batch=(), other="", toward=(), away=(), compared_with=None)
    asked = _without(wish, part, inquiry.card)
    if asked == wish:
        return Without(part, made=False)
    other = inquiry.second.trace(asked, inquiry.stop, inquiry.progress)
    return Without(part, other.target, _mean_p(other), trace.target, _mean_p(trace))


def _without(wish: Wish, part: str, card: ModelCard) -> Wish:
    """The Wish whose model lacks a part; the Wish itself where it has none to lose."""
    if part in _KNOBS:
        return attrs.evolve(wish, config=wish.config.changed(**_KNOBS[part]))
    taps = [
        f"{side.name}.layers.{layer}.{_ADDED[part]}.output"
        for side in card.sides
        for layer in range(side.n_layers)
        if part == "feed_forward" or f"{side.name}.cross_attn" in card.attentions
    ]
    return attrs.evolve(wish, changes=(*wish.active, *(Change(tap, "scale", value=0.0) for tap in taps)))


def _mean_p(trace: Trace) -> float:
    """The mean probability of the generated words, each at its step of the recorded pass; of the end too, if it was reached."""
    if trace.search is None:
        return math.nan
    ids = [trace.search.nodes[node].id for node in trace.search.path(trace.search.ends[0])]
    # mean over i of p[i, id of word i]
    return float(np.mean(trace["generator.probabilities"][np.arange(len(ids)), ids]))


MAKE = without
