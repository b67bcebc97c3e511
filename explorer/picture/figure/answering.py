"""Maps within a drawing whose cells can say their values, where somebody can point at them."""

import attrs

from explorer.picture.kinds import Axis, Caption
from explorer.trace.arrays import Array


@attrs.frozen(eq=False)
class Answering:
    """A map [row, column] with its first corner and the size of a cell (px). NaN is said as `reason`, where there is one."""

    values: Array
    rows: Axis
    columns: Axis
    caption: Caption
    x: float
    y: float
    cell_w: float
    cell_h: float
    reason: str = ""
