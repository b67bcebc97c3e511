"""The weights of somebody's attention, held against the numbers of a pass: what makes other numbers is left out."""

from collections.abc import Sequence

import attrs

from explorer.trace.found.projections import MADE, AttentionWeights, Made, agrees
from explorer.trace.found.weights import Matrix, Turn
from explorer.trace.trace import Trace


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
            lacking[made] = found.lacking.get(made, "absent.made_otherwise")
        else:
            there[made] = found.matrices[made]
    return attrs.evolve(found, matrices=there, lacking=lacking)
