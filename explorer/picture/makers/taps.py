"""The list of all taps of a Trace. A view computes their figures when it shows them, since a large Trace has gigabytes."""

import attrs

from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import shape_badge
from explorer.trace.found.experiments import GRADIENTS
from explorer.trace.found.gradients import Gradients
from explorer.trace.measures.measures import Summary, summary
from explorer.trace.trace import Trace


@attrs.frozen
class TapList:
    """Names of all taps, their shapes in words and in short, and whether there is a pass to compare with,
    and whether there are gradients.

    `kind` is one of `look.TENSORS`: a model's parameters and circuits are listed in the same way.

    It does not hold the Trace, because a table that nobody sees keeps its list.
    """

    names: tuple[str, ...]
    shapes: tuple[str, ...]
    sizes: tuple[str, ...]
    compares: bool
    has_gradients: bool = False
    kind: str = "taps"


def tap_list(trace: Trace, *, gradients: bool = False) -> TapList:
    """The TapList of a Trace, in the order of the flow; with `gradients`, where they are there."""
    names = trace.names()
    return TapList(
        names=names,
        shapes=tuple(shape_badge(trace, name) for name in names),
        sizes=tuple("×".join(map(str, trace.shape(name))) for name in names),
        compares=trace.compared_with is not None,
        has_gradients=gradients and finding(trace, GRADIENTS.key, Gradients) is not None,
    )


def tap_summary(trace: Trace, name: str) -> Summary | None:
    """Smallest, largest, mean and other figures of a tap; None where a long text's array was not kept."""
    return None if trace.map(name).array is None else summary(trace[name])
