"""The plan of a scan: the model, the metrics, and how many of the best sentences are kept."""

from typing import Any

import attrs

from explorer.scanning.flags import BEST
from explorer.state.wish import Wish
from explorer.trace.measures.scan_sums import checked_measures

FORMAT = 1
"""The version of the table that is written."""
CHUNK_ROWS = 4096
"""The sentences of one portion. Sums are rounded portion by portion, so this size is part of a plan."""


def _checked(best: object) -> int:
    """The value of the flag. Raises BadKnob."""
    return int(BEST.check(best))


@attrs.frozen(kw_only=True)
class ScanPlan:
    """`wish` is that of each sentence, but for its text; `measures` are names of `scan_sums.SCAN_MEASURES`."""

    wish: Wish
    measures: tuple[str, ...] = attrs.field(converter=checked_measures)
    best: int = attrs.field(default=10, converter=_checked)
    chunk_rows: int = CHUNK_ROWS

    def about(self) -> dict[str, Any]:
        """The plan for a table's record, by which a resumed scan is recognized."""
        wish = self.wish
        return {
            "format": FORMAT,
            "preset": wish.preset,
            "trained": wish.uses_trained,
            "adapter": wish.adapter,
            "beam": wish.beam,
            "knobs": dict(sorted(wish.config.values().items())),
            "measures": list(self.measures),
            "best": self.best,
            "chunk_rows": self.chunk_rows,
        }
