"""The kinds of Picture: numbers, labels and scale, ready to draw, without a toolkit. All are frozen.

In `values` a closed cell is NaN: zero would look like a real small weight. `closed` says which NaN a mask made.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.arithmetic import Arithmetic
from explorer.picture.scales import Scale
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.levels import Levels

if TYPE_CHECKING:
    from explorer.picture.figure.kind import Kind

Closed = NDArray[np.bool_]


@attrs.frozen
class Axis:
    """One axis of a map: its name, the labels along it (none for features) and the side whose tokens they are.

    `numbered`: the place of a label means something, and is said beside it. Label i is token i + `shift` of the side:
    where a row is named by the token about to be written, that token comes one place later.
    """

    name: str
    labels: tuple[str, ...] = ()
    side: str = ""
    numbered: bool = True
    shift: int = 0

    def label(self, index: int) -> str:
        """What stands at `index`: a token, or the number itself."""
        return self.labels[index] if self.labels else str(index)

    def spot(self, index: int) -> tuple[str, int]:
        """Side and place of the token at `index`."""
        return self.side, index + self.shift

    def indices(self, spots: Iterable[tuple[str, int]], size: int) -> list[int]:
        """Where those of the tokens stand that are on this axis of `size` places."""
        return [place - self.shift for side, place in spots if side == self.side and 0 <= place - self.shift < size]


Origin = Literal["recorded", "computed", "beside"]
"""Where numbers come from: recorded by the pass, computed from recorded tensors, or from passes made beside this one."""


@attrs.frozen(kw_only=True)
class Caption:
    """What a picture is: title, formula (rich text), tap, the recorded array's shape, what a person should note, and where
    its numbers come from."""

    title: str
    tap: str
    shape: str
    formula: str = ""
    note: str = ""
    origin: Origin = "recorded"


class Picture(ABC):
    """What all kinds of Picture have: a caption, and a Kind that says how one is drawn as SVG, put into tables and told in
    words.

    A further kind is a frozen class below, its Kind beside its drawing in `picture/figure`, and its View in `views/pictures`.
    """

    __slots__ = ()
    caption: Caption
    head: int | None = None  # whose numbers they are, where they are those of one head

    @abstractmethod
    def kind(self) -> "Kind[Any]":
        """How pictures like this one are drawn, put into tables and told in words; imported when it is first asked for."""


@attrs.frozen(kw_only=True, eq=False)
class Heatmap(Picture):
    """[row, column] one map with a label for each token. A large one has `levels`; its closed cells need not be NaN.

    `recorded` is the whole array that the values were taken from, closed cells as the model computed them; `head` is its
    head.
    """

    values: Array
    rows: Axis
    columns: Axis
    scale: Scale
    caption: Caption
    closed: Closed | None = None
    reason: str = ""  # why cells are closed
    made_of: Arithmetic | None = None  # how a cell comes about
    levels: Levels | None = None
    recorded: Array | None = None
    head: int | None = None

    @cached_property
    def is_recorded(self) -> bool:
        """Whether these are recorded numbers: those of `recorded`, cell by cell, wherever no mask has closed one."""
        if self.recorded is None or self.recorded.shape != self.values.shape:
            return False
        if self.values is self.recorded:
            return True
        same = (self.values == self.recorded) | (np.isnan(self.values) & np.isnan(self.recorded))
        return bool((same if self.closed is None else same | self.closed).all())

    def kind(self) -> "Kind[Heatmap]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.map import HEATMAP

        return HEATMAP


@attrs.frozen(kw_only=True, eq=False)
class HeadGrid(Picture):
    """[layer, head, query, key] all heads of one attention as thumbnails on one scale.

    Of large maps `values` and `closed` are blocks of `block` × `block` cells, and `large` has all there is.
    """

    values: Array
    rows: Axis
    columns: Axis
    scale: Scale
    caption: Caption
    layers: tuple[int, ...]
    chosen: tuple[int, int] | None  # layer, head
    closed: Closed | None = None
    reason: str = ""
    block: int = 1
    large: "LargeWall | None" = None
    recorded: tuple[Array, ...] = ()  # of each layer [head, query, key], closed cells as the model computed them

    @property
    def shape(self) -> tuple[int, int]:
        """Queries and keys of a head."""
        return (len(self.values[0, 0]), len(self.values[0, 0, 0])) if self.large is None else self.large.layers[0].shape

    def kind(self) -> "Kind[HeadGrid]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.wall import HEAD_GRID

        return HEAD_GRID


@attrs.frozen(eq=False)
class LargeWall:
    """`layers` are the levels of each layer's [head, row, column] blocks; `close_ups` by layer and head are true cells."""

    layers: tuple[Levels, ...]
    close_ups: Mapping[tuple[int, int], Levels]

    def of(self, layer: int, head: int) -> Levels:
        """The best there is of one head."""
        return self.close_ups.get((layer, head)) or self.layers[layer].of(head)


@attrs.frozen(kw_only=True, eq=False)
class Strips(Picture):
    """Several [position, feature] maps side by side: a row is one token in all of them."""

    bands: tuple[Heatmap, ...]
    caption: Caption

    def kind(self) -> "Kind[Strips]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.map import STRIPS

        return STRIPS


@attrs.frozen(kw_only=True, eq=False)
class Waves(Picture):
    """[curve, position] values along the positions, one curve for each chosen feature."""

    values: Array
    names: tuple[str, ...]
    n_marked: int  # the first positions, which the tokens of the text take
    caption: Caption
    x_name: str
    x: NDArray[Any] | None = None  # 0, 1, 2… where nothing else is said
    main: int | None = None  # the curve that the picture is about; all are alike where none is

    def kind(self) -> "Kind[Waves]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.waves import WAVES

        return WAVES


@attrs.frozen(kw_only=True)
class TokenRow(Picture):
    """The tokens of one side."""

    chips: tuple[Token, ...]
    side: str
    text: str
    caption: Caption

    def kind(self) -> "Kind[TokenRow]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.token_row import TOKEN_ROW

        return TOKEN_ROW


@attrs.frozen(kw_only=True, eq=False)
class Bars(Picture):
    """A value for each label, largest first. `cut` says which sampling would never draw, `ids` what a click means,
    `chosen` which one was taken."""

    values: Array
    labels: tuple[str, ...]
    scale: Scale
    caption: Caption
    cut: Closed | None = None
    ids: tuple[int, ...] = ()
    chosen: int | None = None

    def kind(self) -> "Kind[Bars]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.bars import BARS

        return BARS


@attrs.frozen(kw_only=True, eq=False)
class Alignment(Picture):
    """[row, column] weights between the tokens of two sentences, drawn as lines: columns' tokens above, rows' below.

    `recorded` and `head` are as in a Heatmap, where they are those of one head.
    """

    values: Array
    rows: Axis
    columns: Axis
    scale: Scale
    caption: Caption
    recorded: Array | None = None
    head: int | None = None

    def kind(self) -> "Kind[Alignment]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.alignment import ALIGNMENT

        return ALIGNMENT


@attrs.frozen(kw_only=True)
class Branch:
    """One token that was tried. `node` is its number in the Search, `parent` the place of its parent among the
    branches (-1: the beginning), `log_p` its own and `total` the sentence's log-probability so far, in nats.

    `state` is "best" on the way to the best sentence, "kept" on the way to another one that ended, "dropped" where the
    beam gave it up, "forced" where the user put it. `rank` is the place of a finished sentence, from 1; 0 inside one.
    """

    node: int
    parent: int
    label: str
    log_p: float
    total: float
    state: str
    rank: int = 0


@attrs.frozen(kw_only=True)
class Tree(Picture):
    """What beam search tried; a parent stands before its children. A score is log P / length^length_penalty."""

    branches: tuple[Branch, ...]
    caption: Caption
    length_penalty: float = 1.0

    def kind(self) -> "Kind[Tree]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.tree import TREE

        return TREE


@attrs.frozen(kw_only=True, eq=False)
class Timeline(Picture):
    """[step] the steps of decoding: what was written at each, and how probable it was. `chosen` is looked at.

    `log_p` is in nats, `ranks` are places among all `n_symbols` symbols, from 1; both are missing, and the probabilities
    NaN, where the model is asked for nothing. Step i is token i + `shift` of the `side`.
    """

    labels: tuple[str, ...]
    probabilities: Array
    chosen: int
    caption: Caption
    log_p: NDArray[np.float64] | None = None
    ranks: tuple[int, ...] = ()
    n_symbols: int = 0
    side: str = ""
    shift: int = 0
    scale: Scale = attrs.field(default=Scale(0.0, 1.0, "cividis"))

    def kind(self) -> "Kind[Timeline]":
        """Its drawing, tables and words."""
        from explorer.picture.figure.timeline import TIMELINE

        return TIMELINE


KINDS: tuple[type[Picture], ...] = (Heatmap, HeadGrid, Strips, Waves, TokenRow, Bars, Alignment, Tree, Timeline)
"""All kinds there are, each of which a View shows."""
