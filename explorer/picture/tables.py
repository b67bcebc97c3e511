"""The numbers of a Picture as tables: what a page shows is what a file of numbers gets.

Recorded numbers stand in them under their tap's name and as the model computed them, closed cells included; all others
under a name of their own that tells what they are.
"""

import re

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.kinds import Axis, Caption, Picture
from explorer.trace.remake_heads import Remade

Numbers = NDArray[np.floating]


@attrs.frozen(eq=False)
class Table:
    """[row, column] or [head, row, column] numbers under a name; `head` where they are those of one head."""

    name: str
    values: Numbers | Remade
    rows: Axis
    columns: Axis
    head: int | None = None


def has_tables(picture: Picture) -> bool:
    """Whether its numbers can be written. A wall of large maps shows blocks; its heads are exported whole as a wall."""
    return any(True for _table in picture.kind().tables(picture))


def tables(picture: Picture) -> tuple[Table, ...]:
    """All numbers of a picture, each under a name of its own."""
    found: list[Table] = []
    taken: dict[str, int] = {}
    for table in picture.kind().tables(picture):
        taken[table.name] = taken.get(table.name, 0) + 1
        again = f"{table.name}.{taken[table.name]}" if taken[table.name] > 1 else table.name
        found.append(attrs.evolve(table, name=again))
    return tuple(found)


def table_name(caption: Caption, *, computed: bool = False) -> str:
    """A tap for what is recorded; for all else, and where it is `computed`, the tap that it belongs to and what it is."""
    tap = caption.tap or "picture"
    if caption.origin == "recorded" and not computed:
        return tap
    return f"{tap}.{re.sub(r'[^0-9A-Za-z_]+', '_', caption.title).strip('_').lower() or 'computed'}"
