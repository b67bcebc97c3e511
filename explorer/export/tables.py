"""The numbers of a Picture as tables: what a page shows is what a file of numbers gets.

Recorded numbers stand in them under their tap's name and as the model computed them, closed cells included; all others
under a name of their own that tells what they are.
"""

import re
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.kinds import (
    Alignment,
    Axis,
    Bars,
    Caption,
    HeadGrid,
    Heatmap,
    Picture,
    Strips,
    Timeline,
    TokenRow,
    Tree,
    Waves,
)
from explorer.picture.makers.tree import depths, score_of
from explorer.trace.remake_heads import Remade
from explorer.trace.tap_names import with_layer

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
    return not (isinstance(picture, HeadGrid) and picture.large is not None)


def tables(picture: Picture) -> tuple[Table, ...]:
    """All numbers of a picture, each under a name of its own."""
    found: list[Table] = []
    taken: dict[str, int] = {}
    for table in _tables(picture):
        taken[table.name] = taken.get(table.name, 0) + 1
        again = f"{table.name}.{taken[table.name]}" if taken[table.name] > 1 else table.name
        found.append(attrs.evolve(table, name=again))
    return tuple(found)


def _tables(picture: Picture) -> Iterator[Table]:
    match picture:
        case Heatmap():
            yield _of_map(picture)
        case Strips():
            for band in picture.bands:
                made = _of_map(band, picture.caption)
                yield made if band.head is None else attrs.evolve(made, name=f"{made.name}.head{band.head}")
        case HeadGrid():
            for layer, heads in zip(picture.layers, picture.recorded, strict=True):
                yield Table(
                    with_layer(picture.caption.tap.replace(".*.", f".{layer}."), layer), heads, picture.rows, picture.columns
                )
        case Waves():
            x = np.arange(picture.values.shape[1]) if picture.x is None else picture.x
            yield Table(
                _named(picture.caption),
                picture.values,
                Axis("curve", picture.names),
                Axis(picture.x_name, tuple(f"{place:g}" for place in x)),
            )
        case Bars():
            rows = Axis(
                "symbol",
                tuple(f"{label} #{each}" for label, each in zip(picture.labels, picture.ids, strict=True))
                if picture.ids
                else picture.labels,
            )
            chosen = attrs.evolve(picture.caption, origin="computed")  # recorded or not, it is a choice of them, sorted
            yield Table(_named(chosen), picture.values[:, None], rows, Axis("value", ("value",)))
        case Alignment():
            values = picture.values if picture.recorded is None else picture.recorded
            yield Table(_named(picture.caption), values, picture.rows, picture.columns, picture.head)
        case Timeline():
            yield _of_timeline(picture)
        case TokenRow():
            cells = np.array([[chip.id, chip.start, chip.end, chip.known] for chip in picture.chips], np.float64)
            yield Table(
                f"tokens.{picture.side}",
                cells.reshape(-1, 4),
                Axis("token", tuple(c.text for c in picture.chips)),
                Axis("about", ("id", "start", "end", "known")),
            )
        case Tree():
            yield _of_tree(picture)


def _of_map(made: Heatmap, around: Caption | None = None) -> Table:
    if made.is_recorded:
        assert made.recorded is not None  # for the type checker
        return Table(made.caption.tap, made.recorded, made.rows, made.columns, made.head)
    values = made.values if made.closed is None else np.where(made.closed, np.float32(np.nan), made.values)
    told = attrs.evolve(made.caption, tap=made.caption.tap or (around.tap if around is not None else ""), origin="computed")
    return Table(_named(told), values, made.rows, made.columns, made.head)


def _named(caption: Caption) -> str:
    """A tap for what is recorded; for all else the tap that it belongs to and what it is."""
    tap = caption.tap or "picture"
    if caption.origin == "recorded":
        return tap
    return f"{tap}.{re.sub(r'[^0-9A-Za-z_]+', '_', caption.title).strip('_').lower() or 'computed'}"


def _of_timeline(made: Timeline) -> Table:
    columns = {"probability": made.probabilities.astype(np.float64)}
    if made.log_p is not None:
        columns |= {"log_p": made.log_p, "rank": np.array(made.ranks, np.float64)}
    return Table(
        _named(attrs.evolve(made.caption, origin="computed")),
        np.stack(list(columns.values()), axis=1),
        Axis("step", made.labels),
        Axis("about", tuple(columns)),
    )


def _of_tree(tree: Tree) -> Table:
    cells = [
        [branch.parent, depth, branch.log_p, branch.total, score_of(tree, place), branch.rank]
        for place, (branch, depth) in enumerate(zip(tree.branches, depths(tree), strict=True))
    ]
    return Table(
        "search",
        np.array(cells, np.float64).reshape(-1, 6),
        Axis("branch", tuple(b.label for b in tree.branches)),
        Axis("about", ("parent", "step", "log_p", "total", "score", "rank")),
    )
