"""The KeepPlan: what is kept of a pass. Everything, if it fits the memory budget; of a long text what the user looks at."""

import re

import attrs

from explorer.trace.tap_names import ATTENTION_MAP, place_of


@attrs.frozen
class KeepPlan:
    """What is kept of a pass.

    A `block` of 1 keeps attention maps whole. A larger `block`, a power of two up to 64, keeps only the maps of the `stages`,
    as blocks of `block` × `block` cells. `parts` are taps without side and layer that are kept in every layer; None means all.
    `taps` are single taps that are kept besides. `only` are the taps that the Wish names: no other is seen at all.
    """

    block: int = 1
    stages: frozenset[str] = frozenset()
    parts: frozenset[str] | None = None
    taps: frozenset[str] = frozenset()
    only: frozenset[str] | None = None

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self.block == 1 and self.parts is None and self.only is None

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
    """A tap's name without side, layer and final digit: "self_attn.query", "embedding.tokens", "norm" for norm1 and norm."""
    return re.sub(r"\d$", "", place_of(tap).part)
