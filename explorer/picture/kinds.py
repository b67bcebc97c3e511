"""The kinds of Picture: numbers, labels and scale, ready to draw, without a toolkit. All are frozen.

In `values` a masked cell is NaN, since zero would look like a real small weight. `closed` is True for masked cells, so that
other NaNs differ from them.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.arithmetic import Arithmetic
from explorer.picture.axis import Axis as Axis
from explorer.picture.followed import Followed
from explorer.picture.picture import Caption as Caption
from explorer.picture.picture import Picture as Picture
from explorer.picture.scales import Scale
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.levels import Levels

Closed = NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Heatmap(Picture):
    """One map [row, column] with a label for each token.

    A large map has `levels`, and its masked cells need not be NaN. `recorded` is the whole recorded array, with masked cells
    as the model computed them; `head` is the head that it belongs to.
    """

    values: Array
    rows: Axis
    columns: Axis
    scale: Scale
    caption: Caption
    closed: Closed | None = None
    reason: str = ""  # why cells are masked
    closed_by: str = ""  # what masked them, if not the model's mask
    reasons: tuple[tuple[str, Closed], ...] = ()  # the reasons of single cells, where they differ
    beside: tuple[tuple[str, Array], ...] = ()  # further numbers of each cell, shown with its value
    estimated: Closed | None = None  # cells whose values are estimates
    taps: tuple[str, ...] = ()  # the tap of each row, where rows belong to different ones
    made_of: Arithmetic | None = None  # how a cell was computed
    levels: Levels | None = None
    recorded: Array | None = None
    unfolded: Array | None = None  # [row, column] between tokens, where rows or columns are words
    head: int | None = None
    query: int | None = None  # the query of all rows, where the rows are heads and the last one is their mean
    chosen_row: int | None = None  # a row that the reader has chosen
    chosen_column: int | None = None
    least: float = 0.0  # Smaller magnitudes have no number in their cells.
    pending: bool = False  # The numbers are still computed, and all values are NaN.

    @property
    def written(self) -> Array:
        """The values whose numbers are written into cells; NaN in all other cells."""
        return np.where(np.abs(self.values) < self.least, np.float32(np.nan), self.values) if self.least else self.values

    @property
    def is_recorded(self) -> bool:
        """Whether the values equal those of `recorded` in every unmasked cell."""
        if self.recorded is None or self.recorded.shape != self.values.shape:
            return False
        if self.values is self.recorded:
            return True
        same = (self.values == self.recorded) | (np.isnan(self.values) & np.isnan(self.recorded))
        return bool((same if self.closed is None else same | self.closed).all())


@attrs.frozen(kw_only=True, eq=False)
class Measured:
    """One head metric of all heads of a wall: a label for each thumbnail, and their order.

    `values` [layer, head] are those of the metric `key`, NaN where it is undefined; readers see its `name` and `formula`.
    `order` has all places of the wall, layer · n_heads + head, as they stand one after the other; () where layers stay layers.
    """

    key: str
    name: str
    formula: str
    values: NDArray[np.float64]
    unit: str = ""
    order: tuple[int, ...] = ()

    @property
    def ranks(self) -> tuple[int, ...]:
        """For each place of the wall, layer · n_heads + head, its rank in `order`."""
        return tuple(int(place) for place in np.argsort(self.order))

    def figure(self, layer: int, head: int) -> str:
        """The value of a head with two decimals, a dash where there is none."""
        value = float(self.values[layer, head])
        if not np.isfinite(value):
            return "–"
        return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"

    def told(self, layer: int, head: int, words: Words) -> str:
        """The value of a head in words, with its unit."""
        unit = f" {words(f'heads.unit.{self.unit}')}" if self.unit and np.isfinite(self.values[layer, head]) else ""
        return f"{self.name} {self.figure(layer, head)}{unit}"


@attrs.frozen(kw_only=True, eq=False)
class HeadGrid(Picture):
    """All heads of one attention [layer, head, query, key] as thumbnails on one scale.

    For large maps, `values` and `closed` hold blocks of `block` × `block` cells, and `large` holds all levels.
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
    recorded: tuple[Array, ...] = ()  # one [head, query, key] for each layer, masked cells as computed
    unfolded: Array | None = None  # [layer, head, query, key] between tokens, where rows or columns are words
    made_of: tuple[Arithmetic | None, ...] = ()  # how each layer's cells were computed, of all heads
    measured: Measured | None = None  # the head metric that labels the thumbnails, if the reader has chosen one

    @property
    def chosen_place(self) -> tuple[int, int] | None:
        """The row of layers where the chosen head stands, and the head; None where its layer is not shown."""
        if self.chosen is None or self.chosen[0] not in self.layers:
            return None
        return self.layers.index(self.chosen[0]), self.chosen[1]

    @property
    def order(self) -> tuple[int, ...]:
        """The thumbnails, layer · n_heads + head, as they stand one after the other; () where layers stay layers."""
        return () if self.measured is None else self.measured.order

    @property
    def shape(self) -> tuple[int, int]:
        """The number of queries and keys of one head."""
        return (len(self.values[0, 0]), len(self.values[0, 0, 0])) if self.large is None else self.large.layers[0].shape


@attrs.frozen(eq=False)
class LargeWall:
    """The levels of a wall of large maps.

    `layers` holds each layer's levels of [head, row, column] blocks. `close_ups`, by layer and head, hold single cells.
    """

    layers: tuple[Levels, ...]
    close_ups: Mapping[tuple[int, int], Levels]

    def of(self, layer: int, head: int) -> Levels:
        """The finest levels that were kept of one head."""
        return self.close_ups.get((layer, head)) or self.layers[layer].of(head)


@attrs.frozen(kw_only=True, eq=False)
class Strips(Picture):
    """Several [position, feature] maps side by side; one row is the same token in all of them."""

    bands: tuple[Heatmap, ...]
    caption: Caption


@attrs.frozen(kw_only=True, eq=False)
class Waves(Picture):
    """Curves [curve, position] along the positions, one for each chosen feature; or along values `x` in equal steps."""

    values: Array
    names: tuple[str, ...]
    n_marked: int  # how many of the first positions the text's tokens take
    caption: Caption
    x_name: str
    x: NDArray[Any] | None = None  # what stands at the places; None: 0, 1, 2, …
    main: int | None = None  # the curve that the picture is about; None: all alike
    between: "Between | None" = None  # the formula of the curves; None where nothing is known between the positions


@attrs.frozen(eq=False)
class Between:
    """What the formula of some Waves gives at places `x` [place], whole ones and others: `values` [curve, place]."""

    x: NDArray[Any]
    values: Array


@attrs.frozen(kw_only=True)
class TokenRow(Picture):
    """The tokens of one side; the side "" belongs to another pass, whose tokens cannot be changed."""

    chips: tuple[Token, ...]
    side: str
    text: str
    caption: Caption


@attrs.frozen(kw_only=True, eq=False)
class Bars(Picture):
    """One value for each label, largest first.

    `cut` is True for bars that sampling would never draw. `ids` are the symbols that a click stands for. `chosen` is the
    index of the bar that was taken.
    """

    values: Array
    labels: tuple[str, ...]
    scale: Scale
    caption: Caption
    cut: Closed | None = None
    ids: tuple[int, ...] = ()
    chosen: int | None = None


@attrs.frozen(eq=False)
class HeadLines:
    """The weights [row, column] of one of several heads whose lines lie over one another; `recorded` as in a Heatmap."""

    head: int
    values: Array
    recorded: Array | None = None


@attrs.frozen(kw_only=True, eq=False)
class Alignment(Picture):
    """Weights [row, column] between the tokens of two sentences, drawn as lines; columns' tokens stand above, rows' below.

    With `arcs`, rows and columns are the same text: its tokens stand in one row, arcs above it look back and arcs below it
    ahead. `recorded` and `head` mean the same as in a Heatmap; both are None for a mean over heads. Several heads are
    `overlaid`, each with lines of its own; then `values` are the largest of them.
    """

    values: Array
    rows: Axis
    columns: Axis
    scale: Scale
    caption: Caption
    recorded: Array | None = None
    head: int | None = None
    overlaid: tuple[HeadLines, ...] = ()
    arcs: bool = False

    @property
    def looks_ahead(self) -> bool:
        """Whether any query sees a key that comes after it, as without a causal mask."""
        return bool(np.isfinite(self.values[np.triu_indices_from(self.values, 1)]).any())


@attrs.frozen(kw_only=True, eq=False)
class Follow(Picture):
    """The way of one attention cell in six beats, from its query and key to what it passes on."""

    followed: Followed
    signed_colours: str
    caption: Caption
    head: int | None = None


@attrs.frozen(kw_only=True, eq=False)
class VectorMap(Picture):
    """Vectors on a plane: symbols of the vocabulary, and the way of each token of a text through the layers.

    `cloud` [symbol, xy] with the `names` of the symbols; `path` [place, token, xy] with the `taps` and names of the `places`.
    `chosen` is the token that the picture is about, `near` its nearest symbols as rows of the cloud, nearest first. `side` is
    the tokens' side.
    """

    cloud: Array
    names: tuple[str, ...]
    path: Array
    taps: tuple[str, ...]
    places: tuple[str, ...]
    tokens: tuple[str, ...]
    side: str
    chosen: int
    near: tuple[int, ...]
    caption: Caption
