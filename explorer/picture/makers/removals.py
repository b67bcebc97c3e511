"""The largest parts of an account beside what switching each of them off really costs."""

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Removals
from explorer.picture.kinds import Caption
from explorer.picture.makers.part_names import name_of
from explorer.picture.makers.why import asked
from explorer.picture.sums import bare
from explorer.state.look import Look
from explorer.trace.found.costs import Costs, removable, shown_values
from explorer.trace.found.weights import OutputWeights
from explorer.trace.trace import Trace


def part_removals(trace: Trace, look: Look, words: Words) -> Removals | None:
    """The nine largest parts of the chosen step; without rings while their costs are computed."""
    if not isinstance(trace.experiments.get("why"), OutputWeights):
        return None
    parts = asked(trace, look)
    shown, costs = (removable(parts.parts, parts.values) if parts.exact else ()), trace.experiments.get("costs")
    known = isinstance(costs, Costs) and costs.is_of(parts.position, parts.word, parts.rival)
    word, rival = map(bare, parts.names)
    return Removals(
        names=tuple(name_of(each.part, words) for each in shown),
        taps=tuple(each.part.tap for each in shown),
        shares=np.array([each.share for each in shown], np.float32),
        costs=shown_values(costs, shown) if known and isinstance(costs, Costs) else np.full(len(shown), np.nan, np.float32),
        signed_colours=look.signed_colours,
        caption=Caption(
            title=words("removals.title"),
            tap="generator.logits",
            name="why.costs",
            shape="",
            formula=words("why.formula", word=word, rival=rival),
            note=words("removals.note" if parts.exact else "removals.none"),
            origin="beside",
            finding="costs",
        ),
    )
