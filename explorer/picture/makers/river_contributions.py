"""The contributions that the river's bands show in their second mode, from the exact parts of `trace.why`."""

from collections.abc import Mapping

import numpy as np

from explorer.errors import LacksTap
from explorer.lang import Words
from explorer.mathematics import Numbers
from explorer.picture.makers.excerpt import Excerpt
from explorer.picture.makers.findings import finding, why_not_made
from explorer.picture.makers.why import asked
from explorer.picture.river.river import Contributions
from explorer.picture.scales import round_up
from explorer.picture.sums import unmarked
from explorer.state.look import Look
from explorer.trace.found.reading import by_keys
from explorer.trace.found.weights import OutputWeights
from explorer.trace.trace import Trace

_LEAST_REACH = 0.5  # a difference of logits: below it, widths would make a drama of nothing


def no_contributions(trace: Trace, part: Excerpt, words: Words) -> str:
    """The reason why the bands of a pass cannot show contributions; "" where they can."""
    if not trace.card.has("decoder"):
        return words("river.bands.no_words")
    refused = why_not_made(trace, words, "why")
    if refused:
        return refused
    absent = trace.card.why_absent("self_attn.value")
    if absent:  # Of such a model, what a head has mixed is seen, but not of what.
        return words.error(LacksTap(name="why", tap="self_attn.value", why=absent))
    if not trace.whole or part.block > 1:
        return words("river.bands.too_long")
    return ""


def contributions(trace: Trace, look: Look, part: Excerpt, words: Words) -> tuple[Contributions | None, str]:
    """The contributions at the chosen step, for the lanes of an excerpt; and why there are none, "" where there may be.

    They are None until the weights are there, and where something was changed inside the pass that no part knows of.
    """
    absent = no_contributions(trace, part, words)
    if absent or look.bands == "weights" or finding(trace, "why", OutputWeights) is None:
        return None, absent
    parts = asked(trace, look)
    if not parts.exact:
        apart, total = f"{parts.difference:.4f}", f"{parts.total:.4f}"
        return None, words("why.inexact", difference=apart, total=total, count=len(parts.parts))
    values: dict[tuple[str, int], Numbers] = {}
    for block in parts.directions:
        side, _layers, layer, name = block.split(".")
        if name.endswith("_attn"):
            lanes = part.lanes(trace.side_name(f"{block}.weights", "key"))
            values[f"{side}.{name}", int(layer)] = by_keys(trace, parts, block)[:, lanes]
    first = part.lanes(trace.side_name("generator.logits", "position")).start
    word, rival = map(unmarked, parts.names)
    return Contributions(values, (word, rival), parts.position - first, parts.difference, reach_of(values)), ""


def reach_of(values: Mapping[tuple[str, int], Numbers]) -> float:
    """A round number that no value [head, key] and no sum of heads exceeds."""
    rows = [np.vstack([each, each.sum(axis=0)]) for each in values.values()]  # [head and their sum, key]
    most = max((float(np.abs(each).max(initial=0)) for each in rows), default=0.0)
    return round_up(max(most, _LEAST_REACH), (1, 2, 5, 10))
