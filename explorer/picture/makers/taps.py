"""The list of all taps with their figures. At the command line a figure is computed on first use and then kept."""

from functools import lru_cache

from explorer.picture.makers.heatmaps import shape_badge
from explorer.trace.measures import Summary, summary
from explorer.trace.trace import Trace


class TapList:
    """Names and shapes of all taps of a trace. Summaries are made on demand, since a large trace has gigabytes."""

    def __init__(self, trace: Trace) -> None:
        self.names = trace.names()
        self.shapes = tuple(shape_badge(trace, name) for name in self.names)
        self.compares = trace.compared_with is not None
        self.sizes = tuple("×".join(map(str, trace.shape(name))) for name in self.names)
        self._summary = lru_cache(maxsize=None)(
            lambda row: None if trace.map(self.names[row]).array is None else summary(trace[self.names[row]])
        )

    def summary(self, row: int) -> Summary | None:
        """Smallest, largest, mean and other figures of the tap in this row; None where a long text's array was not kept."""
        return self._summary(row)
