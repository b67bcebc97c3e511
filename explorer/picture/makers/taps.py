"""The list of all taps of a Trace. A view computes their figures when it shows them, since a large Trace has gigabytes."""

import attrs

from explorer.picture.makers.heatmaps import shape_badge
from explorer.trace.measures.measures import Summary, summary
from explorer.trace.trace import Trace


@attrs.frozen
class TapList:
    """Names of all taps, their shapes in words and in short, and whether there is a pass to compare with.

    `kind` is one of `look.TENSORS`: a model's parameters and circuits are listed in the same way.

    It does not hold the Trace, because a table that nobody sees keeps its list.
    """

    names: tuple[str, ...]
    shapes: tuple[str, ...]
    sizes: tuple[str, ...]
    compares: bool
    kind: str = "taps"


def tap_list(trace: Trace) -> TapList:
    """The TapList of a Trace, in the order of the flow."""
    names = trace.names()
    return TapList(
        names=names,
        shapes=tuple(shape_badge(trace, name) for name in names),
        sizes=tuple("×".join(map(str, trace.shape(name))) for name in names),
        compares=trace.compared_with is not None,
    )


def tap_summary(trace: Trace, name: str) -> Summary | None:
    """Smallest, largest, mean and other figures of a tap; None where a long text's array was not kept."""
    return None if trace.map(name).array is None else summary(trace[name])
