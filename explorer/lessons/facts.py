"""What a stop of the tour may say about the sentence on screen: facts, by kind.

A fact is a key of the language files ("fact.position.same") with values; `fact_makers.py` chooses it by the recorded numbers.
"""

from collections.abc import Callable, Mapping

import attrs

from explorer.errors import ExplorerError
from explorer.lessons import fact_makers
from explorer.lessons.fact_makers import Fact
from explorer.state.look import Look
from explorer.trace.found.experiments import VECTORS, WITHOUT
from explorer.trace.found.without import Without
from explorer.trace.trace import Trace


@attrs.frozen
class _Kind:
    """How a kind of fact is made, the experiments that it needs, and the part of the model that it asks to do without."""

    make: Callable[[Trace, Look], list[Fact]]
    experiments: frozenset[str] = frozenset()
    without: str = ""


_KINDS: Mapping[str, _Kind] = {
    "tokens": _Kind(fact_makers.tokens),
    "vectors": _Kind(fact_makers.vectors, frozenset({VECTORS.key})),
    "position": _Kind(fact_makers.position, frozenset({WITHOUT.key}), "position"),
    "projections": _Kind(fact_makers.projections),
    "weight": _Kind(fact_makers.weight),
    "heads": _Kind(fact_makers.heads),
    "residual": _Kind(fact_makers.residual, frozenset({WITHOUT.key}), "residual"),
    "feed_forward": _Kind(fact_makers.feed_forward, frozenset({WITHOUT.key}), "feed_forward"),
    "layers": _Kind(fact_makers.layers),
    "mask": _Kind(fact_makers.mask, frozenset({WITHOUT.key}), "mask"),
    "cross": _Kind(fact_makers.cross, frozenset({WITHOUT.key}), "cross"),
    "choice": _Kind(fact_makers.choice),
}
FACTS = tuple(_KINDS)


def facts(kind: str, trace: Trace, look: Look) -> tuple[Fact, ...] | None:
    """The facts of a kind about a pass from a source to its translation, none about another one. None until its experiments
    are made."""
    row = _KINDS[kind]
    if not (trace.card.has("encoder") and trace.card.has("decoder")):
        return ()
    if not _is_ready(row, trace):
        return None
    try:
        return tuple(row.make(trace, look.fitted(trace)))
    except ExplorerError:  # The model lacks the tap, or it was not kept.
        return ()


def needs(kind: str) -> frozenset[str]:
    """The experiments that a kind of fact needs."""
    return _KINDS[kind].experiments


def left_out(kind: str) -> str:
    """The part of the model without which a kind of fact has the sentence translated; "" for none."""
    return _KINDS[kind].without


def _is_ready(row: _Kind, trace: Trace) -> bool:
    """Whether all experiments of a kind that can be made for this pass were made, each about the right part."""
    if row.without and (trace.of_others or not trace.whole):
        return True
    found = trace.experiments.get(WITHOUT.key)
    is_other = bool(row.without) and isinstance(found, Without) and found.part != row.without
    return row.experiments <= trace.experiments.keys() and not is_other
