"""The names in the architecture strip: of Blocks, of layers, of runs of layers, and how wide they are."""

from collections.abc import Callable, Sequence

import attrs

from explorer.lang import Words
from explorer.trace.architecture import Architecture, Block
from explorer.trace.stages import SINUSOIDS

Measure = Callable[[str, float], float]
"""A function that gives the width (px) of a text at a letter size (px)."""

NAME_PX, LABEL_PX, COUNT_PX = 12.0, 11.0, 10.0
"""The letter sizes (px) of the names of groups, of those in segments, and of counts."""
_PAD_PX = 5.0


@attrs.frozen
class Names:
    """The names of an Architecture in one language, with their widths."""

    architecture: Architecture
    words: Words
    measure: Measure
    _widths: dict[str, float] = attrs.field(init=False, factory=dict, eq=False, repr=False)

    def group(self, blocks: Sequence[Block]) -> str:
        """The name of a group, or of consecutive layers of one side: "Vectors", "Encoder 0", "Encoder 3–61"."""
        first, last = blocks[0], blocks[-1]
        if first.layer is None:
            # A model without a decoder gives out a symbol for each token that it was given, and no next one.
            gives = first.kind == "generator" and self.architecture.sides == ("encoder",)
            return self.words("strip.group.output" if gives else f"strip.group.{first.kind}")
        layers = str(first.layer) if first.layer == last.layer else f"{first.layer}–{last.layer}"
        return self.words("strip.layer", side=self.words(f"side.{first.side}"), layer=layers)

    def block(self, block: Block, length: str = "long") -> str:
        """The name in a Block's segment, "long" or "short"."""
        if block.kind == "position":
            position = self.architecture.position
            return self.words.or_other(f"strip.position.{'sinusoidal' if position in SINUSOIDS else position}")
        masked = block.kind == "self_attn" and block.causal
        return self.words(f"strip.{length}.{'masked' if masked else block.kind}")

    def width(self, group: Sequence[Block]) -> float:
        """The width of a group's name (px)."""
        return self.measure(self.group(group), NAME_PX)

    def whole(self, room: float = 0.0) -> str:
        """The number of all parameters in few letters, with their name if `room` (px) allows."""
        count = compact(self.architecture.n_parameters)
        named = self.words("strip.parameters", count=count)
        return named if self.measure(named, COUNT_PX) <= room else self.words("strip.total", count=count)

    def need(self, block: Block) -> float:
        """The width that a segment needs for its short name (px)."""
        return self._width(self.block(block, "short")) + 2 * _PAD_PX

    def fitting(self, block: Block, width: float) -> str:
        """The longest name that fits into a segment; "" if none does."""
        names = (self.block(block, length) for length in ("long", "short"))
        return next((name for name in names if self._width(name) + _PAD_PX <= width), "")

    def _width(self, name: str) -> float:
        """The width of a segment's name, which hundreds of Blocks share."""
        if name not in self._widths:
            self._widths[name] = self.measure(name, LABEL_PX)
        return self._widths[name]


def counted(blocks: Sequence[Block]) -> str:
    """The number of the parameters of these Blocks in few letters; "" if there are none or nobody has counted them."""
    counts = [block.n_parameters for block in blocks]
    known = [count for count in counts if count is not None]
    return compact(sum(known)) if len(known) == len(counts) and any(known) else ""


def compact(count: int) -> str:
    """A count with three figures at most: "9.19 M", "790 k", "512"."""
    for unit, sign in ((1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")):
        told = f"{count / unit:.3g}"
        if count < 999.5 * unit:
            return str(count) if count < 1000 else f"{told} {sign}"
    return f"{count:.3g}"
