"""What of a pass is kept. Everything, as long as it fits the memory budget; of a long text what is looked at."""

import re

import attrs

from explorer.trace.tap_names import ATTENTION_MAP, place_of


@attrs.frozen
class KeepPlan:
    """`block` 1 keeps attention maps whole; a larger one keeps those of the `stages` as blocks of so many cells a side,
    a power of two of at most 64.

    `parts` are kept in every layer, by the name of a tap without side and layer; None: all. `taps` are kept besides.
    """

    block: int = 1
    stages: frozenset[str] = frozenset()
    parts: frozenset[str] | None = None
    taps: frozenset[str] = frozenset()

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self.block == 1 and self.parts is None

    def pools(self, tap: str) -> bool:
        """Whether this tap's maps are kept as blocks."""
        return self.block > 1 and tap.rpartition(".")[2] in self.stages and ATTENTION_MAP.search(tap) is not None

    def keeps(self, tap: str) -> bool:
        """Whether this tap's tensor is kept whole."""
        if self.block > 1 and ATTENTION_MAP.search(tap) is not None:
            return False
        return self.parts is None or tap in self.taps or part_of(tap) in self.parts


EVERYTHING = KeepPlan()


def part_of(tap: str) -> str:
    """A tap without its side and layer: "self_attn.query", "embedding.tokens", "norm" of a layer and of a side alike."""
    return re.sub(r"\d$", "", place_of(tap).part)
