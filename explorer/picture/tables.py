"""The numbers of a Picture as tables: a file of numbers holds exactly what the page shows.

Recorded numbers have their tap's name and are as the model computed them, masked cells included. Other numbers have a
descriptive name of their own.
"""

import re

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.kinds import Axis, Caption
from explorer.trace.remake_heads import Remade

Numbers = NDArray[np.floating]


@attrs.frozen(eq=False)
class Table:
    """Numbers [row, column] or [head, row, column] under a name; `head` is set where they belong to one head."""

    name: str
    values: Numbers | Remade
    rows: Axis
    columns: Axis
    head: int | None = None


def table_name(caption: Caption, *, computed: bool = False) -> str:
    """The name of a table: the tap for recorded numbers, the name of a parameter; the tap and the picture's title for others.

    `computed` is True if the table's numbers were computed although the picture's are recorded.
    """
    tap = caption.tap or "picture"
    if caption.origin == "recorded" and not computed:
        return tap
    if caption.origin == "parameter":
        return caption.name
    return f"{tap}.{re.sub(r'[^0-9A-Za-z_]+', '_', caption.title).strip('_').lower() or 'computed'}"
