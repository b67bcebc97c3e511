"""The kinds of Picture: numbers, labels and scale, ready to draw, without a toolkit. All are frozen.

In `values` a closed cell is NaN: zero would look like a real small weight. `closed` says which NaN a mask made.
"""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.scales import Scale
from explorer.tokens.token import Token
from explorer.trace.trace import Array

Closed = NDArray[np.bool_]


@attrs.frozen
class Axis:
    """One axis of a map: its name, the labels along it (none for features) and the side whose tokens they are."""

    name: str
    labels: tuple[str, ...] = ()
    side: str = ""

    def label(self, index: int) -> str:
        """What stands at `index`: a token, or the number itself."""
        return self.labels[index] if self.labels else str(index)


@attrs.frozen(kw_only=True)
class Caption:
    """What a picture is: title, formula (rich text), tap, the recorded array's shape, and what a person should note."""

    title: str
    tap: str
    shape: str
    formula: str = ""
    note: str = ""


@attrs.frozen(kw_only=True, eq=False)
class Heatmap:
    """[row, column] one map with a label for each token."""

    values: Array
    rows: Axis
    columns: Axis
    scale: Scale
    caption: Caption
    closed: Closed | None = None
    reason: str = ""  # why cells are closed


@attrs.frozen(kw_only=True, eq=False)
class HeadGrid:
    """[layer, head, query, key] all heads of one attention as thumbnails on one scale."""

    values: Array
    rows: Axis
    columns: Axis
    scale: Scale
    caption: Caption
    layers: tuple[int, ...]
    chosen: tuple[int, int] | None  # layer, head
    closed: Closed | None = None
    reason: str = ""


@attrs.frozen(kw_only=True, eq=False)
class Strips:
    """Several [position, feature] maps side by side: a row is one token in all of them."""

    bands: tuple[Heatmap, ...]
    caption: Caption


@attrs.frozen(kw_only=True, eq=False)
class Waves:
    """[curve, position] values along the positions, one curve for each chosen feature."""

    values: Array
    names: tuple[str, ...]
    n_marked: int  # the first positions, which the tokens of the text take
    caption: Caption
    x_name: str
    x: NDArray[Any] | None = None  # 0, 1, 2… where nothing else is said


@attrs.frozen(kw_only=True)
class TokenRow:
    """The tokens of one side."""

    chips: tuple[Token, ...]
    side: str
    text: str
    caption: Caption


@attrs.frozen(kw_only=True, eq=False)
class Bars:
    """A value for each label, largest first."""

    values: Array
    labels: tuple[str, ...]
    scale: Scale
    caption: Caption


Picture = Heatmap | HeadGrid | Strips | Waves | TokenRow | Bars
