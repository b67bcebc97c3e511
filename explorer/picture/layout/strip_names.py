"""The names in the architecture strip: of Blocks, of layers, of runs of layers, and their widths; a Block in words."""

from collections.abc import Callable, Sequence

import attrs

from explorer.lang import Words
from explorer.state.going import PAGES
from explorer.trace.architecture import Architecture, Block
from explorer.trace.stages import SINUSOIDS

Measure = Callable[[str, float], float]
"""A function that gives the width (px) of a text at a letter size (px)."""

NAME_PX, COUNT_PX = 12.0, 10.0
"""The letter sizes (px) of the names of groups, and of counts."""
LABEL_PX, SMALL_LABEL_PX = 11.0, 10.0
"""The letter sizes (px) of the names in segments: the usual one, and the one where segments are narrow."""
_PAD_PX = 5.0  # px on each side of such a name
_LENGTHS = (("long", _PAD_PX), ("short", 1.0), ("least", 1.0))
"""The lengths of such names from which the first that fits is taken, each with its least margin (px) on each side."""


@attrs.frozen
class Names:
    """The names of an Architecture in one language, with their widths."""

    architecture: Architecture
    words: Words
    measure: Measure
    # Hundreds of Blocks share few names, so names, their needs and widths are found once.
    _known: dict[tuple[str, float], float] = attrs.field(init=False, factory=dict, eq=False, repr=False)
    _groups: dict[tuple[str, str], str] = attrs.field(init=False, factory=dict, eq=False, repr=False)
    _needs: dict[tuple[str, bool], float] = attrs.field(init=False, factory=dict, eq=False, repr=False)

    def group(self, blocks: Sequence[Block]) -> str:
        """The name of a group, or of consecutive layers of one side: "Vectors", "Encoder 0", "Encoder 3–61"."""
        ends = blocks[0].key, blocks[-1].key
        if ends not in self._groups:
            self._groups[ends] = self._group(blocks[0], blocks[-1])
        return self._groups[ends]

    def _group(self, first: Block, last: Block) -> str:
        if first.layer is None:
            # A model without a decoder gives out a symbol for each token that it was given, and no next one.
            gives = first.kind == "generator" and self.architecture.sides == ("encoder",)
            return self.words("strip.group.output" if gives else f"strip.group.{first.kind}")
        layers = str(first.layer) if first.layer == last.layer else f"{first.layer}–{last.layer}"
        return self.words("strip.layer", side=self.words(f"side.{first.side}"), layer=layers)

    def block(self, block: Block, length: str = "long") -> str:
        """The name in a Block's segment, "long", "short", or the "least" that can be understood, which few have."""
        if block.kind == "position":
            position = self.architecture.position
            return self.words.or_other(f"strip.position.{'sinusoidal' if position in SINUSOIDS else position}")
        kind = "masked" if block.kind == "self_attn" and block.causal else block.kind
        key = f"strip.{length}.{kind}"
        return self.words(key if key in self.words else f"strip.short.{kind}")

    def width(self, group: Sequence[Block]) -> float:
        """The width of a group's name (px)."""
        return self.measured(self.group(group), NAME_PX)

    def whole(self, room: float = 0.0) -> str:
        """The number of all parameters in few letters, with their name if `room` (px) allows."""
        count = compact(self.architecture.n_parameters)
        named = self.words("strip.parameters", count=count)
        return named if self.measured(named, COUNT_PX) <= room else self.words("strip.total", count=count)

    def need(self, block: Block) -> float:
        """The width that a segment needs for its short name (px)."""
        like = block.kind, block.causal
        if like not in self._needs:
            self._needs[like] = self.measured(self.block(block, "short"), LABEL_PX) + 2 * _PAD_PX
        return self._needs[like]

    def fitting(self, block: Block, width: float, px: float, *, least: bool = True) -> str:
        """The longest name that fits into a segment at a letter size (px), with or without the least one; "" if none does."""
        if width < SMALL_LABEL_PX:  # Hundreds of folded segments need not be asked.
            return ""
        named = ((self.block(block, length), pad) for length, pad in _LENGTHS[: None if least else -1])
        return next((name for name, pad in named if self.measured(name, px) + 2 * pad <= width), "")

    def measured(self, text: str, px: float) -> float:
        """The width of a text at a letter size (px)."""
        width = self._known.get((text, px))
        if width is None:
            width = self._known[text, px] = self.measure(text, px)
        return width


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


def block_line(block: Block, names: Names) -> str:
    """One line: the name of the layer or the group, that of the Block, and its parameters if they were counted."""
    told = [names.group((block,)), names.block(block)]
    if block.n_parameters is not None:
        told.append(_parameters(block, names.words))
    return " · ".join(told)


def about_block(block: Block, names: Names) -> str:
    """Three lines: `block_line`, what the Block does, and the size of the whole model with what a click does."""
    words = names.words
    masked = block.kind == "self_attn" and block.causal
    does = words(f"strip.does.{'masked' if masked else block.kind}")
    whole = words("strip.whole", count=f"{names.architecture.n_parameters:,}")
    return f"{block_line(block, names)}\n{does}\n{whole} · {words('strip.hint', page=words(f'page.{PAGES[block.kind]}'))}"


def _parameters(block: Block, words: Words) -> str:
    own = words("strip.parameters", count=f"{block.n_parameters:,}") if block.n_parameters else words("strip.no_parameters")
    return own + (words("strip.shared", count=f"{block.n_shared:,}") if block.n_shared else "")
